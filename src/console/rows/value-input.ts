/** Texts of values as users edit them, and as they are stored and sent. */
import { completeTime } from './time-texts.ts';

/** Pairs of digits, as SQL, PostgreSQL or an editor write them. */
export const HEX = /^\s*(?:0x|\\x)?(?:\s*[\da-f]{2})*\s*$/i;
const HEX_PREFIX = /^\s*(?:0x|\\x)/i;

/** The type of bytes, as the interface names it. Their stored text is Base64; users edit hexadecimal digits. */
export const BYTES = '[B';

/** Returns the initial text of a field for a stored text. */
export function editedText(argument: string, stored: string | null): string | null {
  if (argument !== BYTES || stored === null) return stored;
  return Array.from(atob(stored), (each) => each.charCodeAt(0).toString(16).padStart(2, '0')).join(' ');
}

/** The most bytes that a cell shows, because writing them as digits takes long: a multiple of four. */
const SHOWN_BASE64 = 1_000;

/** Returns the digits that a cell shows of the stored text of bytes, in the form in which they are edited. */
export function shownBytes(stored: string): string {
  return editedText(BYTES, stored.slice(0, SHOWN_BASE64)) ?? '';
}

/** Returns the literal of SQL for the stored text of bytes. */
export function binaryLiteral(stored: string): string {
  return `X'${(editedText(BYTES, stored) ?? '').replaceAll(' ', '')}'`;
}

/** Returns the stored text for a field's text. Text that is not a value of its type stays unchanged. */
export function storedText(argument: string, edited: string): string {
  if (argument !== BYTES) return completeTime(argument, edited);
  if (!HEX.test(edited)) return edited;
  const digits = edited.replace(HEX_PREFIX, '').replace(/\s/g, '');
  return btoa(digits.replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16))));
}

/** Texts of these types are JSON in the interface. */
const QUOTED: ReadonlySet<string> = new Set([BYTES, 'java.lang.Character']);
const DATE_AND_TIME = 'java.util.Date';

/** Returns a parameter's text for a stored text: for some types a JSON string. */
export function parameterText(argument: string, stored: string): string {
  const isQuoted = QUOTED.has(argument) || (argument === DATE_AND_TIME && !/^\s*(?:-?\d+\s*$|")/.test(stored));
  return isQuoted ? JSON.stringify(stored) : stored;
}
