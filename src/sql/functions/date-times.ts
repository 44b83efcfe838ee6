/** Functions on dates, times and timestamps, all in UTC. */

import { sqlFailure } from '../../base/sql-errors.ts';
import {
  addMonths,
  dayOfWeek,
  daysOfTimestamp,
  NS_PER_DAY,
  nanosOfDay,
  nanosOfTime,
  timeOfNanos,
  timestampOf,
  weekOfYear,
} from '../types/calendar-arithmetic.ts';
import { convert } from '../types/convert.ts';
import {
  addField,
  type CalendarField,
  type DateTimeField,
  differenceInField,
  extractField,
} from '../types/date-time-fields.ts';
import { decimal, isDecimal, stripTrailingZeros } from '../types/decimal.ts';
import { formatByPattern } from '../types/java-date-format.ts';
import { parseByPattern } from '../types/java-date-parser.ts';
import type { SqlData, SqlFunction, SqlType, SqlTypeName } from '../types/sql-types.ts';
import { isNumericType, javaClassOf } from '../types/type-order.ts';
import {
  formatZoned,
  instantOfZoned,
  parseZoned,
  withLaterOffset,
  withLocal,
  zoneNameOf,
} from '../types/zoned-timestamp.ts';
import { CURRENT } from './current-time.ts';
import { constantField, readField, truncateTo } from './date-units.ts';
import {
  BIGINT,
  type Call,
  DATE,
  DECIMAL,
  defineFunctions,
  type FunctionDeclaration,
  INTEGER,
  isConstantCall,
  NULL,
  TIMESTAMP,
  VARCHAR,
} from './definition.ts';
import { DAY_NAMES, MONTH_NAMES } from './names.ts';
import { parseMoment } from './parse-moment.ts';
import { formatMoment } from './to-char-date.ts';
import { formatNumber } from './to-char-number.ts';

/**
 * Returns the type of an argument that becomes a timestamp. A time zone is kept, because the wall clock time counts.
 */
function timestampType(given: SqlType | undefined): SqlTypeName {
  return given?.name === 'TIMESTAMP_TZ' ? 'TIMESTAMP_TZ' : 'TIMESTAMP';
}

/** Returns the wall clock time of an argument of type {@link timestampType}. */
function localNanos(call: Call, index: number): bigint {
  return call.type(index).name === 'TIMESTAMP_TZ' ? parseZoned(call.text(index)).local : call.long(index);
}

/** Applies a function to the wall clock time of an argument of type {@link timestampType}. */
function changedLocally(call: Call, index: number, change: (nanos: bigint) => bigint): SqlData {
  if (call.type(index).name === 'TIMESTAMP_TZ') return withLocal(call.text(index), change);
  return change(call.long(index));
}

/** Declares a function that returns one field of a date or time as a number. */
function part(
  names: readonly [string, ...string[]],
  summary: string,
  read: (nanos: bigint) => number,
): FunctionDeclaration {
  return {
    names,
    count: 1,
    argumentTypes: (given) => [timestampType(given[0])],
    result: INTEGER,
    summary,
    compute: (call) => BigInt(read(localNanos(call, 0))),
  };
}

function partOfField(field: CalendarField, summary: string, ...names: [string, ...string[]]): FunctionDeclaration {
  return part(names, summary, (nanos) => extractField(field, nanos));
}

const CLOCK_FIELDS: ReadonlySet<DateTimeField> = new Set<DateTimeField>([
  'HOUR',
  'MINUTE',
  'SECOND',
  'MILLISECOND',
  'MICROSECOND',
  'NANOSECOND',
  'EPOCH',
]);

/** Units in which DATEADD accepts more than an int. */
const SMALL_UNITS: ReadonlySet<DateTimeField> = new Set<DateTimeField>(['MILLISECOND', 'MICROSECOND', 'NANOSECOND']);

/** Returns the type of DATEADD: a date plus days is a date, a date plus hours a timestamp; a time stays a time. */
function typeOfSum(given: SqlType | undefined, field: DateTimeField | undefined): SqlTypeName {
  if (given?.name === 'TIME' || given?.name === 'TIMESTAMP_TZ') return given.name;
  return given?.name === 'DATE' && field !== undefined && !CLOCK_FIELDS.has(field) ? 'DATE' : 'TIMESTAMP';
}

/** Ignite declares a timestamp for arguments that are not constant, but returns a date or time. */
function asTimestamp(type: SqlType, isConstant: boolean): SqlType {
  return isConstant || type.name === 'TIMESTAMP' || type.name === 'TIMESTAMP_TZ'
    ? type
    : { ...type, className: javaClassOf(TIMESTAMP) };
}

function addToMoment(call: Call): SqlData {
  const [name, count, data] = [call.text(0), call.long(1), call.data(2)];
  const field = readField(name);
  if (BigInt.asIntN(32, count) !== count && !SMALL_UNITS.has(field))
    throw sqlFailure('INVALID_VALUE', String(count), 'DATEADD count');
  if (field === 'TIMEZONE_HOUR' || field === 'TIMEZONE_MINUTE') {
    if (typeof data !== 'string') throw sqlFailure('FEATURE_UNSUPPORTED', `DATEADD ${field}`);
    return withLaterOffset(data, field === 'TIMEZONE_HOUR' ? count * 60n : count);
  }
  if (typeof data === 'bigint') return addField(field, count, data);
  if (typeof data === 'string') return withLocal(data, (local) => addField(field, count, local));
  if (call.type(2).name === 'DATE') return daysOfTimestamp(addField(field, count, timestampOf(call.double(2))));
  if (!CLOCK_FIELDS.has(field)) throw sqlFailure('INVALID_VALUE', name, 'DATEADD time part');
  return timeOfNanos(nanosOfDay(addField(field, count, nanosOfTime(call.double(2)))));
}

function difference(call: Call): SqlData {
  const field = readField(call.text(0));
  const offset = (index: number): number =>
    call.type(index).name === 'TIMESTAMP_TZ' ? parseZoned(call.text(index)).offsetMinutes : 0;
  if (field === 'TIMEZONE_MINUTE') return BigInt(offset(2) - offset(1));
  if (field === 'TIMEZONE_HOUR') return BigInt(Math.trunc(offset(2) / 60) - Math.trunc(offset(1) / 60));
  return differenceInField(field, localNanos(call, 1), localNanos(call, 2));
}

function extract(call: Call): SqlData {
  const field = readField(call.text(0));
  const zoned = call.type(1).name === 'TIMESTAMP_TZ' ? parseZoned(call.text(1)) : undefined;
  if (field === 'EPOCH') {
    const nanos = zoned === undefined ? call.long(1) : instantOfZoned(call.text(1));
    return stripTrailingZeros(decimal(nanos, 9), 0);
  }
  const offsetMinutes = zoned?.offsetMinutes ?? 0;
  if (field === 'TIMEZONE_HOUR') return BigInt(Math.trunc(offsetMinutes / 60));
  if (field === 'TIMEZONE_MINUTE') return BigInt(offsetMinutes % 60);
  return BigInt(extractField(field, localNanos(call, 1)));
}

/** Returns the argument type of a function that accepts dates and times; everything else becomes a timestamp. */
function momentOrTime(given: SqlType | undefined): SqlTypeName {
  return given?.name === 'DATE' || given?.name === 'TIME' ? given.name : timestampType(given);
}

/** Returns the nanoseconds since the epoch, by the wall clock, of an argument of type {@link momentOrTime}. */
function nanosOf(call: Call, index: number): bigint {
  const data = call.data(index);
  if (typeof data !== 'number') return localNanos(call, index);
  return call.type(index).name === 'DATE' ? timestampOf(data) : nanosOfTime(data);
}

const PARTS: readonly FunctionDeclaration[] = [
  partOfField('YEAR', 'Returns the year.', 'YEAR'),
  partOfField('QUARTER', 'Returns the quarter, 1 to 4.', 'QUARTER'),
  partOfField('MONTH', 'Returns the month, 1 to 12.', 'MONTH'),
  partOfField('WEEK', 'Returns the week of the year; weeks start on Sunday.', 'WEEK'),
  partOfField('DAY_OF_MONTH', 'Returns the day of the month, 1 to 31.', 'DAY_OF_MONTH', 'DAYOFMONTH', 'DAY'),
  partOfField('DAY_OF_YEAR', 'Returns the day of the year, 1 to 366.', 'DAY_OF_YEAR', 'DAYOFYEAR'),
  partOfField('DAY_OF_WEEK', 'Returns the day of the week; 1 is Sunday.', 'DAY_OF_WEEK', 'DAYOFWEEK'),
  partOfField('ISO_DAY_OF_WEEK', 'Returns the day of the week; 1 is Monday.', 'ISO_DAY_OF_WEEK'),
  partOfField('ISO_WEEK', 'Returns the ISO week, 1 to 53.', 'ISO_WEEK'),
  part(['ISO_YEAR'], 'Returns the year of the ISO week.', (nanos) => weekOfYear(daysOfTimestamp(nanos), 1, 4).year),
  partOfField('HOUR', 'Returns the hour, 0 to 23.', 'HOUR'),
  partOfField('MINUTE', 'Returns the minute.', 'MINUTE'),
  partOfField('SECOND', 'Returns the second.', 'SECOND'),
];

export const DATE_TIME_FUNCTIONS: readonly SqlFunction[] = defineFunctions('datetime', [
  ...CURRENT,
  ...PARTS,
  {
    names: ['DATEADD', 'TIMESTAMPADD'],
    count: 3,
    argumentTypes: (given, constants) => ['VARCHAR', 'BIGINT', typeOfSum(given[2], constantField(constants, 0))],
    result: (given, constants) =>
      asTimestamp({ name: typeOfSum(given[2], constantField(constants, 0)) }, isConstantCall(given, constants)),
    summary: 'Adds a number of units to a date or time.',
    compute: addToMoment,
  },
  {
    names: ['DATEDIFF', 'TIMESTAMPDIFF'],
    count: 3,
    argumentTypes: (given) => ['VARCHAR', timestampType(given[1]), timestampType(given[2])],
    result: BIGINT,
    summary: 'Returns the number of unit boundaries between two dates or times.',
    compute: difference,
  },
  {
    names: ['EXTRACT'],
    count: 2,
    argumentTypes: (given) => ['VARCHAR', timestampType(given[1])],
    result: (_, constants) => {
      if (constantField(constants, 0) !== 'EPOCH') return INTEGER;
      return constants?.[1] === undefined ? { ...DECIMAL, className: javaClassOf(INTEGER) } : DECIMAL;
    },
    summary: 'Returns a field of a date or time.',
    compute: extract,
  },
  {
    names: ['DAYNAME'],
    count: 1,
    argumentTypes: (given) => [timestampType(given[0])],
    result: VARCHAR,
    summary: 'Returns the English name of the day of the week.',
    compute: (call) => DAY_NAMES[dayOfWeek(daysOfTimestamp(localNanos(call, 0))) - 1] ?? null,
  },
  {
    names: ['MONTHNAME'],
    count: 1,
    argumentTypes: (given) => [timestampType(given[0])],
    result: VARCHAR,
    summary: 'Returns the English name of the month.',
    compute: (call) => MONTH_NAMES[extractField('MONTH', localNanos(call, 0)) - 1] ?? null,
  },
  {
    names: ['FORMATDATETIME'],
    count: [2, 4],
    argumentTypes: (given) => [momentOrTime(given[0]), 'VARCHAR'],
    result: VARCHAR,
    nullOnNull: false,
    cheap: false,
    summary: 'Formats a date or time with a format of java.text.SimpleDateFormat, a language and a time zone.',
    compute: (call) => {
      if (!call.has(0) || !call.has(1)) return null;
      const [pattern, locale, zone] = [call.text(1), optionalText(call, 2), optionalText(call, 3)];
      if (call.type(0).name !== 'TIMESTAMP_TZ') return formatByPattern(nanosOf(call, 0), pattern, locale, zone);
      const text = call.text(0);
      return formatByPattern(instantOfZoned(text), pattern, locale, zone ?? zoneNameOf(text));
    },
  },
  {
    names: ['PARSEDATETIME'],
    count: [2, 4],
    argumentTypes: ['VARCHAR'],
    result: TIMESTAMP,
    nullOnNull: false,
    cheap: false,
    summary: 'Parses a date or time with a format of java.text.SimpleDateFormat, a language and a time zone.',
    compute: (call) => {
      if (!call.has(0) || !call.has(1)) return null;
      return parseByPattern(call.text(0), call.text(1), optionalText(call, 2), optionalText(call, 3));
    },
  },
  momentReader('TO_DATE', 'DD MON YYYY'),
  momentReader('TO_TIMESTAMP', 'DD MON YYYY HH:MI:SS'),
  {
    names: ['TO_TIMESTAMP_TZ'],
    count: [1, 3],
    argumentTypes: ['VARCHAR'],
    result: { name: 'TIMESTAMP_TZ' },
    deterministic: false,
    cheap: false,
    summary: 'Parses a timestamp and its time zone with a format such as YYYY-MM-DD HH24:MI:SS TZH:TZM.',
    compute: (call) => {
      const pattern = optionalText(call, 1) || 'DD MON YYYY HH:MI:SS TZR';
      return formatZoned(parseMoment('TO_TIMESTAMP_TZ', call.text(0), pattern, call.environment.nowMs));
    },
  },
  {
    names: ['TO_CHAR'],
    count: [1, 3],
    argumentTypes: ['any', 'VARCHAR', 'VARCHAR'],
    result: VARCHAR,
    cheap: false,
    summary: 'Formats a number, date or time with a format such as 9,990.00 or YYYY-MM-DD.',
    compute: toChar,
  },
  {
    names: ['DATE_TRUNC'],
    count: 2,
    argumentTypes: (given) => ['VARCHAR', timestampType(given[1])],
    // Ignite declares no type for arguments that are not constant.
    result: (given, constants) => ({
      name: timestampType(given[1]),
      ...(isConstantCall(given, constants) ? {} : { className: javaClassOf(NULL) }),
    }),
    summary: 'Truncates a date or time to a unit, from microseconds to millennium.',
    compute: (call) => changedLocally(call, 1, (nanos) => truncateTo(call.text(0), nanos)),
  },
  {
    names: ['ADD_MONTHS'],
    count: 2,
    argumentTypes: (given) => [given[0]?.name === 'DATE' ? 'DATE' : 'TIMESTAMP', 'INTEGER'],
    result: (given, constants) =>
      given[0]?.name === 'DATE' ? asTimestamp(DATE, isConstantCall(given, constants)) : TIMESTAMP,
    summary: 'Adds a number of months to a date or timestamp.',
    compute: (call) => {
      const data = call.data(0);
      if (typeof data !== 'bigint') return addMonths(call.double(0), call.integer(1));
      return BigInt(addMonths(daysOfTimestamp(data), call.integer(1))) * NS_PER_DAY + nanosOfDay(data);
    },
  },
]);

/** Formats numbers and dates with a format; values of other types become strings. */
function toChar(call: Call): SqlData {
  const [data, type] = [call.data(0), call.type(0)];
  const pattern = optionalText(call, 1);
  if (['DATE', 'TIME', 'TIMESTAMP', 'TIMESTAMP_TZ'].includes(type.name)) return formatMoment(nanosOf(call, 0), pattern);
  // Ignite does not format TINYINT.
  if (!isNumericType(type.name) || type.name === 'TINYINT') return convert(data, type, VARCHAR);
  const number = convert(data, type, DECIMAL);
  return isDecimal(number) ? formatNumber(number, pattern) : null;
}

/** Declares a function that parses a timestamp with a format. */
function momentReader(name: string, defaultPattern: string): FunctionDeclaration {
  return {
    names: [name],
    count: [1, 3],
    argumentTypes: ['VARCHAR'],
    result: TIMESTAMP,
    deterministic: false,
    cheap: false,
    summary: 'Parses a date and time with a format such as YYYY-MM-DD HH24:MI:SS.FF.',
    compute: (call) => {
      const pattern = optionalText(call, 1) || defaultPattern;
      return parseMoment(name, call.text(0), pattern, call.environment.nowMs).local;
    },
  };
}

function optionalText(call: Call, index: number): string | undefined {
  return call.has(index) ? call.text(index) : undefined;
}
