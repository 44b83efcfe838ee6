/** Values as source code in a language, with all their digits. */
import { Decimal } from '../client/exact-json.ts';

/** How a language writes values. */
export interface Notation {
  readonly text: (text: string) => string;
  /** A member's name with the separator before its value. */
  readonly member: (name: string) => string;
  readonly words: Readonly<Record<'true' | 'false' | 'null', string>>;
  /** The spacing inside the braces of an object. */
  readonly padding: string;
  /** Follows the last member of a multi-line object or list. */
  readonly lastComma: string;
  readonly integer: (digits: string) => string;
}

export const JSON_NOTATION: Notation = {
  text: (text) => JSON.stringify(text),
  member: (name) => `${JSON.stringify(name)}: `,
  words: { true: 'true', false: 'false', null: 'null' },
  padding: '',
  lastComma: '',
  integer: (digits) => digits,
};

/** Quotes a string without single quotes in it. */
function singleQuoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')}'`;
}

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

export const TYPESCRIPT_NOTATION: Notation = {
  ...JSON_NOTATION,
  text: (text) => (text.includes("'") ? JSON.stringify(text) : singleQuoted(text)),
  member: (name) => `${IDENTIFIER.test(name) ? name : `'${name}'`}: `,
  padding: ' ',
  lastComma: ',',
  // A number would be rounded.
  integer: (digits) => (Number.isSafeInteger(Number(digits)) ? digits : `${digits}n`),
};

export const PYTHON_NOTATION: Notation = {
  ...JSON_NOTATION,
  text: (text) => (text.includes('"') && !text.includes("'") ? singleQuoted(text) : JSON.stringify(text)),
  words: { true: 'True', false: 'False', null: 'None' },
  lastComma: ',',
};

/** Maximum length of lines in samples, where they can be broken. */
export const LINE_CHARACTERS = 100;
const STEP = '  ';

/** Returns a value on one line. */
export function literal(value: unknown, notation: Notation, replaced?: (value: unknown) => string | undefined): string {
  const own = replaced?.(value);
  if (own !== undefined) return own;
  if (typeof value === 'string') return notation.text(value);
  if (typeof value === 'bigint') return notation.integer(String(value));
  if (value instanceof Decimal) return value.text;
  if (typeof value === 'number') return Number.isInteger(value) ? notation.integer(String(value)) : String(value);
  if (typeof value === 'boolean') return notation.words[value ? 'true' : 'false'];
  if (typeof value !== 'object' || value === null) return notation.words.null;
  if (Array.isArray(value)) return `[${value.map((each) => literal(each, notation, replaced)).join(', ')}]`;
  const members = membersIn(value, notation, replaced);
  return members.length === 0 ? '{}' : `{${notation.padding}${members.join(', ')}${notation.padding}}`;
}

/** Returns a value inside another; a list that is too long for a line has a line for each item. */
export function brokenLiteral(
  value: unknown,
  notation: Notation,
  indent: string,
  replaced: (value: unknown) => string | undefined,
): string {
  const line = literal(value, notation, replaced);
  if (line.length <= LINE_CHARACTERS || !Array.isArray(value)) return line;
  return `[\n${value.map((each) => `${indent}${indent}${literal(each, notation, replaced)},\n`).join('')}${indent}]`;
}

function membersIn(value: object, notation: Notation, replaced?: (value: unknown) => string | undefined): string[] {
  return Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${notation.member(name)}${literal(member, notation, replaced)}`);
}

/** Returns JSON with exact numbers; lists of objects are broken into lines if one would be too long. */
export function jsonText(value: unknown): string {
  const line = literal(value, JSON_NOTATION);
  if (line.length <= LINE_CHARACTERS || typeof value !== 'object' || value === null) return line;
  const parts = Object.entries(value).map(([name, member]) => {
    const isLong = Array.isArray(member) && member.every((each) => typeof each === 'object');
    const text = isLong
      ? `[\n${member.map((each) => `${STEP}${literal(each, JSON_NOTATION)}`).join(',\n')}\n]`
      : literal(member, JSON_NOTATION);
    return `${JSON_NOTATION.member(name)}${text}`;
  });
  return `{${parts.join(', ')}}`;
}
