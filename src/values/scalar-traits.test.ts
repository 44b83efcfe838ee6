import { describe, expect, test } from 'bun:test';
import { randomScalar, SCALAR_TYPE_NAMES, seededRandom } from '../../test/fixtures/values/random-values.ts';
import { SCALAR_CHARACTERS } from '../base/limits.ts';
import { ConversionFailure } from './conversion-failure.ts';
import { equalValues } from './equality.ts';
import { formatIgniteKey } from './ignite-keys.ts';
import { formatText } from './json.ts';
import {
  formatExactScalar,
  formatScalar,
  isScalar,
  parseText,
  SCALAR_TRAITS,
  type ScalarValue,
} from './scalar-traits.ts';
import type { ScalarTypeName } from './value.ts';

function readScalar(type: ScalarTypeName, text: string): ScalarValue {
  return parseText(type, text);
}

const UUID = 'e46b31c5-4fdd-4a93-b1c1-4a3a8f4f4f4f';

/** Accepted texts, and the text of the parsed value. */
const ACCEPTED: ReadonlyArray<readonly [type: ScalarTypeName, text: string, written: string]> = [
  ['boolean', 'true', 'true'],
  ['boolean', 'tRuE', 'true'],
  ['boolean', 'FALSE', 'false'],
  ['byte', '+5', '5'],
  ['short', '02', '2'],
  ['integer', '-2147483648', '-2147483648'],
  ['long', '9007199254740993', '9007199254740993'],
  ['float', '16777217', '1.6777216E7'],
  ['float', '0.1', '0.1'],
  ['float', '1e40', 'Infinity'],
  ['double', ' 2.5 ', '2.5'],
  ['double', '-0', '-0.0'],
  ['double', '1e7', '1.0E7'],
  ['double', 'NaN', 'NaN'],
  ['string', '', ''],
  ['string', ' a ', ' a '],
  ['char', 'x', 'x'],
  ['date', '2018-01-02', '2018-01-02'],
  ['date', '2018-1-2', '2018-01-02'],
  ['date', '2020-02-29', '2020-02-29'],
  ['date', '2000-02-29', '2000-02-29'],
  ['date', '0001-01-01', '0001-01-01'],
  ['date', '9999-12-31', '9999-12-31'],
  ['date', '0000-01-01', '0000-01-01'],
  ['date', '-0001-05-05', '-0001-05-05'],
  ['date', '10000-01-01', '10000-01-01'],
  ['date', '-1000000000-01-01', '-1000000000-01-01'],
  ['date', '1000000000-12-31', '1000000000-12-31'],
  ['time', '10:11:12', '10:11:12'],
  ['time', '1:2:3', '01:02:03'],
  ['time', '23:59:59', '23:59:59'],
  ['timestamp', '2018-02-18 01:02:03', '2018-02-18 01:02:03.0'],
  ['timestamp', '2018-2-1 1:2:3', '2018-02-01 01:02:03.0'],
  ['timestamp', ' 2018-02-18 01:02:03 ', '2018-02-18 01:02:03.0'],
  ['timestamp', '2018-02-18 01:02:03.000000001', '2018-02-18 01:02:03.000000001'],
  ['timestamp', '2018-02-18 01:02:03.1200', '2018-02-18 01:02:03.12'],
  ['timestamp', '1969-12-31 23:59:59.999999999', '1969-12-31 23:59:59.999999999'],
  ['timestamp', '0001-01-01 00:00:00', '0001-01-01 00:00:00.0'],
  ['timestamp', '9999-12-31 23:59:59.999999999', '9999-12-31 23:59:59.999999999'],
  ['timestamp', '-0001-05-05 00:00:00', '-0001-05-05 00:00:00.0'],
  ['timestamp', '10000-01-01 00:00:00', '10000-01-01 00:00:00.0'],
  ['timestamp', '2018-02-18T01:02:03', '2018-02-18 01:02:03.0'],
  ['timestamp', '2018-02-18T01:02:03.5Z', '2018-02-18 01:02:03.5'],
  ['timestamp', '2018-02-18T01:02:03+02:30', '2018-02-17 22:32:03.0'],
  ['timestamp', '2018-02-18 01:02:03-0100', '2018-02-18 02:02:03.0'],
  ['instant', 'Jan 2, 2018, 3:04:05 AM', 'Jan 2, 2018, 3:04:05 AM'],
  ['instant', 'january 2, 2018, 12:00:00 pm', 'Jan 2, 2018, 12:00:00 PM'],
  ['instant', 'Jan 1, 1, 12:00:00 AM', 'Jan 1, 1, 12:00:00 AM'],
  ['uuid', UUID.toUpperCase(), UUID],
  ['gridUuid', `7E2D4F1C261-${UUID}`, `7e2d4f1c261-${UUID}`],
  ['gridUuid', `100-${UUID}`, `100-${UUID}`],
  ['gridUuid', `001-${UUID}`, `001-${UUID}`],
  ['decimal', '1.50', '1.50'],
  ['decimal', '1E+3', '1E+3'],
  ['decimal', '100E2', '1.00E+4'],
  ['decimal', '1e-10', '1E-10'],
  ['decimal', '0E-8', '0E-8'],
  ['decimal', '-0.00', '0.00'],
  ['decimal', '0.000001', '0.000001'],
  ['decimal', '0.0000001', '1E-7'],
  ['decimal', '+.5', '0.5'],
  ['decimal', '1e-1000', '1E-1000'],
  ['bigInteger', '+123456789012345678901234567890', '123456789012345678901234567890'],
  ['bytes', 'AQID', 'AQID'],
  ['bytes', '', ''],
];

/** Rejected texts, and a part of the reason. */
const REJECTED: ReadonlyArray<readonly [type: ScalarTypeName, text: string, reason: string]> = [
  ['boolean', '', 'Boolean must be true or false'],
  ['boolean', 'yes', 'Boolean must be true or false'],
  ['boolean', '1', 'Boolean must be true or false'],
  ['boolean', ' true', 'Boolean must be true or false'],
  ['byte', '128', 'java.lang.NumberFormatException: Value out of range. Value:"128" Radix:10'],
  ['short', '1e3', 'java.lang.NumberFormatException: For input string: "1e3"'],
  ['integer', '2147483648', 'java.lang.NumberFormatException: For input string: "2147483648"'],
  ['integer', '', 'java.lang.NumberFormatException: For input string: ""'],
  ['long', '9223372036854775808', 'java.lang.NumberFormatException: For input string: "9223372036854775808"'],
  ['float', 'inf', 'java.lang.NumberFormatException: For input string: "inf"'],
  ['double', '', 'java.lang.NumberFormatException: empty String'],
  ['double', '1,5', 'java.lang.NumberFormatException: For input string: "1,5"'],
  ['char', 'ab', 'Expected one character'],
  ['char', '', 'Expected one character'],
  ['date', '', 'Date format must be yyyy-mm-dd'],
  ['date', '2019-02-29', 'There is no such day: 2019-02-29'],
  ['date', '1900-02-29', 'There is no such day: 1900-02-29'],
  ['date', '2018-04-31', 'There is no such day: 2018-04-31'],
  ['date', '2018-13-01', 'There is no such day'],
  ['date', '2018-0-1', 'There is no such day'],
  ['date', '18-01-01', 'Date format'],
  ['date', ' 2018-02-18', 'Date format'],
  ['date', '2018-02-18 ', 'Date format'],
  ['date', '2018-002-18', 'Date format'],
  ['date', '1000000002-01-01', 'There is no such day'],
  ['date', '+018-01-01', 'Date format'],
  ['date', '2018-01-02 03:04:05', 'Date format'],
  ['time', '', 'Time format must be hh:mm:ss'],
  ['time', '10:11', 'Time format'],
  ['time', '25:00:00', 'Time format'],
  ['time', '24:00:00', 'Time format'],
  ['time', '-1:2:3', 'Time format'],
  ['time', '10:60:00', 'Time format'],
  ['time', '10:11:12.', 'Time format'],
  ['time', '10:11:12.1234567890', 'Time format'],
  ['time', ' 1:2:3', 'Time format'],
  ['timestamp', '', 'Timestamp format must be yyyy-mm-dd hh:mm:ss[.fffffffff]'],
  ['timestamp', '2018-02-18T01:02:03+19:00', 'Timestamp format'],
  ['timestamp', '2018-02-18 01:02', 'Timestamp format'],
  ['timestamp', '2018-02-18  01:02:03', 'Timestamp format'],
  ['timestamp', '2018-02-18 99:99:99', 'Timestamp format'],
  ['timestamp', '2018-02-30 00:00:00', 'Timestamp format'],
  ['timestamp', '2018-02-18 1:2:3.', 'Timestamp format'],
  ['timestamp', '2018-02-18 01:02:03.12x', 'Timestamp format'],
  ['timestamp', '2018-02-18 01:02:03.1234567890', 'Timestamp format'],
  ['instant', '2018-01-02', 'Unparseable date: "2018-01-02"'],
  ['instant', '2018-01-02 10:00:00', 'Unparseable date'],
  ['instant', 'Feb 30, 2018, 3:04:05 PM', 'Unparseable date'],
  ['instant', 'Jan 2, 2018, 13:04:05 PM', 'Unparseable date'],
  ['uuid', '', 'Invalid UUID string: '],
  ['uuid', '1-2-3-4-5', 'Invalid UUID string: 1-2-3-4-5'],
  ['uuid', `${UUID}a`, 'Invalid UUID string'],
  ['uuid', `{${UUID}}`, 'Invalid UUID string'],
  ['uuid', ` ${UUID}`, 'Invalid UUID string'],
  ['uuid', UUID.replaceAll('-', ''), 'Invalid UUID string'],
  ['gridUuid', '', 'Invalid UUID string'],
  ['gridUuid', UUID, 'Invalid UUID string'],
  ['gridUuid', `g-${UUID}`, 'java.lang.NumberFormatException: For input string: "g" under radix 16'],
  ['gridUuid', `-${UUID}`, 'java.lang.NumberFormatException: For input string: "" under radix 16'],
  ['gridUuid', `ffffffffffffffff-${UUID}`, 'java.lang.NumberFormatException'],
  ['gridUuid', `00000000000000001-${UUID}`, 'java.lang.NumberFormatException'],
  ['decimal', 'NaN', 'java.lang.NumberFormatException'],
  ['decimal', '.', 'java.lang.NumberFormatException'],
  ['decimal', '1e9999999999', 'java.lang.NumberFormatException'],
  ['decimal', '9'.repeat(1_001), 'java.lang.NumberFormatException'],
  ['bigInteger', '1.5', 'java.lang.NumberFormatException'],
  ['bytes', 'AQI', 'Illegal Base64 text'],
  ['bytes', '_-8=', 'Illegal Base64 text'],
  ['bytes', 'AQ ID', 'Illegal Base64 text'],
];

describe('text of the scalar types', () => {
  test.each(ACCEPTED)('%s parses %p and formats %p', (type, text, written) => {
    const value = readScalar(type, text);
    expect(value.type).toBe(type);
    expect(formatScalar(value)).toBe(written);
  });

  test.each(REJECTED)('%s rejects %p', (type, text, reason) => {
    expect(() => readScalar(type, text)).toThrow(ConversionFailure);
    expect(() => readScalar(type, text)).toThrow(reason);
  });

  test.each(SCALAR_TYPE_NAMES)('%s: formatted values parse to equal values', (type) => {
    const random = seededRandom(20180218);
    for (let round = 0; round < 2_000; round++) {
      const value = randomScalar(random, type);
      if (!isScalar(value)) throw new Error(`${type} is no scalar type`);
      const written = formatExactScalar(value);
      const read = parseText(type, written);
      if (!equalValues(read, value)) throw new Error(`${written} reads back as ${formatText(read)}`);
    }
  });

  test('the calendar agrees with the runtime on every tenth day of ten thousand years', () => {
    for (let days = -719162; days <= 2932896; days += 10) {
      const expected = new Date(days * 86_400_000).toISOString().slice(0, 10);
      const written = formatScalar({ type: 'date', data: days });
      if (written !== expected) throw new Error(`${days}: ${written} instead of ${expected}`);
      const read = parseText('date', written);
      if (read.data !== days) throw new Error(`${written}: ${read.data} instead of ${days}`);
    }
  });
});

/** Dates before October 1582 have the same year, month and day in Java, but a different day of the epoch. */
const IGNITE_KEYS: ReadonlyArray<readonly [type: ScalarTypeName, text: string, shown: string]> = [
  ['date', '2018-01-02', 'Jan 2, 2018, 12:00:00 AM'],
  ['date', '0001-01-01', 'Jan 1, 1, 12:00:00 AM'],
  ['time', '10:11:12', 'Jan 1, 1970, 10:11:12 AM'],
  ['timestamp', '2018-02-18 13:02:03.5', 'Feb 18, 2018, 1:02:03 PM'],
  ['uuid', UUID, UUID],
  ['double', '1', '1.0'],
];

test.each(IGNITE_KEYS)('in compatibility mode the key %s %s is formatted as %s', (type, text, shown) => {
  expect(formatIgniteKey(readScalar(type, text))).toBe(shown);
});

test.each(['1e999999999', '1e-999999999', '1e1001', `0.${'0'.repeat(900)}1e-100`])(
  'the decimal %.20s is beyond the bound',
  (written) => {
    expect(() => parseText('decimal', written)).toThrow(
      'A decimal can have at most 1000 digits and a scale from -1000',
    );
  },
);

test.each(['1e1000', '1e-1000', '7'.repeat(1_000)])('the decimal %.20s is within the bound', (written) => {
  expect(() => parseText('decimal', written)).not.toThrow();
});

test('long Base64 is accepted', () => {
  expect(parseText('bytes', 'AAAA'.repeat(4_000_000)).data.length).toBe(12_000_000);
});

test('a text beyond the bound is no value of a type other than string and binary', () => {
  for (const type of ['integer', 'long', 'float', 'double', 'date', 'timestamp', 'uuid', 'boolean'] as const) {
    expect(() => parseText(type, '1'.repeat(SCALAR_CHARACTERS + 1))).toThrow(
      `more than ${SCALAR_CHARACTERS} characters`,
    );
  }
  expect(parseText('double', `1${'0'.repeat(SCALAR_CHARACTERS - 1)}`).data).toBe(Number.POSITIVE_INFINITY);
  expect(parseText('string', '1'.repeat(SCALAR_CHARACTERS + 1)).data).toHaveLength(SCALAR_CHARACTERS + 1);
});

test.each(['double', 'float'] as const)('a long text that is not a %s is rejected in linear time', (type) => {
  const startMs = performance.now();
  expect(() => SCALAR_TRAITS[type].parse(`${'1'.repeat(1_000_000)}x`)).toThrow();
  expect(performance.now() - startMs).toBeLessThan(5_000);
});
