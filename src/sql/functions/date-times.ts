/** Functions on dates, times and timestamps, all in UTC. */

import { civilFromDays, daysFromCivil } from '../../values/calendar.ts';
import {
  addMonths,
  dayOfWeek,
  daysOfTimestamp,
  isoDayOfWeek,
  MS_PER_DAY,
  NS_PER_DAY,
  NS_PER_MS,
  NS_PER_SECOND,
  nanosOfDay,
  timestampOf,
  weekOfYear,
} from '../types/calendar-arithmetic.ts';
import { convert } from '../types/convert.ts';
import {
  addField,
  type DateTimeField,
  differenceInField,
  extractField,
  findField,
  startOfDay,
} from '../types/date-time-fields.ts';
import { decimal, isDecimal, stripTrailingZeros } from '../types/decimal.ts';
import { formatByPattern } from '../types/java-date-format.ts';
import { parseByPattern } from '../types/java-date-parser.ts';
import { sqlFailure } from '../types/sql-errors.ts';
import type { Constants, SqlData, SqlFunction, SqlType, SqlTypeName } from '../types/sql-types.ts';
import { isNumericType, javaClassOf } from '../types/type-order.ts';
import {
  BIGINT,
  type Call,
  DATE,
  DECIMAL,
  defineFunctions,
  type FunctionDeclaration,
  INTEGER,
  isConstantCall,
  TIME,
  TIMESTAMP,
  VARCHAR,
} from './definition.ts';
import { DAY_NAMES, MONTH_NAMES } from './names.ts';
import { formatMoment, parseMoment } from './to-char-date.ts';
import { formatNumber } from './to-char-number.ts';

function readField(name: string): DateTimeField {
  const field = findField(name);
  if (field === undefined) throw sqlFailure('INVALID_VALUE', name, 'date part');
  return field;
}

/** Returns the field that a constant argument names, or undefined. */
function constantField(constants: Constants | undefined, index: number): DateTimeField | undefined {
  const data = constants?.[index];
  return typeof data === 'string' ? findField(data) : undefined;
}

/** Declares a function that returns one number of a date or time. */
function part(
  names: readonly [string, ...string[]],
  summary: string,
  read: (nanos: bigint) => number,
): FunctionDeclaration {
  return {
    names,
    count: 1,
    argumentTypes: ['TIMESTAMP'],
    result: INTEGER,
    cheap: true,
    summary,
    compute: (call) => BigInt(read(call.long(0))),
  };
}

function partOfField(
  field: Exclude<DateTimeField, 'EPOCH'>,
  summary: string,
  ...names: [string, ...string[]]
): FunctionDeclaration {
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

/** Units of which DATEADD accepts more than an int. */
const SMALL_UNITS: ReadonlySet<DateTimeField> = new Set<DateTimeField>(['MILLISECOND', 'MICROSECOND', 'NANOSECOND']);

/** Returns the type of DATEADD: a date plus days is a date, a date plus hours a timestamp; a time stays a time. */
function typeOfSum(given: SqlType | undefined, field: DateTimeField | undefined): SqlTypeName {
  if (given?.name === 'TIME') return 'TIME';
  return given?.name === 'DATE' && field !== undefined && !CLOCK_FIELDS.has(field) ? 'DATE' : 'TIMESTAMP';
}

/** Ignite declares a timestamp for arguments that are not constant, but returns a date or time. */
function asTimestamp(type: SqlType, isConstant: boolean): SqlType {
  return isConstant || type.name === 'TIMESTAMP' ? type : { ...type, className: javaClassOf(TIMESTAMP) };
}

function addToMoment(call: Call): SqlData {
  const [name, count, data] = [call.text(0), call.long(1), call.data(2)];
  const field = readField(name);
  if (BigInt.asIntN(32, count) !== count && !SMALL_UNITS.has(field))
    throw sqlFailure('INVALID_VALUE', String(count), 'DATEADD count');
  if (typeof data === 'bigint') return addField(field, count, data);
  if (call.type(2).name === 'DATE') return daysOfTimestamp(addField(field, count, timestampOf(call.double(2))));
  if (!CLOCK_FIELDS.has(field)) throw sqlFailure('INVALID_VALUE', name, 'DATEADD time part');
  const sum = Number(addField(field, count, BigInt(call.double(2)) * NS_PER_MS) / NS_PER_MS) % MS_PER_DAY;
  return sum < 0 ? sum + MS_PER_DAY : sum;
}

function extract(call: Call): SqlData {
  const field = readField(call.text(0));
  if (field !== 'EPOCH') return BigInt(extractField(field, call.long(1)));
  return stripTrailingZeros(decimal(call.long(1), 9), 0);
}

/** Truncates a timestamp to a unit. */
function truncateTo(unit: string, nanos: bigint): bigint {
  const days = daysOfTimestamp(nanos);
  const { year, month } = civilFromDays(days);
  const clock = (size: bigint): bigint => nanos - (nanosOfDay(nanos) % size);
  const starts: Readonly<Record<string, () => bigint>> = {
    MICROSECONDS: () => clock(1_000n),
    MILLISECONDS: () => clock(NS_PER_MS),
    SECOND: () => clock(NS_PER_SECOND),
    MINUTE: () => clock(60n * NS_PER_SECOND),
    HOUR: () => clock(3600n * NS_PER_SECOND),
    DAY: () => startOfDay(nanos),
    WEEK: () => timestampOf(days - (isoDayOfWeek(days) - 1)),
    MONTH: () => timestampOf(daysFromCivil(year, month, 1)),
    QUARTER: () => timestampOf(daysFromCivil(year, month - ((month - 1) % 3), 1)),
    YEAR: () => timestampOf(daysFromCivil(year, 1, 1)),
    DECADE: () => timestampOf(daysFromCivil(year - (((year % 10) + 10) % 10), 1, 1)),
    CENTURY: () => timestampOf(daysFromCivil(year - ((((year - 1) % 100) + 100) % 100), 1, 1)),
    MILLENNIUM: () => timestampOf(daysFromCivil(year - ((((year - 1) % 1000) + 1000) % 1000), 1, 1)),
  };
  const start = starts[unit.toUpperCase()];
  if (start === undefined) throw sqlFailure('INVALID_VALUE', unit, 'date part');
  return start();
}

/** Returns the argument type of a function that accepts dates and times; everything else becomes a timestamp. */
function momentOrTime(given: SqlType | undefined): SqlTypeName {
  return given?.name === 'DATE' || given?.name === 'TIME' ? given.name : 'TIMESTAMP';
}

/** Returns the nanoseconds since the epoch of an argument of type {@link momentOrTime}. */
function nanosOf(call: Call, index: number): bigint {
  const data = call.data(index);
  if (typeof data === 'bigint') return data;
  return call.type(index).name === 'DATE' ? timestampOf(call.double(index)) : BigInt(call.double(index)) * NS_PER_MS;
}

/** Returns the nanoseconds at which the statement started, truncated to the requested fraction of a second. */
function now(call: Call): bigint {
  const digits = call.count > 0 ? Math.min(Math.max(call.integer(0), 0), 9) : 9;
  const unit = 10n ** BigInt(9 - digits);
  const nanos = BigInt(call.environment.nowMs) * NS_PER_MS;
  return nanos - (((nanos % unit) + unit) % unit);
}

const CURRENT: readonly FunctionDeclaration[] = [
  {
    names: ['CURRENT_DATE', 'CURDATE', 'TODAY', 'GETDATE'],
    count: 0,
    result: DATE,
    deterministic: false,
    cheap: true,
    summary: 'Returns the date on which the statement started.',
    compute: (call) => Math.floor(call.environment.nowMs / MS_PER_DAY),
  },
  {
    names: ['CURRENT_TIME', 'CURTIME', 'SYSTIME'],
    count: 0,
    result: TIME,
    deterministic: false,
    cheap: true,
    summary: 'Returns the time of the day at which the statement started.',
    compute: (call) => call.environment.nowMs - Math.floor(call.environment.nowMs / MS_PER_DAY) * MS_PER_DAY,
  },
  {
    names: ['CURRENT_TIMESTAMP', 'NOW', 'SYSDATE', 'SYSTIMESTAMP'],
    count: [0, 1],
    argumentTypes: ['INTEGER'],
    result: TIMESTAMP,
    deterministic: false,
    cheap: true,
    summary:
      'Returns the time at which the statement started, with the given number of fractional digits of the second.',
    compute: now,
  },
];

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
    cheap: true,
    summary: 'Adds a number of units to a date or time.',
    compute: addToMoment,
  },
  {
    names: ['DATEDIFF', 'TIMESTAMPDIFF'],
    count: 3,
    argumentTypes: ['VARCHAR', 'TIMESTAMP', 'TIMESTAMP'],
    result: BIGINT,
    cheap: true,
    summary: 'Returns the number of unit boundaries between two dates or times.',
    compute: (call) => differenceInField(readField(call.text(0)), call.long(1), call.long(2)),
  },
  {
    names: ['EXTRACT'],
    count: 2,
    argumentTypes: ['VARCHAR', 'TIMESTAMP'],
    result: (_, constants) => {
      if (constantField(constants, 0) !== 'EPOCH') return INTEGER;
      return constants?.[1] === undefined ? { ...DECIMAL, className: javaClassOf(INTEGER) } : DECIMAL;
    },
    cheap: true,
    summary: 'Returns a field of a date or time.',
    compute: extract,
  },
  {
    names: ['DAYNAME'],
    count: 1,
    argumentTypes: ['TIMESTAMP'],
    result: VARCHAR,
    cheap: true,
    summary: 'Returns the English name of the day of the week.',
    compute: (call) => DAY_NAMES[dayOfWeek(daysOfTimestamp(call.long(0))) - 1] ?? null,
  },
  {
    names: ['MONTHNAME'],
    count: 1,
    argumentTypes: ['TIMESTAMP'],
    result: VARCHAR,
    cheap: true,
    summary: 'Returns the English name of the month.',
    compute: (call) => MONTH_NAMES[extractField('MONTH', call.long(0)) - 1] ?? null,
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
      return formatByPattern(nanosOf(call, 0), call.text(1), optionalText(call, 2), optionalText(call, 3));
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
    argumentTypes: ['VARCHAR', 'TIMESTAMP'],
    result: TIMESTAMP,
    cheap: true,
    summary: 'Truncates a date or time to a unit, from microseconds to millennium.',
    compute: (call) => truncateTo(call.text(0), call.long(1)),
  },
  {
    names: ['ADD_MONTHS'],
    count: 2,
    argumentTypes: (given) => [given[0]?.name === 'DATE' ? 'DATE' : 'TIMESTAMP', 'INTEGER'],
    result: (given, constants) =>
      given[0]?.name === 'DATE' ? asTimestamp(DATE, isConstantCall(given, constants)) : TIMESTAMP,
    cheap: true,
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
  if (type.name === 'DATE' || type.name === 'TIME' || type.name === 'TIMESTAMP')
    return formatMoment(nanosOf(call, 0), pattern);
  if (!isNumericType(type.name)) return convert(data, type, VARCHAR);
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
    compute: (call) => parseMoment(name, call.text(0), optionalText(call, 1) || defaultPattern, call.environment.nowMs),
  };
}

function optionalText(call: Call, index: number): string | undefined {
  return call.has(index) ? call.text(index) : undefined;
}
