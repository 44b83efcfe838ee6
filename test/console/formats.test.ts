import { expect, test } from 'bun:test';
import { parseAsSent, writeExact } from '../../src/client/exact-json.ts';
import { parametersOf } from '../../src/console/commands/parameters.ts';
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatMs,
  formatNumber,
  formatPerSecond,
  formatValue,
  withoutBreaks,
  writeJson,
} from '../../src/console/elements/formats.ts';

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

test.each([
  [formatPerSecond(0, 'change'), '0 changes a second'],
  [formatPerSecond(1, 'change'), '1 change a second'],
  [formatPerSecond(1.26, 'change'), '1.3 changes a second'],
  [formatPerSecond(12.4, 'change'), '12 changes a second'],
  [formatMs(620.71), '621 ms'],
  [formatMs(4.24), '4.2 ms'],
  [formatMs(0.35), '0.35 ms'],
  [formatMs(2_500), '2.5 s'],
  [formatBytes(8 * 2 ** 30), '8 GiB'],
  [formatBytes(1_536), '1.5 KiB'],
  [formatDuration(3_600_000), '1 h'],
  [formatDuration(3_660_000), '1 h 1 min'],
  [formatDuration(3_605_000), '1 h'],
  [formatDuration(400), '0 s'],
  [formatNumber(0.000_123), '0.00012'],
  [formatNumber(-1_234.567), '-1,234.57'],
  [formatCount(1, 'entry', 'entries'), '1 entry'],
  [formatCount(3_000, 'row'), '3,000 rows'],
])('%s has as many digits as are read', (text, expected) => {
  expect(text).toBe(expected);
});
