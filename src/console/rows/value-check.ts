/** Detects invalid values before they are sent. Values that only the service can judge pass. */

import type { ScalarTypeName } from '../../values/value.ts';
import { scalarOf } from './scalar-types.ts';
import { HEX } from './value-input.ts';

interface Expected {
  readonly pattern: RegExp;
  /** The required kind of value, with its article. */
  readonly title: string;
  /** Bounds of whole numbers. */
  readonly bits?: number;
}

const WHOLE = /^[+-]?\d+$/;
const NUMBER = /^\s*[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?[fd]?|NaN|Infinity|0x[\da-f.p+-]+)\s*$/i;
const DAY = String.raw`-?\d+-\d{1,2}-\d{1,2}`;
const TIME = String.raw`\d{1,2}:\d{1,2}(?::\d{1,2})?`;

/** The pattern of each type's texts; undefined if only the service can read them. */
const EXPECTED: { readonly [T in ScalarTypeName]: Expected | undefined } = {
  byte: { pattern: WHOLE, title: 'a whole number', bits: 8 },
  short: { pattern: WHOLE, title: 'a whole number', bits: 16 },
  integer: { pattern: WHOLE, title: 'a whole number', bits: 32 },
  long: { pattern: WHOLE, title: 'a whole number', bits: 64 },
  double: { pattern: NUMBER, title: 'a number' },
  float: { pattern: NUMBER, title: 'a number' },
  decimal: { pattern: /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i, title: 'a decimal number' },
  bigInteger: { pattern: WHOLE, title: 'a whole number' },
  boolean: { pattern: /^\s*(?:true|false)\s*$/i, title: 'true or false' },
  date: { pattern: new RegExp(`^\\s*${DAY}\\s*$`), title: 'a date such as 2026-01-31' },
  time: { pattern: new RegExp(`^\\s*${TIME}\\s*$`), title: 'a time such as 10:20:30' },
  timestamp: {
    pattern: new RegExp(`^\\s*${DAY}(?:[ T]${TIME}(?:\\.\\d*)?)?\\s*$`),
    title: 'a date and time such as 2026-01-31 10:20:30',
  },
  bytes: { pattern: HEX, title: 'pairs of hexadecimal digits such as 0a ff' },
  uuid: { pattern: /^\s*[\da-f]+(?:-[\da-f]+){4}\s*$/i, title: 'a UUID' },
  string: undefined,
  char: undefined,
  instant: undefined,
  gridUuid: undefined,
};

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns whether the calendar has the day of a date or timestamp, which matches its pattern. */
function hasDay(argument: string, text: string): boolean {
  if (argument !== 'date' && argument !== 'timestamp') return true;
  const [, year = 0, month = 0, day = 0] = (/(-?\d+)-(\d+)-(\d+)/.exec(text) ?? []).map(Number);
  const date = new Date(Date.UTC(2000, month - 1, 1));
  // Day 0 is the last one of the month before. Leap years repeat, and the browser has no others.
  date.setUTCFullYear(2000 + (year % 400), month, 0);
  return month >= 1 && month <= 12 && day >= 1 && day <= date.getUTCDate();
}

/** Returns what a value of a type must be if the typed text is not one, or undefined if it may be one. */
export function neededInstead(argument: string, text: string): string | undefined {
  const scalar = scalarOf(argument);
  // Values of other types are JSON.
  if (scalar === undefined) return argument === '' || isJson(text) ? undefined : 'JSON such as {"a": 1}';
  const expected = EXPECTED[scalar];
  if (expected === undefined) return undefined;
  const { pattern, title, bits } = expected;
  if (!pattern.test(text) || !hasDay(argument, text)) return title;
  if (bits === undefined) return undefined;
  const half = 2n ** BigInt(bits - 1);
  const value = BigInt(text.replace(/^\+/, ''));
  return value >= -half && value < half ? undefined : `a whole number from ${-half} to ${half - 1n}`;
}

/** Returns why a value does not fit a column, as a sentence, or undefined if it may fit. A misfit is not sent. */
export function unfit(column: { readonly name: string; readonly sqlType: string }, argument: string, text: string) {
  const needed = neededInstead(argument, text);
  if (needed === undefined) return undefined;
  const { name, sqlType } = column;
  const shown = text.length > 100 ? `${text.slice(0, 100)} …` : text;
  return `${name}${sqlType === '' ? '' : ` (${sqlType})`} needs ${needed}, not ${shown === '' ? 'an empty string' : `"${shown}"`}.`;
}
