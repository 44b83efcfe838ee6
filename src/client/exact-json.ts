/**
 * Reads and writes JSON whose numbers keep all their digits and their scale, as fast as JSON.parse if no
 * number needs that.
 */

/** A decimal number with its scale: `2410611.00`. A double would lose the trailing zeros, or digits. */
export class Decimal {
  /** The digits as sent by the service. */
  readonly text: string;

  /** Throws for a string that is not a JSON number. */
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

/**
 * A value returned by a service. Whole numbers beyond 2^53 are bigint, and other numbers that would lose digits or
 * their scale as a double are Decimal.
 */
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
/** A scale that the service never writes for a double: `1.50`, `1E-7`, `1.5E+9`, but not `1.0`. */
const SCALE = /\.\d+0(?!\d)|^-?\d+E|E\+/;
/**
 * A pattern that matches every text with a number that {@link parseExact} changes. Also matches in strings, at the cost
 * of time.
 */
const MAY_BE_EXACT = new RegExp(`${LONG_NUMBER.source}|${/\.\d+0(?!\d)|\dE/.source}`);
/** A pattern that matches every text with a number that JavaScript would write differently. */
const MAY_BE_CHANGED = new RegExp(`${LONG_NUMBER.source}|${/\.\d*0(?!\d)|\d[eE]/.source}`);
/** The prefix of strings that represent numbers, and of strings that begin with it themselves. */
const MARK = '\u0000';
const ESCAPED_MARK = '"\\u0000';

/**
 * Parses JSON. A number becomes a `number` if it may have been a double: `1.0` does, the decimal `1.50` does not.
 * Throws SyntaxError.
 */
export function parseExact(text: string): Json {
  return MAY_BE_EXACT.test(text) ? parseMarked(text, (number) => isDouble(number)) : JSON.parse(text);
}

/** Parses JSON so that every number can be shown as it was sent: `1.0` is also a Decimal. Throws SyntaxError. */
export function parseAsSent(text: string): Json {
  return MAY_BE_CHANGED.test(text)
    ? parseMarked(text, (number) => String(Number(number)) === number)
    : JSON.parse(text);
}

/** Replaces the result of {@link parseAsSent} by the result of {@link parseExact}. */
export function exactOf(value: Json): Json {
  if (value instanceof Decimal) return isDouble(value.text) ? Number(value.text) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.map(exactOf);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, exactOf(member)]));
}

/** Returns a number in a decimal column as a Decimal, and anything else unchanged. */
export function decimalOf(value: Json): Json {
  return typeof value === 'number' || typeof value === 'bigint' ? new Decimal(String(value)) : value;
}

function isList(value: object): value is readonly Json[] {
  return Array.isArray(value);
}

/** Parses JSON; the numbers that `isNumber` rejects become bigint or Decimal. */
function parseMarked(text: string, isNumber: (text: string) => boolean): Json {
  const marked = text.replace(TOKEN, (token) => {
    if (token.startsWith('"')) return token.startsWith(ESCAPED_MARK) ? `${ESCAPED_MARK}s${token.slice(1)}` : token;
    return isNumber(token) ? token : `${ESCAPED_MARK}n${token}"`;
  });
  return JSON.parse(marked, (_name, value: Json) => {
    if (typeof value !== 'string' || !value.startsWith(MARK)) return value;
    const content = value.slice(2);
    if (value.charAt(1) === 's') return content;
    return /^-?\d+$/.test(content) ? BigInt(content) : new Decimal(content);
  });
}

/** Reports whether a double has exactly the digits of a number, and no scale that it would lose. */
function isDouble(text: string): boolean {
  const number = Number(text);
  if (/^-?\d+$/.test(text)) return Number.isSafeInteger(number);
  return Number.isFinite(number) && !SCALE.test(text) && digitsOf(String(number)) === digitsOf(text);
}

/** Returns a number's digits without leading and trailing zeros. */
function digitsOf(text: string): string {
  return text
    .replace(/[eE].*$/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+|0+$/g, '');
}

/** Writes JSON. Members that are undefined are omitted. Throws TypeError for anything that JSON cannot represent. */
export function writeExact(value: unknown): string {
  if (typeof value === 'bigint' || value instanceof Decimal) return value.toString();
  if (Array.isArray(value)) return `[${value.map((each) => writeExact(each ?? null)).join(',')}]`;
  if (typeof value === 'object' && value !== null && !('toJSON' in value)) {
    // Their contents are not members, so they would silently become {}.
    if (value instanceof Map || value instanceof Set || ArrayBuffer.isView(value)) {
      throw new TypeError(`JSON has no ${value.constructor.name}`);
    }
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${writeExact(member)}`).join(',')}}`;
  }
  // A double keeps the sign, and whole numbers also read it.
  if (Object.is(value, -0)) return '-0';
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(`JSON has no ${value}`);
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`JSON has no ${typeof value}`);
  return text;
}
