/** How the value of a cell is changed: which field has its type, and which text the field stands for. */

export interface ValueInput {
  readonly type: 'text' | 'date' | 'time' | 'datetime-local' | 'boolean';
  readonly value: string;
}

/** Pairs of digits, as SQL, PostgreSQL or an editor write them. */
export const HEX = /^\s*(?:0x|\\x)?(?:\s*[\da-f]{2})*\s*$/i;
const HEX_PREFIX = /^\s*(?:0x|\\x)/i;

const DATE = /^\d{4}-\d\d-\d\d$/;
const TIME = /^\d\d:\d\d:\d\d$/;
/** Fields of browsers have no more digits of a second. */
const TIMESTAMP = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d{1,3})?$/;

/** Returns the field for a type of arguments. A value that a field of the browser cannot show is changed as text. */
export function inputOf(argument: string, text: string | null): ValueInput {
  const value = text ?? '';
  if (argument === 'boolean') return { type: 'boolean', value };
  if (argument === 'date' && (value === '' || DATE.test(value))) return { type: 'date', value };
  if (argument === 'time' && (value === '' || TIME.test(value))) return { type: 'time', value };
  if (argument === 'timestamp' && (value === '' || TIMESTAMP.test(value))) {
    return { type: 'datetime-local', value: value.replace(' ', 'T') };
  }
  return { type: 'text', value };
}

/** Returns the value that a field stands for. Dates and booleans without a value are NULL. */
export function textOfInput(argument: string, value: string): string | null {
  if (['boolean', 'date', 'time', 'timestamp'].includes(argument) && value === '') return null;
  const withSeconds = /(?:^|T)\d\d:\d\d$/.test(value) ? `${value}:00` : value;
  return argument === 'timestamp' ? withSeconds.replace('T', ' ') : argument === 'time' ? withSeconds : value;
}

/** The type of bytes, as the interface names it. Their stored text is Base64; users edit hexadecimal digits. */
export const BYTES = '[B';

/** Returns the text that a field begins with for a stored one. */
export function editedText(argument: string, stored: string | null): string | null {
  if (argument !== BYTES || stored === null) return stored;
  return Array.from(atob(stored), (each) => each.charCodeAt(0).toString(16).padStart(2, '0')).join(' ');
}

/** Returns the literal of SQL for the stored text of bytes. */
export function binaryLiteral(stored: string): string {
  return `X'${(editedText(BYTES, stored) ?? '').replaceAll(' ', '')}'`;
}

/** Returns the stored text for what a field has. What is no value of its type stays as it is. */
export function storedText(argument: string, edited: string): string {
  if (argument !== BYTES || !HEX.test(edited)) return edited;
  const digits = edited.replace(HEX_PREFIX, '').replace(/\s/g, '');
  return btoa(digits.replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16))));
}

/** Texts of these types are JSON in the interface. */
const QUOTED: ReadonlySet<string> = new Set([BYTES, 'java.lang.Character']);
const DATE_AND_TIME = 'java.util.Date';

/** Returns the text that a parameter has for a stored one: that of some types is a JSON string. */
export function parameterText(argument: string, stored: string): string {
  const isQuoted = QUOTED.has(argument) || (argument === DATE_AND_TIME && !/^\s*(?:-?\d+\s*$|")/.test(stored));
  return isQuoted ? JSON.stringify(stored) : stored;
}
