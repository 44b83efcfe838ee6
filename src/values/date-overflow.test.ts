import { describe, expect, test } from 'bun:test';
import { rollOver } from './date-overflow.ts';
import { decodeTyped } from './decode-parameter.ts';
import { formatScalar, isScalar } from './scalar-traits.ts';
import type { ScalarTypeName } from './value.ts';

/** Strings and how Java reads them. */
const ROLLED: ReadonlyArray<readonly [ScalarTypeName, string, string]> = [
  ['date', '2018-02-30', '2018-03-02'],
  ['date', '2019-02-29', '2019-03-01'],
  ['date', '2020-02-29', '2020-02-29'],
  ['date', '2018-04-31', '2018-05-01'],
  ['date', '2018-1-2', '2018-01-02'],
  ['date', '0000-01-01', '0001-01-01'],
  ['date', '9999-12-31', '9999-12-31'],
  ['time', '25:00:00', '01:00:00'],
  ['time', '-1:2:3', '23:02:03'],
  ['time', '1:2:-3', '01:01:57'],
  ['time', '100:00:00', '04:00:00'],
  ['time', '+1:+2:+3', '01:02:03'],
  ['time', '23:59:60', '00:00:00'],
  ['timestamp', '2018-02-30 00:00:00', '2018-03-02 00:00:00.0'],
  ['timestamp', '2018-02-18 25:00:00', '2018-02-19 01:00:00.0'],
  ['timestamp', '2018-02-18 99:99:99', '2018-02-22 04:40:39.0'],
  ['timestamp', ' 2018-12-31 23:59:60.5 ', '2019-01-01 00:00:00.5'],
  ['timestamp', '2018-01-01 -1:0:0', '2017-12-31 23:00:00.0'],
  ['timestamp', '2018-02-18 01:02:03.000000001', '2018-02-18 01:02:03.000000001'],
];

/** Texts that Java also rejects. */
const REJECTED: ReadonlyArray<readonly [ScalarTypeName, string]> = [
  ['date', '2018-13-01'],
  ['date', '2018-00-01'],
  ['date', '2018-01-32'],
  ['date', '2018-01-00'],
  ['date', '18-01-01'],
  ['date', ' 2018-01-01'],
  ['date', '10000-01-01'],
  ['time', '10:11'],
  ['time', '10:11:12.5'],
  ['time', ' 1:2:3'],
  ['time', '1:2:3:4'],
  ['time', 'x'],
  ['timestamp', '2018-02-18T01:02:03'],
  ['timestamp', '2018-02-18'],
  ['timestamp', '2018-13-18 00:00:00'],
  ['timestamp', '2018-02-32 00:00:00'],
  ['timestamp', '2018-02-18 1:2:3.'],
  ['timestamp', '2018-02-18 01:02:03.12x'],
  ['timestamp', '2018-02-18 01:02:03.0123456789'],
  ['timestamp', '2018-02-18  01:02:03'],
];

describe('dates and times that roll over', () => {
  test.each(ROLLED)('%s %s is %s', (type, text, expected) => {
    const value = decodeTyped(text, type, { find: () => undefined }, 'svc', 'val', 'reference');
    expect(isScalar(value) ? formatScalar(value) : undefined).toBe(expected);
  });

  test.each(REJECTED)('%s %s is rejected', (type, text) => {
    expect(() => decodeTyped(text, type, { find: () => undefined }, 'svc', 'val', 'reference')).toThrow(
      'Failed to convert',
    );
  });

  test('other types are left alone', () => {
    expect(rollOver('integer', '25:00:00')).toBe('25:00:00');
    expect(rollOver('string', '2018-02-30')).toBe('2018-02-30');
  });
});
