/** Numbers and dates as a source writes them, and as svc does. */

import type { SourceForms } from '../grid/bulk.ts';
import { civilFromDays, daysFromCivil } from '../values/calendar.ts';
import { trimJava } from '../values/java-number.ts';
import type { ColumnKind, SourceField, SourceRecord } from './records.ts';

/** Returns a string in svc's notation, or undefined for a string in another format. */
export type FormReader = (text: string) => string | undefined;

/** The formats of svc: a source specifies none. */
export const PLAIN_FORMS: SourceForms = { dateFormat: undefined, decimalSeparator: undefined, thousands: undefined };

/** Characters that separate thousands, each with its variants. */
const THOUSANDS: Readonly<Record<string, string>> = {
  '.': '\\.',
  ',': ',',
  "'": "['\u2019]",
  ' ': '[ \u00a0\u202f]',
};

/** Reports whether a character may separate thousands. */
export function separatesThousands(character: string): boolean {
  return Object.hasOwn(THOUSANDS, character);
}

/** Returns a reader of numbers such as `1.234,56`. */
export function numberReader({ decimalSeparator = '.', thousands }: SourceForms): FormReader {
  const point = decimalSeparator === '.' ? '\\.' : decimalSeparator;
  const separator = thousands === undefined ? undefined : THOUSANDS[thousands];
  // India writes 1,00,000.
  const inner = thousands === ',' ? '{2,3}' : '{3}';
  const grouped = separator === undefined ? '' : `|\\d{1,3}(?:${separator}\\d${inner})*${separator}\\d{3}`;
  const pattern = new RegExp(`^([+-]?)(\\d+${grouped}|(?=${point}\\d))(?:${point}(\\d+))?([eE][+-]?\\d+)?$`);
  return (text) => {
    const [, sign, whole, fraction, exponent = ''] = pattern.exec(text) ?? [];
    if (whole === undefined) return undefined;
    const digits = whole.replace(/\D/g, '');
    return `${sign}${digits === '' ? '0' : digits}${fraction === undefined ? '' : `.${fraction}`}${exponent}`;
  };
}

/** A date as svc writes it, which is accepted in addition to the source's format. */
const PLAIN_DAY = /^[+-]?\d{4,}-\d{1,2}-\d{1,2}/;
const PART = /y+|m+|d+|[^a-z\d]+/g;
/** Where two-digit years begin to belong to the last century, as in POSIX. */
const CENTURY_BEGINS = 69;
const TIME = '(?:[ T]+(\\d{1,2}):(\\d{2})(?::(\\d{2})([.,]\\d{1,9})?)?(?: ?([AaPp])\\.?[Mm]\\.?)?)?';

/**
 * Returns a reader of dates and moments, whose time follows the date, or undefined for an invalid format. The case of
 * letters does not matter, because the format has no minutes: `dd.MM.yyyy`, `DD.MM.YYYY`.
 */
export function dayReader(format: string): FormReader | undefined {
  const parts = format.toLowerCase().match(PART) ?? [];
  const letters = parts.flatMap((part) => (/[ymd]/.test(part) ? [part] : []));
  const isWhole = parts.join('') === format.toLowerCase();
  if (
    !isWhole ||
    letters
      .map((part) => part.charAt(0))
      .sort()
      .join('') !== 'dmy'
  )
    return undefined;
  if (letters.some((part) => part.length > 2 && part !== 'yyyy')) return undefined;
  if (letters.includes('y')) return undefined;
  // Without separators, only the number of digits divides the fields.
  const isFixed = letters.length === parts.length;
  const fields = parts.map((part) => {
    if (part === 'yyyy') return '(\\d{4})';
    if (part === 'yy') return '(\\d{2})';
    if (/[md]/.test(part)) return isFixed ? '(\\d{2})' : '(\\d{1,2})';
    return part.replace(/[^a-z\d\s]/g, '\\$&').replace(/\s+/g, '\\s+');
  });
  if (isFixed && letters.some((part) => part.length < 2)) return undefined;
  const pattern = new RegExp(`^${fields.join('')}${TIME}$`);
  const order = letters.map((part) => part.charAt(0));
  const isShort = letters.includes('yy');
  return (text) => {
    const found = pattern.exec(text);
    if (found === null) return PLAIN_DAY.test(text) ? text : undefined;
    const field = (letter: string): number => Number(found[1 + order.indexOf(letter)]);
    const written = field('y');
    const year = isShort ? written + (written < CENTURY_BEGINS ? 2_000 : 1_900) : written;
    const day = writtenDay(year, field('m'), field('d'));
    const [, , , , hour, minute, second, fraction, half] = found;
    if (day === undefined || hour === undefined) return day;
    const time = writtenTime(Number(hour), minute ?? '', second ?? '00', fraction ?? '', half);
    return time === undefined ? undefined : `${day} ${time}`;
  };
}

/** Returns undefined for a date that the calendar lacks. */
function writtenDay(year: number, month: number, day: number): string | undefined {
  if (year === 0) return undefined;
  const real = civilFromDays(daysFromCivil(year, month, day));
  if (month < 1 || month > 12 || real.month !== month || real.day !== day) return undefined;
  return `${padded(year, 4)}-${padded(month, 2)}-${padded(day, 2)}`;
}

function writtenTime(
  written: number,
  minute: string,
  second: string,
  fraction: string,
  half: string | undefined,
): string | undefined {
  if (half !== undefined && (written < 1 || written > 12)) return undefined;
  const hour = half === undefined ? written : (written % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  if (hour > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  return `${padded(hour, 2)}:${minute}:${second}${fraction.replace(',', '.')}`;
}

function padded(number: number, digits: number): string {
  return String(number).padStart(digits, '0');
}

/** Returns the parameters that specify the formats, as requests send them. */
export function parametersOfForms({
  dateFormat,
  decimalSeparator,
  thousands,
}: SourceForms): Readonly<Record<string, string>> {
  return {
    ...(dateFormat !== undefined && { dateFormat }),
    ...(decimalSeparator !== undefined && { decimalSeparator }),
    ...(thousands !== undefined && { thousands: thousands === ' ' ? 'space' : thousands }),
  };
}

/** Returns the formats as `name=value`, for texts. */
function named(forms: SourceForms): string {
  return Object.entries(parametersOfForms(forms))
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}

/** Converts the fields of records from their source's formats to svc's, by the kinds of their columns. */
export function formConverter(
  forms: SourceForms,
  names: readonly string[],
  kinds: readonly ColumnKind[],
): (record: SourceRecord) => SourceRecord {
  const { dateFormat, decimalSeparator, thousands } = forms;
  const hasNumbers = decimalSeparator !== undefined || thousands !== undefined;
  const readers: Readonly<Record<ColumnKind, FormReader | undefined>> = {
    text: undefined,
    number: hasNumbers ? numberReader(forms) : undefined,
    moment: dateFormat === undefined ? undefined : dayReader(dateFormat),
    other: undefined,
  };
  const expected: Readonly<Record<string, string>> = {
    number: `a number (${named({ ...forms, dateFormat: undefined })})`,
    moment: `a date (${named({ ...PLAIN_FORMS, dateFormat })})`,
  };
  const converted = kinds.flatMap((kind, at) => {
    const read = readers[kind];
    return read === undefined ? [] : [{ at, read, name: names[at] ?? '', expected: expected[kind] ?? '' }];
  });
  return (record) => {
    if (record.fields === undefined) return record;
    const fields = [...record.fields];
    for (const { at, read, name, expected: what } of converted) {
      const text = textOf(fields[at]);
      if (text === undefined) continue;
      const plain = read(trimJava(text));
      if (plain !== undefined) fields[at] = plain;
      else return { ...record, fields: undefined, error: `column ${name}: ${JSON.stringify(text)} is not ${what}` };
    }
    return { ...record, fields };
  };
}

function textOf(field: SourceField): string | undefined {
  if (field === null || field === undefined) return undefined;
  if (typeof field === 'string') return field;
  return field.kind === 'string' ? field.value : undefined;
}

const FOREIGN_DAY = /^\d{1,2}([./-])\d{1,2}\1\d{4}\b/;
const DECIMAL_COMMA = /^[+-]?[\d.' \u00a0\u202f\u2019]*\d,\d+$/;

/**
 * Returns the format that reads the field of a rejected record, whose reason names the column, or the empty string if
 * none does. Only for a source without the format that would be suggested.
 */
export function formAdvice(
  reason: string,
  fields: readonly SourceField[],
  { names, kinds = [] }: { readonly names: readonly string[]; readonly kinds?: readonly ColumnKind[] },
): string {
  const at = names.findIndex((name) => reason.startsWith(`column ${name}: `));
  const text = trimJava(textOf(fields[at]) ?? '');
  const [, separator] = FOREIGN_DAY.exec(text) ?? [];
  if (kinds[at] === 'moment' && separator !== undefined) {
    const other = separator === '.' ? '' : ` or dateFormat=MM${separator}dd${separator}yyyy`;
    return `; dateFormat=dd${separator}MM${separator}yyyy${other} reads such dates`;
  }
  return kinds[at] === 'number' && DECIMAL_COMMA.test(text) ? '; decimalSeparator=, reads such numbers' : '';
}
