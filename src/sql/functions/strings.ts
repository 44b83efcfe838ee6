/** Functions on texts. Positions and lengths count UTF-16 units, as Ignite's do. */
import { textOf } from '../types/convert.ts';
import type { SqlData, SqlFunction } from '../types/sql-types.ts';
import { BIGINT, type Call, defineFunctions, INTEGER, integerOfLong, VARCHAR } from './definition.ts';
import { checkTextLength, TextBuilder } from './text-builder.ts';
import { indexOfText, lastIndexOfText } from './text-search.ts';

const ANY_NUMBER = Number.POSITIVE_INFINITY;

/** Units of UTF-16 in a text, bytes in bytes. */
function lengthOf(call: Call): bigint {
  const data = call.data(0);
  if (data instanceof Uint8Array) return BigInt(data.length);
  return BigInt(data === null ? 0 : textOf(data, call.type(0)).length);
}

/** Cuts like Ignite: a start below 1 counts from the end, beyond that from the beginning. */
function substring(text: string, start: number, length: number): string {
  const from = start > 0 ? start - 1 : start === 0 ? 0 : Math.max(text.length + start, 0);
  if (from > text.length || length <= 0) return '';
  return text.slice(from, from + length);
}

/** Position from 1 of `search`; 0: not found. A negative start searches backwards from the end. */
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

/** Takes the first character of `what` from the ends of a text. */
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

/** The separator stands in front of every text but the first that is not empty. */
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

/** Replaces `length` characters from `start` on. Outside of the text, or with nothing to replace, the text stays. */
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
    takes: ['VARCHAR'],
    gives: INTEGER,
    cheap: true,
    summary: 'Code of the first character; NULL for an empty text.',
    compute: (call) => (call.text(0) === '' ? null : BigInt(call.text(0).charCodeAt(0))),
  },
  {
    names: ['BIT_LENGTH'],
    count: 1,
    takes: ['any'],
    gives: BIGINT,
    cheap: true,
    summary: 'Bits that the characters of a text take, 16 for each.',
    compute: (call) => 16n * lengthOf(call),
  },
  {
    names: ['LENGTH'],
    count: 1,
    takes: ['any'],
    gives: BIGINT,
    cheap: true,
    summary: 'Number of characters of a text, of bytes of a binary value.',
    compute: lengthOf,
  },
  {
    names: ['CHAR_LENGTH', 'CHARACTER_LENGTH'],
    count: 1,
    takes: ['any'],
    gives: integerOfLong,
    cheap: true,
    summary: 'Number of characters of a text.',
    compute: lengthOf,
  },
  {
    names: ['OCTET_LENGTH'],
    count: 1,
    takes: ['any'],
    gives: BIGINT,
    cheap: true,
    summary: 'Bytes that the characters of a text take, 2 for each.',
    compute: (call) => 2n * lengthOf(call),
  },
  {
    names: ['CHAR', 'CHR'],
    count: 1,
    takes: ['INTEGER'],
    gives: VARCHAR,
    cheap: true,
    summary: 'The character with a code.',
    compute: (call) => String.fromCharCode(call.integer(0) & 0xffff),
  },
  {
    names: ['CONCAT'],
    count: [2, ANY_NUMBER],
    takes: ['VARCHAR'],
    gives: VARCHAR,
    nullOnNull: false,
    cheap: true,
    summary: 'Joins texts; NULLs are left out, NULL when all are.',
    compute: (call) => (call.args.every((one) => one === null) ? null : concatenate(call.args, '')),
  },
  {
    names: ['CONCAT_WS'],
    count: [2, ANY_NUMBER],
    takes: ['VARCHAR'],
    gives: VARCHAR,
    nullOnNull: false,
    cheap: true,
    summary: 'Joins texts with a separator, the first argument; NULLs and empty texts behind the first are left out.',
    compute: (call) => {
      const texts = call.args.slice(1);
      if (!call.has(0) && texts.every((text) => text === null)) return null;
      return concatenate(texts, call.has(0) ? call.text(0) : '');
    },
  },
  {
    names: ['INSTR'],
    count: [2, 3],
    takes: ['VARCHAR', 'VARCHAR', 'INTEGER'],
    gives: INTEGER,
    cheap: true,
    summary: 'Position of the second text in the first, from 1; 0: not there. A negative start searches backwards.',
    compute: (call) => locate(call.text(1), call.text(0), call.count > 2 ? call.integer(2) : 0),
  },
  {
    names: ['LOCATE', 'CHARINDEX'],
    count: [2, 3],
    takes: ['VARCHAR', 'VARCHAR', 'INTEGER'],
    gives: INTEGER,
    cheap: true,
    summary: 'Position of the first text in the second, from 1; 0: not there. A negative start searches backwards.',
    compute: (call) => locate(call.text(0), call.text(1), call.count > 2 ? call.integer(2) : 0),
  },
  {
    names: ['POSITION'],
    count: 2,
    takes: ['VARCHAR'],
    gives: INTEGER,
    cheap: true,
    summary: 'Position of the first text in the second, from 1; 0: not there.',
    compute: (call) => locate(call.text(0), call.text(1), 0),
  },
  {
    names: ['INSERT'],
    count: 4,
    takes: ['VARCHAR', 'INTEGER', 'INTEGER', 'VARCHAR'],
    gives: VARCHAR,
    nullOnNull: false,
    cheap: true,
    summary: 'Replaces a number of characters from a position on by a text.',
    compute: insert,
  },
  {
    names: ['LOWER', 'LCASE'],
    count: 1,
    takes: ['VARCHAR'],
    gives: VARCHAR,
    cheap: true,
    summary: 'The text in lower case.',
    compute: (call) => call.text(0).toLowerCase(),
  },
  {
    names: ['UPPER', 'UCASE'],
    count: 1,
    takes: ['VARCHAR'],
    gives: VARCHAR,
    cheap: true,
    summary: 'The text in upper case.',
    compute: (call) => call.text(0).toUpperCase(),
  },
  {
    names: ['LEFT'],
    count: 2,
    takes: ['VARCHAR', 'INTEGER'],
    gives: VARCHAR,
    cheap: true,
    summary: 'The first characters of a text.',
    compute: (call) => call.text(0).slice(0, Math.max(call.integer(1), 0)),
  },
  {
    names: ['RIGHT'],
    count: 2,
    takes: ['VARCHAR', 'INTEGER'],
    gives: VARCHAR,
    cheap: true,
    summary: 'The last characters of a text.',
    compute: (call) => {
      const text = call.text(0);
      return text.slice(text.length - Math.min(Math.max(call.integer(1), 0), text.length));
    },
  },
  {
    names: ['LPAD'],
    count: [2, 3],
    takes: ['VARCHAR', 'INTEGER', 'VARCHAR'],
    gives: VARCHAR,
    cheap: false,
    summary: 'Fills a text up to a length on the left, with blanks or the character given; cuts a longer one.',
    compute: (call) => pad(call, false),
  },
  {
    names: ['RPAD'],
    count: [2, 3],
    takes: ['VARCHAR', 'INTEGER', 'VARCHAR'],
    gives: VARCHAR,
    cheap: false,
    summary: 'Fills a text up to a length on the right, with blanks or the character given; cuts a longer one.',
    compute: (call) => pad(call, true),
  },
  {
    names: ['LTRIM'],
    count: [1, 2],
    takes: ['VARCHAR'],
    gives: VARCHAR,
    cheap: true,
    summary: 'The text without blanks, or the character given, at its beginning.',
    compute: (call) => trim(call.text(0), call.count > 1 ? call.text(1) : ' ', true, false),
  },
  {
    names: ['RTRIM'],
    count: [1, 2],
    takes: ['VARCHAR'],
    gives: VARCHAR,
    cheap: true,
    summary: 'The text without blanks, or the character given, at its end.',
    compute: (call) => trim(call.text(0), call.count > 1 ? call.text(1) : ' ', false, true),
  },
  {
    names: ['TRIM'],
    count: [1, 2],
    takes: ['VARCHAR'],
    gives: VARCHAR,
    cheap: true,
    summary: 'The text without blanks, or the character given, at both ends.',
    compute: (call) => trim(call.text(0), call.count > 1 ? call.text(1) : ' ', true, true),
  },
  {
    names: ['REPEAT'],
    count: 2,
    takes: ['VARCHAR', 'INTEGER'],
    gives: VARCHAR,
    cheap: false,
    summary: 'The text a number of times.',
    compute: (call) => repeat(call.text(0), call.integer(1)),
  },
  {
    names: ['SPACE'],
    count: 1,
    takes: ['INTEGER'],
    gives: VARCHAR,
    cheap: false,
    summary: 'A number of blanks.',
    compute: (call) => repeat(' ', call.integer(0)),
  },
  {
    names: ['REPLACE'],
    count: [2, 3],
    takes: ['VARCHAR'],
    gives: VARCHAR,
    cheap: false,
    summary: 'Replaces every occurrence of the second text by the third, or takes it away.',
    compute: replace,
  },
  {
    names: ['SUBSTRING', 'SUBSTR'],
    count: [2, 3],
    takes: ['VARCHAR', 'INTEGER', 'INTEGER'],
    gives: VARCHAR,
    cheap: true,
    summary: 'The part of a text from a position on, of a length; a negative position counts from the end.',
    compute: (call) => substring(call.text(0), call.integer(1), call.count > 2 ? call.integer(2) : ANY_NUMBER),
  },
  {
    names: ['TRANSLATE'],
    count: 3,
    takes: ['VARCHAR'],
    gives: VARCHAR,
    cheap: true,
    summary: 'Replaces each character of the second text by the one at its place in the third.',
    compute: (call) => translate(call.text(0), call.text(1), call.text(2)),
  },
]);
