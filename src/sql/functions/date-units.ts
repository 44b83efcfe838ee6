/** Units of time as arguments of functions, and truncation to them. */

import { sqlFailure } from '../../base/sql-errors.ts';
import { civilFromDays, daysFromCivil } from '../../values/calendar.ts';
import {
  daysOfTimestamp,
  isoDayOfWeek,
  NS_PER_MS,
  NS_PER_SECOND,
  nanosOfDay,
  timestampOf,
} from '../types/calendar-arithmetic.ts';
import { type DateTimeField, findField, startOfDay } from '../types/date-time-fields.ts';
import type { Constants } from '../types/sql-types.ts';

export function readField(name: string): DateTimeField {
  const field = findField(name);
  if (field === undefined) throw sqlFailure('INVALID_VALUE', name, 'date part');
  return field;
}

/** Returns the field that a constant argument names, or undefined. */
export function constantField(constants: Constants | undefined, index: number): DateTimeField | undefined {
  const data = constants?.[index];
  return typeof data === 'string' ? findField(data) : undefined;
}

/** Units that only DATE_TRUNC has. */
const LONG_UNITS: ReadonlyMap<string, number> = new Map([
  ['DECADE', 10],
  ['CENTURY', 100],
  ['MILLENNIUM', 1000],
]);

/** Truncates a timestamp to a unit. */
export function truncateTo(unit: string, nanos: bigint): bigint {
  const days = daysOfTimestamp(nanos);
  const { year, month } = civilFromDays(days);
  const years = LONG_UNITS.get(unit.toUpperCase());
  if (years !== undefined) {
    // A decade begins with the year 0, a century and a millennium with the year 1.
    const first = years === 10 ? 0 : 1;
    return timestampOf(daysFromCivil(year - ((((year - first) % years) + years) % years), 1, 1));
  }
  const clock = (size: bigint): bigint => nanos - (nanosOfDay(nanos) % size);
  const field = readField(unit);
  switch (field) {
    case 'MICROSECOND':
      return clock(1_000n);
    case 'MILLISECOND':
      return clock(NS_PER_MS);
    case 'SECOND':
      return clock(NS_PER_SECOND);
    case 'MINUTE':
      return clock(60n * NS_PER_SECOND);
    case 'HOUR':
      return clock(3600n * NS_PER_SECOND);
    case 'DAY_OF_MONTH':
      return startOfDay(nanos);
    case 'WEEK':
      return timestampOf(days - (isoDayOfWeek(days) - 1));
    case 'MONTH':
      return timestampOf(daysFromCivil(year, month, 1));
    case 'QUARTER':
      return timestampOf(daysFromCivil(year, month - ((month - 1) % 3), 1));
    case 'YEAR':
      return timestampOf(daysFromCivil(year, 1, 1));
    case 'NANOSECOND':
    case 'DAY_OF_YEAR':
    case 'DAY_OF_WEEK':
    case 'ISO_DAY_OF_WEEK':
    case 'ISO_WEEK':
    case 'EPOCH':
    case 'TIMEZONE_HOUR':
    case 'TIMEZONE_MINUTE':
      throw sqlFailure('FEATURE_UNSUPPORTED', unit);
  }
}
