import { expect, test } from 'bun:test';
import { civilFromDays, daysFromCivil } from '../../values/calendar.ts';
import {
  addMonths,
  dayOfWeek,
  dayOfYear,
  daysOfTimestamp,
  isoDayOfWeek,
  nanosOfDay,
  timestampOf,
  weekOfYear,
} from './calendar-arithmetic.ts';
import { formatDate, formatTime, formatTimestamp, parseDate, parseTime, parseTimestamp } from './date-time.ts';
import { addField, type DateTimeField, differenceInField, findField } from './date-time-fields.ts';
import { localZoneOffsetMs, zoneOffsetMs } from './time-zones.ts';

const TIMESTAMPS: ReadonlyArray<readonly [string, string]> = [
  ['1970-01-01', '1970-01-01 00:00:00'],
  ['1969-12-31 23:59:59.999999999', '1969-12-31 23:59:59.999999999'],
  ['2020-02-29 00:00:00.100', '2020-02-29 00:00:00.1'],
  ['0001-01-01 00:00:00', '0001-01-01 00:00:00'],
  ['-44-03-15 12:00:00', '-44-03-15 12:00:00'],
  ['12345-06-07 08:09:10', '12345-06-07 08:09:10'],
  ['2020-1-2 3:4:5', '2020-01-02 03:04:05'],
  ['2020-01-02T03:04:05Z', '2020-01-02 03:04:05'],
  ['2020-01-02 03:04:05+02:30', '2020-01-02 00:34:05'],
  ['2020-07-02 03:04:05 America/New_York', '2020-07-02 07:04:05'],
];

test.each(TIMESTAMPS)('the timestamp %s is formatted as %s', (text, shown) => {
  const nanos = parseTimestamp(text);
  expect(formatTimestamp(nanos)).toBe(shown);
  expect(parseTimestamp(shown)).toBe(nanos);
  expect(timestampOf(daysOfTimestamp(nanos), nanosOfDay(nanos))).toBe(nanos);
});

test.each(['', '2020', '2020-13-01', '2020-00-01', '2020-01-00', '2021-02-29', '1900-02-29', '2020-01-32', 'a-b-c'])(
  'the text "%s" is no date',
  (text) => {
    expect(() => parseDate(text)).toThrow('Cannot parse "DATE" constant');
  },
);

test.each(['', '1:2', '24:00:00', '1:60:0', '1:0:60', '-1:0:0', '1:2:3.x'])('"%s" is not a time', (text) => {
  expect(() => parseTime(text)).toThrow('Cannot parse "TIME" constant');
});

test('a time has nanoseconds', () => {
  expect(parseTime('10:11:12.3456')).toBe(36_672_345.6);
  expect(formatTime(36_672_345.6)).toBe('10:11:12.3456');
  expect(formatTime(parseTime('23:59:59.999999999'))).toBe('23:59:59.999999999');
  expect(formatTime(parseTime('00:00:00.000000001'))).toBe('00:00:00.000000001');
});

test('days convert to dates and back over four hundred years', () => {
  for (let days = daysFromCivil(1600, 1, 1); days <= daysFromCivil(2000, 12, 31); days += 13) {
    const { year, month, day } = civilFromDays(days);
    expect(formatDate(days)).toBe(new Date(days * 86_400_000).toISOString().slice(0, 10));
    expect(dayOfYear(days)).toBe(days - daysFromCivil(year, 1, 1) + 1);
    expect(isoDayOfWeek(days) % 7).toBe(new Date(Date.UTC(year, month - 1, day)).getUTCDay());
    expect(dayOfWeek(days)).toBe(new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 1);
  }
});

const WEEKS: ReadonlyArray<readonly [string, string, string]> = [
  ['2019-12-29', '2019-52', '2020-1'],
  ['2019-12-30', '2020-1', '2020-1'],
  ['2020-01-04', '2020-1', '2020-1'],
  ['2020-01-05', '2020-1', '2020-2'],
  ['2020-12-31', '2020-53', '2021-1'],
  ['2021-01-01', '2020-53', '2021-1'],
  ['2021-01-03', '2020-53', '2021-2'],
  ['2021-01-04', '2021-1', '2021-2'],
  ['2024-12-31', '2025-1', '2025-1'],
];

test.each(WEEKS)('%s is in ISO week %s, and in week %s when weeks begin on Sunday', (text, iso, sunday) => {
  const shown = (firstDay: number, minimalDays: number): string => {
    const { year, week } = weekOfYear(parseDate(text), firstDay, minimalDays);
    return `${year}-${week}`;
  };
  expect([shown(1, 4), shown(7, 1)]).toEqual([iso, sunday]);
});

test('adding months to the last day of a month yields the last day of a shorter one', () => {
  const added = (text: string, months: number): string => formatDate(addMonths(parseDate(text), months));
  expect(added('2020-01-31', 1)).toBe('2020-02-29');
  expect(added('2020-01-31', 13)).toBe('2021-02-28');
  expect(added('2020-03-31', -1)).toBe('2020-02-29');
  expect(added('2020-02-29', -12)).toBe('2019-02-28');
  expect(added('0001-01-31', -1)).toBe('0-12-31');
});

const FIELDS: readonly DateTimeField[] = [
  'YEAR',
  'QUARTER',
  'MONTH',
  'WEEK',
  'DAY_OF_MONTH',
  'HOUR',
  'SECOND',
  'NANOSECOND',
];

test.each([...FIELDS])('adding and subtracting %s crosses as many boundaries', (field) => {
  const start = parseTimestamp('2020-05-13 10:20:30.5');
  for (const count of [-40n, -1n, 0n, 1n, 7n, 400n]) {
    const end = addField(field, count, start);
    expect(differenceInField(field, start, end)).toBe(count);
    expect(differenceInField(field, end, start)).toBe(-count);
  }
});

test('units have names and abbreviations, in any letter case', () => {
  expect(['yy', 'MM', 'dd', 'hh', 'mi', 'ss', 'ms', 'mcs', 'ns'].map(findField)).toEqual([
    'YEAR',
    'MONTH',
    'DAY_OF_MONTH',
    'HOUR',
    'MINUTE',
    'SECOND',
    'MILLISECOND',
    'MICROSECOND',
    'NANOSECOND',
  ]);
  expect(findField('fortnight')).toBeUndefined();
});

test('zones are given by place, abbreviation or offset', () => {
  const winter = Date.UTC(2020, 0, 15);
  expect(zoneOffsetMs('Europe/Berlin', winter)).toBe(3_600_000);
  expect(zoneOffsetMs('PST', winter)).toBe(-28_800_000);
  expect(zoneOffsetMs('GMT+05:30', winter)).toBe(19_800_000);
  expect(zoneOffsetMs('UTC', winter)).toBe(0);
  expect(zoneOffsetMs('Nowhere/City', winter)).toBeUndefined();
  expect(localZoneOffsetMs('Europe/Berlin', Date.UTC(2020, 6, 15))).toBe(7_200_000);
});
