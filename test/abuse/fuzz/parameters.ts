/** Fuzzes the reader of query strings and form bodies against a model that works on bytes. */
import { GridError } from '../../../src/base/errors.ts';
import { completeAtOnce } from '../../../src/base/slices.ts';
import { readForm } from '../../../src/http/form-body.ts';
import { encodeBytes, readPairs } from '../../../src/http/parameters.ts';
import type { Random } from '../../simulation/random.ts';
import { type Fuzzer, mustEqual } from './fuzzer.ts';
import { anyBytes, damage, oneIn, several, smallerTexts } from './mutations.ts';

/** The maximum number of pairs that a reader accepts. */
const MAX_PAIRS = 12;

/** The bytes of a query string or form body, one per character. */
export interface PairsInput {
  readonly text: string;
  /** Undefined: a query string. */
  readonly charset: string | undefined;
}

/** Returns the parameters; throws a GridError for input that it rejects. */
export type PairsReader = (input: PairsInput) => ReadonlyMap<string, string>;

/** Reads pairs with the service's code. */
export const servicePairs: PairsReader = ({ text, charset }) => {
  const into = new Map<string, string>();
  if (charset === undefined) readPairs(encodeBytes(text), 0, into, MAX_PAIRS, 0);
  else {
    completeAtOnce(readForm(Buffer.from(text, 'latin1'), charset.toLowerCase(), { into, limit: MAX_PAIRS }));
  }
  return into;
};

const CHARSETS = [
  'utf-8',
  'UTF8',
  'iso-8859-1',
  'latin1',
  'us-ascii',
  'windows-1252',
  'gbk',
  'gb18030',
  'big5',
  'shift_jis',
  'euc-jp',
  'euc-kr',
  'utf-16le',
  'utf-16be',
  'iso-2022-jp',
  'koi8-r',
  'x-user-defined',
  'no-such-charset',
  '',
] as const;
const NAMES = [
  'cmd',
  'key',
  'val',
  'qry',
  'k1',
  'cacheName',
  'a',
  '',
  '__proto__',
  'constructor',
  '%6bey',
  'k+1',
] as const;
const UTF8 = ['\xc3\xa9', '%C3%A9', '%e2%82%ac', '\xf0\x9f\x98\x80', '%F0%9F%98%80', '\xc3%a9', '%ef%bb%bf'] as const;
const BROKEN = [
  '%',
  '%z',
  '%4',
  '%zz',
  '%c3',
  '\xc3',
  '%e2%82',
  '%f0%9f%98',
  '%80',
  '%c0%80',
  '%ed%a0%80',
  '%ff',
  '%f5',
] as const;
const PLAIN = ['a', '1', '+', '%20', '%2B', '%26', '%00', 'select+1', '=', ' ', '~', '\t'] as const;
const FRAGMENTS = ['&', '=', '%', '+', '%c3', '\xe9', '\0', 'x', '&&', '==', ';'] as const;

/** Compares a reader of pairs with the model. */
export function parametersFuzzer(read: PairsReader = servicePairs): Fuzzer<PairsInput> {
  return {
    name: 'parameters',
    generate(random) {
      const charset = random.pick([undefined, 'utf-8', undefined, 'utf-8', 'iso-8859-1', random.pick(CHARSETS)]);
      const pairs = several(random, 0, oneIn(random, 20) ? MAX_PAIRS + 2 : 5, () => pair(random)).join('&');
      const text = oneIn(random, 4) ? damage(random, pairs, FRAGMENTS) : pairs;
      return { charset, text: oneIn(random, 50) ? anyBytes(random, 40) : text };
    },
    check(input) {
      const expected = modelPairs(input);
      const actual = accepted(read, input);
      if (expected !== 'unknown') {
        mustEqual(actual && [...actual], expected && [...expected], 'parameters');
        return;
      }
      // There is no model for this charset: only the texts must not be longer than their bytes.
      let characters = 0;
      for (const [name, value] of actual ?? []) characters += name.length + value.length;
      if (characters > input.text.length) throw new Error(`${characters} characters of ${input.text.length} bytes`);
    },
    *smaller(input) {
      for (const text of smallerTexts(input.text)) yield { ...input, text };
    },
    show: (input) => JSON.stringify(input),
  };
}

function accepted(read: PairsReader, input: PairsInput): ReadonlyMap<string, string> | undefined {
  try {
    return read(input);
  } catch (error) {
    if (error instanceof GridError && (error.code === 'REQUEST_MALFORMED' || error.code === 'LIMIT_EXCEEDED')) {
      return undefined;
    }
    throw error;
  }
}

function pair(random: Random): string {
  const name = random.pick(NAMES);
  if (oneIn(random, 10)) return name;
  return `${name}=${several(random, 0, 4, () => part(random)).join('')}`;
}

function part(random: Random): string {
  if (oneIn(random, 8)) return random.pick(BROKEN);
  return oneIn(random, 2) ? random.pick(PLAIN) : random.pick(UTF8);
}

/** Returns the parameters, undefined for input that must be rejected, or 'unknown' if there is no model. */
function modelPairs({ text, charset }: PairsInput): Map<string, string> | undefined | 'unknown' {
  const label = charset?.toLowerCase() ?? 'utf-8';
  if (label === 'no-such-charset' || label === '') return undefined;
  const isLatin = ['iso-8859-1', 'latin1', 'us-ascii'].includes(label);
  if (!isLatin && label !== 'utf-8' && label !== 'utf8') return 'unknown';
  const result = new Map<string, string>();
  const pairs = text.split('&').filter((each) => each !== '');
  if (pairs.length > MAX_PAIRS) return undefined;
  for (const each of pairs) {
    const equals = each.indexOf('=');
    const parts = equals < 0 ? [each, ''] : [each.slice(0, equals), each.slice(equals + 1)];
    const [name, value] = parts.map((raw) => modelText(raw, isLatin));
    if (name === undefined || value === undefined) return undefined;
    if (!result.has(name)) result.set(name, value);
  }
  return result;
}

/** Decodes percent codes and blanks, then the bytes; undefined if any are invalid. */
function modelText(raw: string, isLatin: boolean): string | undefined {
  const bytes: number[] = [];
  for (let at = 0; at < raw.length; at++) {
    if (raw[at] !== '%') {
      bytes.push(raw[at] === '+' ? 32 : raw.charCodeAt(at));
      continue;
    }
    const digits = raw.slice(at + 1, at + 3);
    if (!/^[0-9a-f]{2}$/i.test(digits)) return undefined;
    bytes.push(Number.parseInt(digits, 16));
    at += 2;
  }
  if (isLatin) return String.fromCharCode(...bytes);
  return modelUtf8(bytes);
}

/** Decodes UTF-8 by table 3-7 of Unicode; a character that is cut off at the end becomes U+FFFD. */
function modelUtf8(bytes: readonly number[]): string | undefined {
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at] ?? 0;
    const size = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
    if (size === 0) return undefined;
    let point = size === 1 ? lead : lead & (0x7f >> size);
    for (let next = 1; next < size; next++) {
      const byte = bytes[at + next];
      if (byte === undefined) return `${text}\ufffd`;
      const low = next > 1 ? 0x80 : lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
      const high = next > 1 ? 0xbf : lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
      if (byte < low || byte > high) return undefined;
      point = (point << 6) | (byte & 0x3f);
    }
    text += String.fromCodePoint(point);
    at += size;
  }
  return text;
}
