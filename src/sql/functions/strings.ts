/** Functions on strings. Positions and lengths count UTF-16 code units, as in Ignite. */
import { textOf } from '../types/convert.ts';
import type { SqlData, SqlFunction } from '../types/sql-types.ts';
import {
  BIGINT,
  type Call,
  defineFunctions,
  type FunctionDeclaration,
  INTEGER,
  integerOfLong,
  ofText,
  VARCHAR,
} from './definition.ts';
import { checkTextLength, TextBuilder } from './text-builder.ts';
import { indexOfText, lastIndexOfText } from './text-search.ts';

const ANY_NUMBER = Number.POSITIVE_INFINITY;

/** Returns the UTF-16 code units of a string or the bytes of a binary value. */
function lengthOf(call: Call): bigint {
  const data = call.data(0);
  if (data instanceof Uint8Array) return BigInt(data.length);
  return BigInt(data === null ? 0 : textOf(data, call.type(0)).length);
}

/**
 * Returns a substring as Ignite does: a start below 0 counts from the end; before the beginning, it is the beginning.
 */
function substring(text: string, start: number, length: number): string {
  const from = start > 0 ? start - 1 : start === 0 ? 0 : Math.max(text.length + start, 0);
  if (from > text.length || length <= 0) return '';
  return text.slice(from, from + length);
}

/** Returns the position of `search` from 1, or 0. A negative start searches backwards from the end. */
function locate(search: string, text: string, start: number): bigint {
  if (start < 0) return text.length + start < 0 ? 0n : BigInt(lastIndexOfText(text, search, text.length + start) + 1);
  return BigInt(indexOfText(text, search, start === 0 ? 0 : start - 1) + 1);
}

function repeat(text: string, count: number): string {
  const times = Math.max(count, 0);
  checkTextLength(text.length * times);
  return text.repeat(times);
}

function pad(call: Call, right: boolean): string {
  const [text, length] = [call.text(0), Math.max(call.integer(1), 0)];
  if (length <= text.length) return text.slice(0, length);
  checkTextLength(length);
  const filler = (call.has(2) && call.text(2).charAt(0)) || ' ';
  const filled = repeat(filler, length - text.length);
  return right ? text + filled : filled + text;
}

function padding(name: string, side: 'left' | 'right'): FunctionDeclaration {
  return {
    names: [name],
    count: [2, 3],
    argumentTypes: ['VARCHAR', 'INTEGER', 'VARCHAR'],
    result: VARCHAR,
    cheap: false,
    summary: `Pads a string on the ${side} to a length with spaces or a character; truncates a longer one.`,
    compute: (call) => pad(call, side === 'right'),
  };
}

function trimming(name: string, ends: string, leading: boolean, trailing: boolean): FunctionDeclaration {
  return {
    names: [name],
    count: [1, 2],
    argumentTypes: ['VARCHAR'],
    result: VARCHAR,
    summary: `Removes spaces, or a character, from ${ends} of a string.`,
    compute: (call) => trim(call.text(0), call.count > 1 ? call.text(1) : ' ', leading, trailing),
  };
}

/** Declares a function that searches one of its two strings in the other. */
function locating(
  names: FunctionDeclaration['names'],
  what: 'first' | 'second',
  where: 'first' | 'second',
): FunctionDeclaration {
  const place = what === 'first' ? 0 : 1;
  return {
    names,
    count: [2, 3],
    argumentTypes: ['VARCHAR', 'VARCHAR', 'INTEGER'],
    result: INTEGER,
    summary: `Returns the position of the ${what} string in the ${where}, from 1, or 0. A negative start searches backwards.`,
    compute: (call) => locate(call.text(place), call.text(1 - place), call.count > 2 ? call.integer(2) : 0),
  };
}

/** Declares a function that returns a multiple of a value's length. */
function ofLength(
  names: FunctionDeclaration['names'],
  result: FunctionDeclaration['result'],
  factor: bigint,
  summary: string,
): FunctionDeclaration {
  return { names, count: 1, argumentTypes: ['any'], result, summary, compute: (call) => factor * lengthOf(call) };
}

/** Removes the first character of `what` from the ends of a string. */
function trim(text: string, what: string, leading: boolean, trailing: boolean): string {
  const character = what === '' ? ' ' : what.charAt(0);
  let start = 0;
  let end = text.length;
  while (leading && start < end && text.charAt(start) === character) start += 1;
  while (trailing && end > start && text.charAt(end - 1) === character) end -= 1;
  return text.slice(start, end);
}

function replace(call: Call): string {
  const [text, search, replacement] = [call.text(0), call.text(1), call.count > 2 ? call.text(2) : ''];
  if (search === '') return text;
  const result = new TextBuilder(call.environment.poll);
  let copied = 0;
  for (let at = indexOfText(text, search, 0); at >= 0; at = indexOfText(text, search, copied)) {
    result.add(text.slice(copied, at));
    result.add(replacement);
    copied = at + search.length;
  }
  if (copied === 0) return text;
  result.add(text.slice(copied));
  return result.toString();
}

/** Concatenates strings. The separator precedes every string but the first and the empty ones. */
function concatenate(texts: readonly SqlData[], separator: string): string {
  const present = texts.filter((one) => typeof one === 'string');
  checkTextLength(present.reduce((sum, text) => sum + separator.length + text.length, 0));
  return present.map((text, at) => (at > 0 && text !== '' ? separator + text : text)).join('');
}

function translate(text: string, from: string, to: string): string {
  if (from === '' || to === '') return text;
  const places = new Map<string, string>();
  for (let at = Math.min(from.length, to.length) - 1; at >= 0; at -= 1) places.set(from.charAt(at), to.charAt(at));
  const result = new TextBuilder();
  let copied = 0;
  for (let at = 0; at < text.length; at += 1) {
    const place = places.get(text.charAt(at));
    if (place === undefined) continue;
    result.add(text.slice(copied, at));
    result.add(place);
    copied = at + 1;
  }
  result.add(text.slice(copied));
  return result.toString();
}

/** Replaces characters from a position. A position outside the string, or nothing to replace, changes nothing. */
function insert(call: Call): SqlData {
  const [text, added] = [call.data(0), call.data(3)];
  if (text === null) return added;
  if (added === null || !call.has(1) || !call.has(2)) return call.has(1) && call.has(2) ? text : null;
  const [original, start, length] = [call.text(0), call.integer(1) - 1, call.integer(2)];
  if (start < 0 || length <= 0 || start > original.length || call.text(3) === '') return original;
  checkTextLength(original.length + call.text(3).length);
  return original.slice(0, start) + call.text(3) + original.slice(start + length);
}

export const STRING_FUNCTIONS: readonly SqlFunction[] = defineFunctions('string', [
  {
    names: ['ASCII'],
    count: 1,
    argumentTypes: ['VARCHAR'],
    result: INTEGER,
    summary: 'Returns the code of the first character, or NULL for the empty string.',
    compute: (call) => (call.text(0) === '' ? null : BigInt(call.text(0).charCodeAt(0))),
  },
  ofLength(['BIT_LENGTH'], BIGINT, 16n, 'Returns the number of bits of a string, 16 per character.'),
  ofLength(['LENGTH'], BIGINT, 1n, 'Returns the number of characters of a string, or of bytes of a binary value.'),
  ofLength(['CHAR_LENGTH', 'CHARACTER_LENGTH'], integerOfLong, 1n, 'Returns the number of characters of a string.'),
  ofLength(['OCTET_LENGTH'], BIGINT, 2n, 'Returns the number of bytes of a string, 2 per character.'),
  {
    names: ['CHAR', 'CHR'],
    count: 1,
    argumentTypes: ['INTEGER'],
    result: VARCHAR,
    summary: 'Returns the character with a code.',
    compute: (call) => String.fromCharCode(call.integer(0) & 0xffff),
  },
  {
    names: ['CONCAT'],
    count: [2, ANY_NUMBER],
    argumentTypes: ['VARCHAR'],
    result: VARCHAR,
    nullOnNull: false,
    summary: 'Concatenates strings and skips NULLs; returns NULL when all are NULL.',
    compute: (call) => (call.args.every((one) => one === null) ? null : concatenate(call.args, '')),
  },
  {
    names: ['CONCAT_WS'],
    count: [2, ANY_NUMBER],
    argumentTypes: ['VARCHAR'],
    result: VARCHAR,
    nullOnNull: false,
    summary:
      'Concatenates strings with the first argument as separator; skips NULLs, and empty strings after the first.',
    compute: (call) => {
      const texts = call.args.slice(1);
      if (!call.has(0) && texts.every((text) => text === null)) return null;
      return concatenate(texts, call.has(0) ? call.text(0) : '');
    },
  },
  locating(['INSTR'], 'second', 'first'),
  locating(['LOCATE', 'CHARINDEX'], 'first', 'second'),
  {
    names: ['POSITION'],
    count: 2,
    argumentTypes: ['VARCHAR'],
    result: INTEGER,
    summary: 'Returns the position of the first string in the second, from 1, or 0.',
    compute: (call) => locate(call.text(0), call.text(1), 0),
  },
  {
    names: ['INSERT'],
    count: 4,
    argumentTypes: ['VARCHAR', 'INTEGER', 'INTEGER', 'VARCHAR'],
    result: VARCHAR,
    nullOnNull: false,
    summary: 'Replaces a number of characters from a position with a string.',
    compute: insert,
  },
  ofText(['LOWER', 'LCASE'], 'Converts a string to lower case.', (text) => text.toLowerCase()),
  ofText(['UPPER', 'UCASE'], 'Converts a string to upper case.', (text) => text.toUpperCase()),
  {
    names: ['LEFT'],
    count: 2,
    argumentTypes: ['VARCHAR', 'INTEGER'],
    result: VARCHAR,
    summary: 'Returns the first characters of a string.',
    compute: (call) => call.text(0).slice(0, Math.max(call.integer(1), 0)),
  },
  {
    names: ['RIGHT'],
    count: 2,
    argumentTypes: ['VARCHAR', 'INTEGER'],
    result: VARCHAR,
    summary: 'Returns the last characters of a string.',
    compute: (call) => {
      const text = call.text(0);
      return text.slice(text.length - Math.min(Math.max(call.integer(1), 0), text.length));
    },
  },
  padding('LPAD', 'left'),
  padding('RPAD', 'right'),
  trimming('LTRIM', 'the start', true, false),
  trimming('RTRIM', 'the end', false, true),
  trimming('TRIM', 'both ends', true, true),
  {
    names: ['REPEAT'],
    count: 2,
    argumentTypes: ['VARCHAR', 'INTEGER'],
    result: VARCHAR,
    cheap: false,
    summary: 'Repeats a string a number of times.',
    compute: (call) => repeat(call.text(0), call.integer(1)),
  },
  {
    names: ['SPACE'],
    count: 1,
    argumentTypes: ['INTEGER'],
    result: VARCHAR,
    cheap: false,
    summary: 'Returns a number of spaces.',
    compute: (call) => repeat(' ', call.integer(0)),
  },
  {
    names: ['REPLACE'],
    count: [2, 3],
    argumentTypes: ['VARCHAR'],
    result: VARCHAR,
    cheap: false,
    summary: 'Replaces all occurrences of the second string with the third, or removes them.',
    compute: replace,
  },
  {
    names: ['SUBSTRING', 'SUBSTR'],
    count: [2, 3],
    argumentTypes: ['VARCHAR', 'INTEGER', 'INTEGER'],
    result: VARCHAR,
    summary: 'Returns a substring from a position, with a length; a negative position counts from the end.',
    compute: (call) => substring(call.text(0), call.integer(1), call.count > 2 ? call.integer(2) : ANY_NUMBER),
  },
  {
    names: ['TRANSLATE'],
    count: 3,
    argumentTypes: ['VARCHAR'],
    result: VARCHAR,
    summary: 'Replaces each character of the second string with the one at the same position of the third.',
    compute: (call) => translate(call.text(0), call.text(1), call.text(2)),
  },
]);
