/** Converts values between SQL types, for CAST and implicitly. */

import { sqlFailure } from '../../base/sql-errors.ts';
import { SqlFailure } from '../../base/sql-failure.ts';
import {
  fewDigits,
  formatDouble,
  formatFloat,
  LONG_MAX,
  LONG_MIN,
  parseDouble,
  parseFloat32,
  parseLong,
  trimJava,
} from '../../values/java-number.ts';
import type { Decimal } from '../../values/value.ts';
import {
  daysOfTimestamp,
  floorDivide,
  NS_PER_DAY,
  nanosOfDay,
  nanosOfTime,
  timeOfNanos,
  timestampOf,
} from './calendar-arithmetic.ts';
import { formatDate, formatTime, formatTimestamp, parseDate, parseTime, parseTimestamp } from './date-time.ts';
import {
  compare,
  decimal,
  formatDecimal,
  isDecimal,
  parseDecimal,
  precision,
  setScale,
  toBigInt,
  toDouble,
  toScientificString,
} from './decimal.ts';
import type { SqlData, SqlType, SqlTypeName } from './sql-types.ts';
import {
  elementType,
  fitsInteger,
  INTEGER_BITS,
  isNumericType,
  isTextType,
  typeOfData,
  typeTitle,
} from './type-order.ts';
import { formatZoned, instantOfZoned, parseZoned, withLocal, zonedOfInstant } from './zoned-timestamp.ts';

export function bytesToHex(bytes: Uint8Array): string {
  return bytes.toHex();
}

/** Decodes hexadecimal digits. Throws 90003 for an odd number of characters, 90004 for one that is not a digit. */
export function hexToBytes(text: string): Uint8Array {
  if (text.length % 2 !== 0) throw sqlFailure('HEX_LENGTH', text);
  if (!/^[0-9a-fA-F]*$/.test(text)) throw sqlFailure('HEX_DIGIT', text);
  return Uint8Array.fromHex(text);
}

/** Returns the string that CAST AS VARCHAR produces for a value in Ignite. */
export function textOf(data: Exclude<SqlData, null>, type: SqlType): string {
  if (typeof data === 'boolean') return data ? 'TRUE' : 'FALSE';
  if (typeof data === 'string') return data;
  if (typeof data === 'bigint') return type.name === 'TIMESTAMP' ? formatTimestamp(data) : data.toString();
  if (typeof data === 'number') {
    if (type.name === 'DATE') return formatDate(data);
    if (type.name === 'TIME') return formatTime(data);
    return type.name === 'REAL' ? formatFloat(data) : formatDouble(data);
  }
  if (data instanceof Uint8Array) return bytesToHex(data);
  if (isDecimal(data)) return formatDecimal(data);
  return `(${data.map((one, at) => (one === null ? 'null' : textOf(one, elementType(type, at, one)))).join(', ')})`;
}

/**
 * Converts a value to another type, for CAST and implicitly. Truncates strings and bytes to the target's precision and
 * rounds decimals to its scale. Throws 22018 for an invalid string, 22003 and 22004 for a number out of range and 22007
 * for an invalid date.
 */
export function convert(data: SqlData, from: SqlType, to: SqlType): SqlData {
  if (data === null) return null;
  try {
    return convertData(data, from, to);
  } catch (error) {
    if (!(error instanceof SqlFailure)) throw error;
    const text = typeof data === 'string' ? data : undefined;
    throw error.within({ conversion: { target: typeTitle(to.name), text } });
  }
}

function convertData(data: Exclude<SqlData, null>, from: SqlType, to: SqlType): SqlData {
  const source = from.name === 'UNKNOWN' || from.name === 'NULL' ? typeOfData(data) : from;
  switch (to.name) {
    case 'NULL':
    case 'UNKNOWN':
      return data;
    case 'BOOLEAN':
      return toBoolean(data, source);
    case 'TINYINT':
    case 'SMALLINT':
    case 'INTEGER':
    case 'BIGINT':
      return toInteger(data, source, to.name);
    case 'REAL': {
      const number = Math.fround(toFloating(data, source, parseFloat32));
      return number === 0 ? 0 : number;
    }
    case 'DOUBLE': {
      const number = toFloating(data, source, parseDouble);
      return number === 0 ? 0 : number;
    }
    case 'DECIMAL':
      return fitDecimal(toDecimal(data, source), to);
    case 'VARCHAR':
    case 'VARCHAR_IGNORECASE':
      return cutText(textOf(data, source), to.precision);
    case 'CHAR':
      return withoutBlanks(cutText(withoutBlanks(textOf(data, source)), to.precision));
    case 'DATE':
      return toDate(data, source);
    case 'TIME':
      return to.scale === undefined ? toTime(data, source) : roundTime(toTime(data, source), to.scale);
    case 'TIMESTAMP':
      return to.scale === undefined ? toTimestamp(data, source) : roundTimestamp(toTimestamp(data, source), to.scale);
    case 'TIMESTAMP_TZ':
      return to.scale === undefined ? toZoned(data, source) : roundZoned(toZoned(data, source), to.scale);
    case 'UUID':
      return source.name === 'UUID' ? data : parseUuid(textOf(data, source));
    case 'BINARY':
      return toBinary(data, source, to.precision);
    case 'ARRAY':
      return toArray(data, source, to);
    case 'OTHER':
      return toObject(data, source);
  }
}

/** An object converts only from its own JSON. */
function toObject(data: Exclude<SqlData, null>, source: SqlType): SqlData {
  if (source.name === 'OTHER') return data;
  throw sqlFailure('DATA_CONVERSION', textOf(data, source));
}

/** Returns the string without trailing spaces. */
function withoutBlanks(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 32) end -= 1;
  return text.slice(0, end);
}

function cutText(text: string, precision: number | undefined): string {
  return precision !== undefined && text.length > precision ? text.slice(0, precision) : text;
}

function toBoolean(data: Exclude<SqlData, null>, source: SqlType): boolean {
  if (typeof data === 'boolean') return data;
  if (typeof data === 'bigint' && source.name !== 'TIMESTAMP') return data !== 0n;
  if (typeof data === 'number' && isNumericType(source.name)) return data !== 0;
  if (isDecimal(data)) return data.unscaled !== 0n;
  const text = textOf(data, source);
  if (isTextType(source.name)) {
    if (/^(?:true|t|yes|y)$/i.test(text)) return true;
    if (/^(?:false|f|no|n)$/i.test(text)) return false;
    const number = parseDecimal(text);
    if (number !== undefined) return number.unscaled !== 0n;
  }
  throw sqlFailure('DATA_CONVERSION', text);
}

function toInteger(data: Exclude<SqlData, null>, source: SqlType, target: SqlTypeName): bigint {
  // Arguments of requests are strings of digits.
  const few = typeof data === 'string' ? fewDigits(data) : undefined;
  if (few !== undefined && few < 2 ** ((INTEGER_BITS.get(target) ?? 0) - 1)) return BigInt(few);
  if (typeof data === 'boolean') return data ? 1n : 0n;
  if (typeof data === 'bigint' && source.name !== 'TIMESTAMP') return withinInteger(data, target);
  if (typeof data === 'number' && isNumericType(source.name)) return withinInteger(longFromDouble(data), target);
  if (isDecimal(data)) return withinInteger(longFromDecimal(data), target);
  if (data instanceof Uint8Array && data.length > 0) {
    return BigInt.asIntN(INTEGER_BITS.get(target) ?? 64, BigInt(`0x${bytesToHex(data.subarray(-8))}`));
  }
  const text = textOf(data, source);
  const number = readNumber(text, () => parseLong(trimJava(text)));
  if (!fitsInteger(target, number)) throw sqlFailure('DATA_CONVERSION', text);
  return number;
}

function withinInteger(number: bigint, target: SqlTypeName): bigint {
  if (!fitsInteger(target, number)) throw sqlFailure('CONVERSION_OUT_OF_RANGE', number.toString());
  return number;
}

/** Rounds half towards positive infinity, as Java's Math.round does. Returns 0 for NaN. */
export function longFromDouble(number: number): bigint {
  if (Number.isNaN(number)) return 0n;
  if (number > 2 ** 63 || number < -(2 ** 63)) throw sqlFailure('CONVERSION_OUT_OF_RANGE', formatDouble(number));
  // 0.49999999999999994 + 0.5 is 1 in doubles, so the fraction is compared separately.
  const floor = Math.floor(number);
  const rounded = BigInt(floor) + (number - floor >= 0.5 ? 1n : 0n);
  return rounded > LONG_MAX ? LONG_MAX : rounded;
}

function longFromDecimal(number: Decimal): bigint {
  if (compare(number, decimal(LONG_MAX)) > 0 || compare(number, decimal(LONG_MIN)) < 0) {
    throw sqlFailure('CONVERSION_OUT_OF_RANGE', toScientificString(number));
  }
  return toBigInt(number);
}

function toFloating(data: Exclude<SqlData, null>, source: SqlType, read: (text: string) => number): number {
  if (typeof data === 'boolean') return data ? 1 : 0;
  if (typeof data === 'bigint' && source.name !== 'TIMESTAMP') return Number(data);
  if (typeof data === 'number' && isNumericType(source.name)) return data;
  if (isDecimal(data)) return toDouble(data);
  const text = textOf(data, source);
  return readNumber(text, () => read(trimJava(text)));
}

/** Calls `read` and replaces its error by 22018. */
function readNumber<N>(text: string, read: () => N): N {
  try {
    return read();
  } catch {
    throw sqlFailure('DATA_CONVERSION', text);
  }
}

function toDecimal(data: Exclude<SqlData, null>, source: SqlType): Decimal {
  if (typeof data === 'boolean') return decimal(data ? 1n : 0n);
  if (typeof data === 'bigint' && source.name !== 'TIMESTAMP') return decimal(data);
  if (isDecimal(data)) return data;
  const text = textOf(data, source);
  const number = parseDecimal(trimJava(text));
  if (number === undefined) throw sqlFailure('DATA_CONVERSION', text);
  return number;
}

/** Rounds to the target's scale. Throws 22003 with the precision if the digits do not fit. */
export function fitDecimal(number: Decimal, target: SqlType): Decimal {
  const scaled = target.scale === undefined ? number : setScale(number, target.scale);
  if (target.precision !== undefined && precision(scaled) > target.precision)
    throw sqlFailure('OUT_OF_RANGE', String(target.precision));
  return scaled;
}

function toDate(data: Exclude<SqlData, null>, source: SqlType): SqlData {
  if (source.name === 'DATE') return data;
  if (source.name === 'TIME') return 0;
  if (source.name === 'TIMESTAMP' && typeof data === 'bigint') return daysOfTimestamp(data);
  if (source.name === 'TIMESTAMP_TZ' && typeof data === 'string') return daysOfTimestamp(instantOfZoned(data));
  return parseDate(trimJava(textOf(data, source)));
}

function toTime(data: Exclude<SqlData, null>, source: SqlType): SqlData {
  if (source.name === 'TIME') return data;
  if (source.name === 'DATE') return 0;
  if (source.name === 'TIMESTAMP' && typeof data === 'bigint') return timeOfNanos(nanosOfDay(data));
  if (source.name === 'TIMESTAMP_TZ' && typeof data === 'string') return timeOfNanos(nanosOfDay(instantOfZoned(data)));
  return parseTime(trimJava(textOf(data, source)));
}

function toTimestamp(data: Exclude<SqlData, null>, source: SqlType): SqlData {
  if (source.name === 'TIMESTAMP') return data;
  if (source.name === 'DATE' && typeof data === 'number') return timestampOf(data);
  if (source.name === 'TIME' && typeof data === 'number') return nanosOfTime(data);
  if (source.name === 'TIMESTAMP_TZ' && typeof data === 'string') return instantOfZoned(data);
  return parseTimestamp(trimJava(textOf(data, source)));
}

function toZoned(data: Exclude<SqlData, null>, source: SqlType): SqlData {
  if (source.name === 'TIMESTAMP_TZ') return data;
  if (source.name === 'DATE' || source.name === 'TIME' || source.name === 'TIMESTAMP') {
    const nanos = toTimestamp(data, source);
    if (typeof nanos === 'bigint') return zonedOfInstant(nanos);
  }
  return formatZoned(parseZoned(trimJava(textOf(data, source))));
}

/** Fractional digits of a second that CAST keeps for a type without a scale. */
export const CAST_SCALES: ReadonlyMap<SqlTypeName, number> = new Map<SqlTypeName, number>([
  ['TIME', 0],
  ['TIMESTAMP', 6],
  ['TIMESTAMP_TZ', 6],
]);

/** Like {@link convert}, but rounds a TIME to seconds and timestamps to microseconds, as CAST does. */
export function cast(data: SqlData, from: SqlType, to: SqlType): SqlData {
  const scale = to.scale ?? CAST_SCALES.get(to.name);
  return convert(data, from, scale === undefined ? to : { ...to, scale });
}

/** Rounds half up, but not beyond the end of the day. */
function roundTime(data: SqlData, digits: number): SqlData {
  if (typeof data !== 'number' || digits >= 9) return data;
  const rounded = roundTimestamp(nanosOfTime(data), digits);
  const last = NS_PER_DAY - 10n ** BigInt(9 - digits);
  return typeof rounded === 'bigint' ? timeOfNanos(rounded > last ? last : rounded) : data;
}

function roundZoned(data: SqlData, digits: number): SqlData {
  if (typeof data !== 'string') return data;
  return withLocal(data, (local) => {
    const rounded = roundTimestamp(local, digits);
    return typeof rounded === 'bigint' ? rounded : local;
  });
}

function roundTimestamp(data: SqlData, digits: number): SqlData {
  if (typeof data !== 'bigint' || digits >= 9) return data;
  const unit = 10n ** BigInt(9 - digits);
  return floorDivide(data + unit / 2n, unit) * unit;
}

/**
 * Parses a UUID from hexadecimal digits and ignores dashes and spaces. Fewer than 32 digits are aligned to the right.
 * Throws 22018 for any other character.
 */
export function parseUuid(text: string): string {
  let high = 0n;
  let low = 0n;
  let digits = 0;
  for (const character of text) {
    if (character === '-' || character <= ' ') continue;
    if (!/[0-9a-fA-F]/.test(character)) throw sqlFailure('DATA_CONVERSION', text);
    low = BigInt.asUintN(64, (low << 4n) | BigInt(`0x${character}`));
    digits += 1;
    if (digits === 16) {
      high = low;
      low = 0n;
    }
  }
  const hex = high.toString(16).padStart(16, '0') + low.toString(16).padStart(16, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

function toBinary(data: Exclude<SqlData, null>, source: SqlType, limit: number | undefined): Uint8Array {
  const bytes = binaryOf(data, source);
  return limit !== undefined && bytes.length > limit ? bytes.slice(0, limit) : bytes;
}

function binaryOf(data: Exclude<SqlData, null>, source: SqlType): Uint8Array {
  if (data instanceof Uint8Array) return data;
  if (source.name === 'TIMESTAMP_TZ') throw sqlFailure('DATA_CONVERSION', textOf(data, source));
  const bits = INTEGER_BITS.get(source.name);
  if (typeof data === 'bigint' && bits !== undefined) {
    return hexToBytes(
      BigInt.asUintN(bits, data)
        .toString(16)
        .padStart(bits / 4, '0'),
    );
  }
  const text = textOf(data, source);
  return hexToBytes(source.name === 'UUID' ? text.replaceAll('-', '') : trimJava(text));
}

function toArray(data: Exclude<SqlData, null>, source: SqlType, to: SqlType): SqlData {
  if (!Array.isArray(data)) return [textOf(data, source)];
  const { element } = to;
  if (element === undefined) return data;
  return data.map((one: SqlData, at) => convert(one, elementType(source, at, one), element));
}
