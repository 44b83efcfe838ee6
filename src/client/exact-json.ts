/** Reads and writes JSON whose numbers keep all their digits, and reads it as fast as JSON.parse where none is long. */

/** A decimal number with more digits than a double holds. */
export class Decimal {
  /** The digits as the service sent them. */
  readonly text: string;

  /** Throws for a text that is not a JSON number. */
  constructor(text: string) {
    if (!/^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) throw new TypeError(`${text} is not a decimal number`);
    this.text = text;
  }

  toString(): string {
    return this.text;
  }

  toJSON(): string {
    return this.text;
  }
}

/** What a service returns. Whole numbers beyond 2^53 are bigint, and other numbers that a double rounds are Decimal. */
export type Json =
  | null
  | boolean
  | number
  | bigint
  | Decimal
  | string
  | readonly Json[]
  | { readonly [name: string]: Json };

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** Doubles represent every number of up to 15 digits. */
const LONG_NUMBER = /\d[\d.]{15}|[eE][+-]?\d{3}/;
/** Begins the texts that stand for numbers, and those strings that begin so themselves. */
const MARK = '\u0000';
const ESCAPED_MARK = '"\\u0000';

/** Parses a JSON text. Throws SyntaxError. */
export function parseExact(text: string): Json {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text);
  const marked = text.replace(TOKEN, (token) => {
    if (token.startsWith('"')) return token.startsWith(ESCAPED_MARK) ? `${ESCAPED_MARK}s${token.slice(1)}` : token;
    return isExact(token) ? token : `${ESCAPED_MARK}n${token}"`;
  });
  return JSON.parse(marked, (_name, value: Json) => {
    if (typeof value !== 'string' || !value.startsWith(MARK)) return value;
    const content = value.slice(2);
    if (value.charAt(1) === 's') return content;
    return /^-?\d+$/.test(content) ? BigInt(content) : new Decimal(content);
  });
}

/** Reports whether a double has exactly the digits of a number. */
function isExact(text: string): boolean {
  const number = Number(text);
  if (/^-?\d+$/.test(text)) return Number.isSafeInteger(number);
  return Number.isFinite(number) && digitsOf(String(number)) === digitsOf(text);
}

/** Returns the digits of a number without zeros at both ends. */
function digitsOf(text: string): string {
  return text
    .replace(/[eE].*$/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+|0+$/g, '');
}

/** Writes a JSON text. Members that are undefined are left out. Throws TypeError for what JSON has no form of. */
export function writeExact(value: unknown): string {
  if (typeof value === 'bigint' || value instanceof Decimal) return value.toString();
  if (Array.isArray(value)) return `[${value.map((each) => writeExact(each ?? null)).join(',')}]`;
  if (typeof value === 'object' && value !== null && !('toJSON' in value)) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${writeExact(member)}`).join(',')}}`;
  }
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(`JSON has no ${value}`);
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`JSON has no ${typeof value}`);
  return text;
}
