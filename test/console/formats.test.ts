import { expect, test } from 'bun:test';
import { parseAsSent } from '../../src/client/exact-json.ts';
import { formatValue, writeJson } from '../../src/console/elements/formats.ts';

test.each(['2410611.00', '1.0', '5', '1.0E20', '-0.50', '9007199254740993', '[1.50,{"a":2.0}]', 'null', 'true'])(
  '%s is shown as it was sent',
  (text) => {
    expect(formatValue(parseAsSent(text))).toBe(text);
    expect(writeJson(parseAsSent(text), 0)).toBe(text);
  },
);
