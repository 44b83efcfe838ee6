/** Texts that an Ignite node has returned for dates and timestamps. */
import { expect, test } from 'bun:test';
import { parseDate, parseTimestamp } from '../../../sql/types/date-time.ts';
import { igniteValue } from './ignite-values.ts';
import { encode } from './storage-values.ts';

test.each([
  ['2020-02-29', '2020-02-29'],
  ['0001-01-01', '0001-01-01'],
  ['0000-01-01', '0001-01-01'],
  ['-0001-05-05', '0002-05-05'],
  ['-0010-01-01', '0011-01-01'],
  ['1500-02-28', '1500-02-28'],
  ['1582-10-15', '1582-10-15'],
  ['9999-12-31', '9999-12-31'],
  ['10000-01-01', '0000-01-01'],
  ['99999-12-31', '9999-12-31'],
  ['299999999-12-31', '8208-09-30'],
])('the date %s is %s', (date, expected) => {
  const type = { name: 'DATE' } as const;
  expect(igniteValue(type, encode(type, parseDate(date)))).toEqual({ type: 'string', data: expected });
});

test.each([
  ['2020-02-29 01:02:03', '2020-02-29 01:02:03.0'],
  ['2020-02-29 01:02:03.123456789', '2020-02-29 01:02:03.123456789'],
  ['1969-12-31 23:59:59.5', '1969-12-31 23:59:59.5'],
  ['1500-02-28 00:00:00', '1500-02-28 00:00:00.0'],
  ['-0001-05-05 01:02:03', '0002-05-05 01:02:03.0'],
  ['0000-01-01 00:00:00', '0001-01-01 00:00:00.0'],
  ['99999-12-31 11:22:33.5', '99999-12-31 11:22:33.5'],
  ['299999999-12-31 11:22:33', '284548208-09-30 20:56:41.0'],
  ['1000000000-12-31 00:00:00', '169104627-12-10 19:08:16.0'],
  ['-1000000000-01-01 00:00:00', '169087564-03-14 04:51:43.0'],
])('the timestamp %s is %s', (timestamp, expected) => {
  const type = { name: 'TIMESTAMP' } as const;
  expect(igniteValue(type, encode(type, parseTimestamp(timestamp)))).toEqual({ type: 'string', data: expected });
});
