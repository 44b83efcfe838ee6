import { expect, test } from 'bun:test';
import { parseAsSent, writeExact } from '../../src/client/exact-json.ts';
import { parametersOf } from '../../src/console/commands/parameters.ts';
import { formatValue, withoutBreaks, writeJson } from '../../src/console/elements/formats.ts';

test.each(['2410611.00', '1.0', '5', '1.0E20', '-0.50', '9007199254740993', '[1.50,{"a":2.0}]', 'null', 'true'])(
  '%s is shown as it was sent',
  (text) => {
    expect(formatValue(parseAsSent(text))).toBe(text);
    expect(writeJson(parseAsSent(text), 0)).toBe(text);
  },
);

test('numbers in a list of a form are sent as they were typed', () => {
  const text = '[{"cmd":"put","key":"a","val":2410611.00},{"cmd":"put","key":"b","val":9007199254740993}]';
  expect(writeExact(parametersOf([{ name: 'commands', type: 'array' }], { commands: text }))).toBe(
    `{"commands":${text}}`,
  );
});

test('numbers stay with their units where a text is broken', () => {
  expect(withoutBreaks('75.0 MiB to 100 % in 10 min, 2 of 3')).toBe(
    '75.0\u00a0MiB to 100\u00a0% in 10\u00a0min, 2\u00a0of 3',
  );
});
