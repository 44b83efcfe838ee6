/** Parses `name=value&...`: query strings and form bodies (docs/spec/ignite-data.md 1). */
import { gridError } from '../base/errors.ts';
import { numberedNames } from '../base/numbered-names.ts';
import { TextCache } from '../base/text-cache.ts';
import type { FindStructured } from '../values/json-parameters.ts';

/** Collects a body's parameters. The first value of a name counts; those in the query string are already present. */
export interface ParameterSink {
  readonly into: Map<string, string>;
  /** Maximum number of parameters, including those already present. */
  readonly limit: number;
  readonly findStructured?: FindStructured | undefined;
  /** The command that the path names; a parameter `cmd` must name the same one. */
  readonly command?: string | undefined;
  /** Receives the types of keys and values of a JSON body. If undefined, only types that the request names count. */
  readonly types?: Map<string, string> | undefined;
}

/** Throws COMMAND_CONFLICT if the path and `cmd` name different commands. Names match in any letter case. */
export function checkCommand(command: string | undefined, cmd: string): void {
  if (command !== undefined && command.toLowerCase() !== cmd.toLowerCase()) {
    throw gridError('COMMAND_CONFLICT', command, cmd);
  }
}

/** Decodes a name or value, or a part of one other than the last. Throws REQUEST_MALFORMED. */
export type Decode = (text: string, isLast?: boolean) => string;

/**
 * Adds the pairs of `text` from index `start` on to `into`. Existing names keep their values, a name without `=` has
 * the empty string, and empty pairs are skipped. Throws LIMIT_EXCEEDED for more than `limit` pairs, including
 * `alreadyRead`. Returns the number of pairs read so far.
 */
export function readPairs(
  text: string,
  start: number,
  into: Map<string, string>,
  limit: number,
  alreadyRead: number,
  decode: Decode = decodeUtf8,
): number {
  const length = text.length;
  const isUtf8 = decode === decodeUtf8;
  let pairs = alreadyRead;
  for (let at = start; at < length; ) {
    const nameEnd = endOfName(text, at);
    const hasValue = text.charCodeAt(nameEnd) === EQUALS;
    const valueStart = hasValue ? nameEnd + 1 : nameEnd;
    const shortEnd = isUtf8 ? endOfShort(text, valueStart) : -1;
    const end = shortEnd < 0 ? endOfPair(text, valueStart) : shortEnd;
    if (end > at) {
      if (++pairs > limit) throw gridError('LIMIT_EXCEEDED', 'parameters', limit, pairs, 'parametersPerRequest');
      const name = frequentName(text, at, nameEnd) ?? decode(text.slice(at, nameEnd));
      let value = text.slice(valueStart, end);
      if (shortEnd < 0) value = isUtf8 && name === 'qry' ? decodeStatement(value) : decode(value);
      if (!into.has(name)) into.set(name, value);
    }
    at = end + 1;
  }
  return pairs;
}

const [AMPERSAND, EQUALS, PERCENT, PLUS] = [38, 61, 37, 43];

/** Returns the end of the name that begins at `start`. */
function endOfName(text: string, start: number): number {
  let at = start;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === EQUALS || code === AMPERSAND) break;
  }
  return at;
}

/** Values up to this length are read in one go. The runtime's searches are calls out of compiled code. */
const SHORT_CHARACTERS = 24;

/** Returns the end of a short value that needs no decoding, or -1 for any other. */
function endOfShort(text: string, start: number): number {
  const most = start + SHORT_CHARACTERS;
  for (let at = start; at < most; at++) {
    if (at === text.length) return at;
    const code = text.charCodeAt(at);
    if (code === AMPERSAND) return at;
    if (code === PERCENT || code === PLUS) return -1;
  }
  return -1;
}

function endOfPair(text: string, start: number): number {
  const found = text.indexOf('&', start);
  return found < 0 ? text.length : found;
}

/** Names that many requests have, by length. */
const FREQUENT_NAMES: ReadonlyArray<readonly string[] | undefined> = [
  undefined,
  undefined,
  undefined,
  ['cmd', 'key', 'val', 'qry'],
  ['arg1', 'arg2', 'arg3', 'arg4'],
  undefined,
  undefined,
  ['keyType'],
  ['pageSize'],
  ['cacheName', 'valueType'],
  undefined,
  undefined,
  ['sessionToken'],
];

const keyName = numberedNames('k');
const valueName = numberedNames('v');
const [ZERO, LOWER_K, LOWER_V] = [48, 107, 118];

/** Returns a name that many requests have. Comparing is cheaper than creating and hashing a string. */
function frequentName(text: string, start: number, end: number): string | undefined {
  const length = end - start;
  // k1, v1 and so on: the longest requests have hundreds of them.
  if (length > 1 && length < 5) {
    const letter = text.charCodeAt(start);
    if (letter === LOWER_K || letter === LOWER_V) {
      const number = numberAt(text, start + 1, end);
      if (number > 0) return letter === LOWER_K ? keyName(number) : valueName(number);
    }
  }
  const names = FREQUENT_NAMES[length];
  if (names === undefined) return undefined;
  for (const name of names) {
    if (isAt(text, start, name)) return name;
  }
  return undefined;
}

/** Returns whether a string has a name at an index. The runtime's own `startsWith` is a call out of compiled code. */
function isAt(text: string, start: number, name: string): boolean {
  for (let at = 0; at < name.length; at++) {
    if (text.charCodeAt(start + at) !== name.charCodeAt(at)) return false;
  }
  return true;
}

/** Returns the number whose digits are from `start` to `end`, or 0 for anything else and for leading zeros. */
function numberAt(text: string, start: number, end: number): number {
  if (text.charCodeAt(start) === ZERO) return 0;
  let number = 0;
  for (let at = start; at < end; at++) {
    const digit = text.charCodeAt(at) - ZERO;
    if (digit < 0 || digit > 9) return 0;
    number = number * 10 + digit;
  }
  return number;
}

/** Longer statements are decoded each time. */
const KEPT_CHARACTERS = 2_048;
/** With the longest statements, the cache takes about 1 MiB (2 MiB beyond Latin-1) in each thread. */
const KEPT_STATEMENTS = 512;
/** Strings with passwords are not cached. */
const PASSWORD = /password/i;
const BEYOND_LATIN_1 = /[^\u0000-\u00ff]/;
const cachedStatements = new TextCache<string>({ max: KEPT_STATEMENTS });

/**
 * Returns a decoded statement. Clients repeat statements with other arguments: a look-up costs less than decoding, and
 * later look-ups by the statement are faster, because the string is the same object.
 */
function decodeStatement(text: string): string {
  if (text.length > KEPT_CHARACTERS) return decodeUtf8(text);
  const known = cachedStatements.get(text);
  if (known !== undefined) return known;
  const decoded = decodeUtf8(text);
  // The copy below keeps only the low bytes of other characters, so one string would get another's statement.
  if (decoded === text || PASSWORD.test(decoded) || BEYOND_LATIN_1.test(text)) return decoded;
  // A slice would keep the whole query string in memory; a copy does not.
  cachedStatements.set(Buffer.from(text, 'latin1').toString('latin1'), decoded);
  return decoded;
}

/**
 * Replaces the bytes beyond ASCII in a Latin-1 string by percent codes, so that one rule applies to both forms: UTF-8
 * that is cut off at the end of a value is accepted, and any other invalid UTF-8 is rejected.
 */
export function encodeBytes(text: string): string {
  return BEYOND_ASCII.test(text)
    ? text.replace(/[\u0080-\u00ff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`)
    : text;
}

const BEYOND_ASCII = /[\u0080-\u00ff]/;

/** Decodes `+` and percent codes. UTF-8 cut off at the end becomes U+FFFD. Throws REQUEST_MALFORMED. */
export function decodeUtf8(text: string, isLast = true): string {
  if (!text.includes('%')) return text.includes('+') ? text.replaceAll('+', ' ') : text;
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  const cutOff = isLast ? cutOffCodes(spaced) : 0;
  try {
    if (cutOff === 0) return decodeURIComponent(spaced);
    return `${decodeURIComponent(spaced.slice(0, -3 * cutOff))}\ufffd`;
  } catch {
    throw BROKEN_CODE.test(spaced) ? brokenCode() : malformed('the percent-encoded parameters are not valid UTF-8');
  }
}

const BROKEN_CODE = /%(?![0-9a-fA-F]{2})/;

/** Returns the error for a percent sign without two digits. It quotes nothing: the text may be part of a password. */
export function brokenCode(): Error {
  return malformed(
    'invalid percent-encoding: two hexadecimal digits must follow each %; %25 stands for a percent sign',
  );
}

/** Returns how many percent codes at the end, at most three, are the start of an incomplete character. */
function cutOffCodes(text: string): number {
  const bytes: number[] = [];
  for (let at = text.length - 3; at >= 0 && bytes.length < 3; at -= 3) {
    const byte = codeAt(text, at);
    if (byte < 0x80) return 0;
    bytes.unshift(byte);
    if (byte >= 0xc0) return beginsCharacter(bytes) ? bytes.length : 0;
  }
  return 0;
}

/** Returns the byte of the percent code at an index, or -1. */
export function codeAt(text: string, at: number): number {
  if (text.charCodeAt(at) !== 37) return -1;
  const high = hexDigit(text.charCodeAt(at + 1));
  const low = hexDigit(text.charCodeAt(at + 2));
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

/** Returns the value of a hexadecimal digit's character code, or -1. */
export function hexDigit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const letter = code | 32;
  return letter >= 97 && letter <= 102 && code < 128 ? letter - 87 : -1;
}

/** Returns whether the bytes are the incomplete start of a UTF-8 character (Unicode, table 3-7). */
function beginsCharacter(bytes: readonly number[]): boolean {
  const [lead = 0, second, third] = bytes;
  const length =
    lead >= 0xc2 && lead <= 0xdf ? 2 : lead >= 0xe0 && lead <= 0xef ? 3 : lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
  if (bytes.length >= length) return false;
  if (second !== undefined) {
    const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
    const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
    if (second < low || second > high) return false;
  }
  return third === undefined || (third >= 0x80 && third <= 0xbf);
}

export function malformed(reason: string): Error {
  return gridError('REQUEST_MALFORMED', reason);
}

/**
 * The beginnings of targets, up to the end of a pair. Clients repeat them, and change a key or a statement's arguments.
 * Their parameters are copied instead of read again, and later look-ups by their values are faster, because the strings
 * are the same objects.
 */
interface Beginning {
  readonly text: string;
  readonly params: ReadonlyMap<string, string>;
  readonly pairs: number;
}

/** Maximum number of beginnings that a thread caches, and their maximum length. */
const KEPT_BEGINNINGS = 4;
const BEGINNING_CHARACTERS = 2_048;
/** Every this many requests, a request is compared with the next one. */
const COMPARED_REQUESTS = 64;

/** The last one found comes first. */
let beginnings: readonly Beginning[] = [];
let requests = 0;
let compared: string | undefined;

/** Returns the parameters of a target's query string, which begins at `start`. Throws like `readPairs`. */
export function readQuery(target: string, start: number, limit: number): Map<string, string> {
  if (++requests >= COMPARED_REQUESTS) compare(target, start);
  for (const known of beginnings) {
    if (known.pairs >= limit || !target.startsWith(known.text)) continue;
    const params = new Map(known.params);
    readPairs(target, known.text.length, params, limit, known.pairs);
    return params;
  }
  const params = new Map<string, string>();
  readPairs(target, start, params, limit, 0);
  return params;
}

/** Keeps the target, or the part that it has in common with the one kept before. */
function compare(target: string, start: number): void {
  if (compared === undefined) {
    // Nothing is kept of a string with a password.
    if (!PASSWORD.test(target)) compared = target;
    return;
  }
  const end = commonEnd(compared, target, start);
  compared = undefined;
  requests = 0;
  if (
    end === 0 ||
    end > BEGINNING_CHARACTERS ||
    beginnings.some(({ text }) => text.length === end && target.startsWith(text))
  )
    return;
  // A slice would keep the whole target in memory; a copy does not.
  const text = Buffer.from(target.slice(0, end), 'latin1').toString('latin1');
  const params = new Map<string, string>();
  const pairs = readPairs(text, start, params, Number.POSITIVE_INFINITY, 0);
  beginnings = [{ text, params, pairs }, ...beginnings.slice(0, KEPT_BEGINNINGS - 1)];
}

/** Returns the end of the pairs from `start` on with which both targets begin, or 0 if they have none in common. */
function commonEnd(one: string, other: string, start: number): number {
  let end = 0;
  for (let at = 0; at < one.length && one.charCodeAt(at) === other.charCodeAt(at); at++) {
    if (at >= start && one.charCodeAt(at) === AMPERSAND) end = at + 1;
  }
  return end;
}
