/** How responses write numbers and dates (docs/spec/extensions.md 2). */
import { civilFromDays } from './calendar.ts';
import { formatExactTime, formatTime } from './scalar-formats.ts';
import { formatScalar } from './scalar-traits.ts';
import { text, type Value } from './value.ts';

/** The forms that a request asks for; plain data, so that it can be sent to other threads. */
export interface Notation {
  /** Longs, big integers and decimals are strings, so no client rounds them. */
  readonly numbersAsStrings: boolean;
  /** Dates, times and timestamps use ISO 8601. */
  readonly isoDates: boolean;
}

/** Returns a function that converts values to others, which the usual writers then write in a notation. */
export function notationConverter({ numbersAsStrings, isoDates }: Notation): (value: Value) => Value {
  const convert = (value: Value): Value => {
    switch (value.type) {
      case 'long':
      case 'bigInteger':
      case 'decimal':
        return numbersAsStrings ? text(formatScalar(value)) : value;
      case 'date':
        return isoDates ? text(isoDate(value.data)) : value;
      case 'time':
        return isoDates ? text(formatExactTime(value.data)) : value;
      case 'timestamp':
        return isoDates ? text(isoTimestamp(value.data)) : value;
      case 'instant':
        return isoDates ? text(new Date(value.data).toISOString()) : value;
      case 'list':
        return { type: 'list', data: value.data.map(convert) };
      case 'array':
        // An array of characters is written as a string.
        return value.element === 'char' ? value : { type: 'list', data: value.data.map(convert) };
      case 'map':
        return { type: 'map', data: value.data.map(([key, item]) => [convert(key), convert(item)] as const) };
      case 'object':
        return { ...value, fields: value.fields.map((field) => ({ ...field, value: convert(field.value) })) };
      case 'null':
      case 'boolean':
      case 'byte':
      case 'short':
      case 'integer':
      case 'float':
      case 'double':
      case 'char':
      case 'string':
      case 'uuid':
      case 'gridUuid':
      case 'bytes':
      case 'enum':
      case 'opaque':
        return value;
    }
  };
  return convert;
}

const DAY_NANOSECONDS = 86_400_000_000_000n;
const EXPANDED_YEAR_DIGITS = 6;

/** Writes days since 1970-01-01. Years outside 0000 to 9999 have a sign and six digits. */
function isoDate(days: number): string {
  const { year, month, day } = civilFromDays(days);
  const digits = String(Math.abs(year));
  const written =
    year >= 0 && year <= 9_999
      ? digits.padStart(4, '0')
      : `${year < 0 ? '-' : '+'}${digits.padStart(EXPANDED_YEAR_DIGITS, '0')}`;
  return `${written}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

/** Writes nanoseconds since the epoch, without a zone, because timestamps have none. */
function isoTimestamp(nanoseconds: bigint): string {
  const rest = nanoseconds % DAY_NANOSECONDS;
  const ofDay = rest < 0n ? rest + DAY_NANOSECONDS : rest;
  const days = Number((nanoseconds - ofDay) / DAY_NANOSECONDS);
  const time = formatTime(Number(ofDay / 1_000_000n));
  return `${isoDate(days)}T${time}${fraction(Number(ofDay % 1_000_000_000n), 9)}`;
}

function fraction(units: number, digits: number): string {
  return units === 0 ? '' : `.${String(units).padStart(digits, '0').replace(/0+$/, '')}`;
}
