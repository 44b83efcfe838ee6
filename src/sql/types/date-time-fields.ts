/** The fields of dates and times, for EXTRACT, DATEADD, DATEDIFF and DATE_TRUNC. */

import { civilFromDays } from '../../values/calendar.ts';
import {
  addMonths,
  dayOfWeek,
  dayOfYear,
  daysOfTimestamp,
  floorDivide,
  isoDayOfWeek,
  NS_PER_DAY,
  NS_PER_MS,
  NS_PER_SECOND,
  nanosOfDay,
  timestampOf,
  weekOfYear,
} from './calendar-arithmetic.ts';

export type DateTimeField =
  | 'YEAR'
  | 'QUARTER'
  | 'MONTH'
  | 'WEEK'
  | 'DAY_OF_MONTH'
  | 'HOUR'
  | 'MINUTE'
  | 'SECOND'
  | 'MILLISECOND'
  | 'MICROSECOND'
  | 'NANOSECOND'
  | 'DAY_OF_YEAR'
  | 'DAY_OF_WEEK'
  | 'ISO_DAY_OF_WEEK'
  | 'ISO_WEEK'
  | 'EPOCH'
  | 'TIMEZONE_HOUR'
  | 'TIMEZONE_MINUTE';

/** A field of the wall clock time. */
export type CalendarField = Exclude<DateTimeField, 'EPOCH' | 'TIMEZONE_HOUR' | 'TIMEZONE_MINUTE'>;

/** The names of each field in statements. */
const FIELD_NAMES: ReadonlyMap<string, DateTimeField> = new Map(
  Object.entries({
    YEAR: 'YEAR YYYY YY SQL_TSI_YEAR',
    QUARTER: 'QUARTER SQL_TSI_QUARTER',
    MONTH: 'MONTH MM M SQL_TSI_MONTH',
    WEEK: 'WEEK WW WK SQL_TSI_WEEK',
    DAY_OF_MONTH: 'DAY DD D SQL_TSI_DAY DAY_OF_MONTH DAYOFMONTH',
    HOUR: 'HOUR HH SQL_TSI_HOUR',
    MINUTE: 'MINUTE MI N SQL_TSI_MINUTE',
    SECOND: 'SECOND SS S SQL_TSI_SECOND',
    MILLISECOND: 'MILLISECOND MILLISECONDS MS',
    MICROSECOND: 'MICROSECOND MICROSECONDS MCS',
    NANOSECOND: 'NANOSECOND NS',
    DAY_OF_YEAR: 'DAY_OF_YEAR DAYOFYEAR DY DOY',
    DAY_OF_WEEK: 'DAY_OF_WEEK DAYOFWEEK DOW',
    ISO_DAY_OF_WEEK: 'ISO_DAY_OF_WEEK',
    ISO_WEEK: 'ISO_WEEK',
    EPOCH: 'EPOCH',
    TIMEZONE_HOUR: 'TIMEZONE_HOUR',
    TIMEZONE_MINUTE: 'TIMEZONE_MINUTE',
  } satisfies Record<DateTimeField, string>).flatMap(([field, names]) =>
    names.split(' ').map((name) => [name, field as DateTimeField] as const),
  ),
);

/** Returns the field for a unit name of EXTRACT, DATEADD or DATEDIFF, in any letter case. */
export function findField(name: string): DateTimeField | undefined {
  return FIELD_NAMES.get(name.toUpperCase());
}

const SUB_SECONDS: ReadonlyMap<DateTimeField, bigint> = new Map<DateTimeField, bigint>([
  ['HOUR', 3_600n * NS_PER_SECOND],
  ['MINUTE', 60n * NS_PER_SECOND],
  ['SECOND', NS_PER_SECOND],
  ['EPOCH', NS_PER_SECOND],
  ['MILLISECOND', NS_PER_MS],
  ['MICROSECOND', 1_000n],
  ['NANOSECOND', 1n],
]);

const MONTHS_PER: ReadonlyMap<DateTimeField, number> = new Map<DateTimeField, number>([
  ['YEAR', 12],
  ['QUARTER', 3],
  ['MONTH', 1],
]);

export function startOfDay(nanos: bigint): bigint {
  return floorDivide(nanos, NS_PER_DAY) * NS_PER_DAY;
}

const secondOf = (nanos: bigint): number => Number(nanosOfDay(nanos) / NS_PER_SECOND);
const fractionOf = (nanos: bigint): number => Number(nanosOfDay(nanos) % NS_PER_SECOND);

const FIELD_READERS: { readonly [F in CalendarField]: (nanos: bigint) => number } = {
  YEAR: (nanos) => civilFromDays(daysOfTimestamp(nanos)).year,
  QUARTER: (nanos) => Math.floor((civilFromDays(daysOfTimestamp(nanos)).month - 1) / 3) + 1,
  MONTH: (nanos) => civilFromDays(daysOfTimestamp(nanos)).month,
  WEEK: (nanos) => weekOfYear(daysOfTimestamp(nanos), 7, 1).week,
  DAY_OF_MONTH: (nanos) => civilFromDays(daysOfTimestamp(nanos)).day,
  HOUR: (nanos) => Math.floor(secondOf(nanos) / 3600),
  MINUTE: (nanos) => Math.floor(secondOf(nanos) / 60) % 60,
  SECOND: (nanos) => secondOf(nanos) % 60,
  MILLISECOND: (nanos) => Math.floor(fractionOf(nanos) / 1_000_000),
  MICROSECOND: (nanos) => Math.floor(fractionOf(nanos) / 1_000),
  NANOSECOND: fractionOf,
  DAY_OF_YEAR: (nanos) => dayOfYear(daysOfTimestamp(nanos)),
  DAY_OF_WEEK: (nanos) => dayOfWeek(daysOfTimestamp(nanos)),
  ISO_DAY_OF_WEEK: (nanos) => isoDayOfWeek(daysOfTimestamp(nanos)),
  ISO_WEEK: (nanos) => weekOfYear(daysOfTimestamp(nanos), 1, 4).week,
};

/** Returns a field of a timestamp. */
export function extractField(field: CalendarField, nanos: bigint): number {
  return FIELD_READERS[field](nanos);
}

/** Adds `count` units to a timestamp. */
export function addField(field: DateTimeField, count: bigint, nanos: bigint): bigint {
  const months = MONTHS_PER.get(field);
  if (months !== undefined) {
    return timestampOf(addMonths(daysOfTimestamp(nanos), Number(count) * months), nanosOfDay(nanos));
  }
  const unit = SUB_SECONDS.get(field);
  if (unit !== undefined) return nanos + count * unit;
  if (field === 'WEEK' || field === 'ISO_WEEK') return nanos + count * 7n * NS_PER_DAY;
  return nanos + count * NS_PER_DAY;
}

/** Returns the number of unit boundaries between timestamps. */
export function differenceInField(field: DateTimeField, from: bigint, to: bigint): bigint {
  const unit = SUB_SECONDS.get(field);
  if (unit !== undefined) return floorDivide(to, unit) - floorDivide(from, unit);
  const [first, second] = [daysOfTimestamp(from), daysOfTimestamp(to)];
  const months = MONTHS_PER.get(field);
  if (months !== undefined) {
    const count = (days: number): number => {
      const { year, month } = civilFromDays(days);
      return Math.floor((year * 12 + month - 1) / months);
    };
    return BigInt(count(second) - count(first));
  }
  // A week begins on Sunday, an ISO week on Monday; 1970-01-01 was a Thursday.
  if (field === 'WEEK') return BigInt(Math.floor((second + 4) / 7) - Math.floor((first + 4) / 7));
  if (field === 'ISO_WEEK') return BigInt(Math.floor((second + 3) / 7) - Math.floor((first + 3) / 7));
  return BigInt(second - first);
}
