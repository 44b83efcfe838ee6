/** Reads `name=value&...` texts: query strings and form bodies (behaviour-data.md 1). */
import { fail } from '../base/errors.ts';

/** Decodes the percent codes and blanks of a name or a value. */
export type DecodeText = (text: string) => string;

/**
 * Adds the pairs of `text` from index `start` on to `into`; a name that is there already keeps its value, a name
 * without `=` is the empty text, empty pairs are skipped. Refuses LIMIT_EXCEEDED when more than `limit` pairs would
 * have been read, `alreadyRead` counted. Gives the number of pairs read so far.
 */
export function readPairs(
  text: string,
  start: number,
  into: Map<string, string>,
  limit: number,
  alreadyRead: number,
  decode: DecodeText = decodeUtf8,
): number {
  const length = text.length;
  // Most query strings have nothing to decode, and asking once is cheaper than asking of each part.
  const plain = text.indexOf('%', start) < 0 && text.indexOf('+', start) < 0;
  let pairs = alreadyRead;
  // Kept over the loop: searching it anew for each pair would be quadratic where no pair has one.
  let equals = -1;
  for (let at = start; at < length; ) {
    const found = text.indexOf('&', at);
    const end = found < 0 ? length : found;
    if (end > at) {
      if (equals < at) {
        equals = text.indexOf('=', at);
        if (equals < 0) equals = length;
      }
      if (++pairs > limit) throw fail('LIMIT_EXCEEDED', 'parameters', limit, pairs);
      const nameEnd = Math.min(equals, end);
      const name =
        frequentName(text, at, nameEnd) ?? (plain ? text.slice(at, nameEnd) : decode(text.slice(at, nameEnd)));
      let value = nameEnd < end ? text.slice(nameEnd + 1, end) : '';
      if (!plain) value = name === 'qry' ? decodeStatement(value, decode) : decode(value);
      if (!into.has(name)) into.set(name, value);
    }
    at = end + 1;
  }
  return pairs;
}

const FREQUENT_NAMES = [
  'cmd',
  'cacheName',
  'key',
  'val',
  'keyType',
  'valueType',
  'sessionToken',
  'qry',
  'arg1',
  'arg2',
  'pageSize',
];

/** One of the names that nearly every request has: comparing is cheaper than making and hashing a text. */
function frequentName(text: string, start: number, end: number): string | undefined {
  const length = end - start;
  for (const name of FREQUENT_NAMES) {
    if (name.length === length && text.startsWith(name, start)) return name;
  }
  return undefined;
}

/** Longer statements are decoded each time. */
const KEPT_CHARACTERS = 2_048;
const KEPT_STATEMENTS = 512;
/** Nothing secret stays here. */
const PASSWORD = /password/i;
const keptStatements = new Map<string, string>();

/**
 * Statements come again and again with other arguments: finding the text that was decoded once costs less than decoding
 * it, and what is found by it later is found faster, because it is the same text in memory.
 */
function decodeStatement(text: string, decode: DecodeText): string {
  if (decode !== decodeUtf8 || text.length > KEPT_CHARACTERS) return decode(text);
  const known = keptStatements.get(text);
  if (known !== undefined) return known;
  const decoded = decode(text);
  if (decoded === text || PASSWORD.test(decoded)) return decoded;
  if (keptStatements.size >= KEPT_STATEMENTS) keptStatements.clear();
  // A part of a text keeps the whole of it in memory, a copy does not.
  keptStatements.set(Buffer.from(text, 'latin1').toString('latin1'), decoded);
  return decoded;
}

/**
 * A text of one byte a character with the bytes beyond ASCII as percent codes, so that one rule judges both spellings:
 * UTF-8 cut off at the end of a value is accepted, anything else that is no UTF-8 refused.
 */
export function encodeBytes(text: string): string {
  return BEYOND_ASCII.test(text)
    ? text.replace(/[\u0080-\u00ff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`)
    : text;
}

const BEYOND_ASCII = /[\u0080-\u00ff]/;

/** Decodes `+` and percent codes. UTF-8 cut off at the end is U+FFFD; other wrong codes are REQUEST_MALFORMED. */
export function decodeUtf8(text: string): string {
  if (!text.includes('%')) return text.includes('+') ? text.replaceAll('+', ' ') : text;
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return decodeCutOff(spaced);
  }
}

const BROKEN_CODE = /%(?![0-9a-fA-F]{2})/;
const CODES_AT_END = /(?:%[0-9a-fA-F]{2})+$/;

/** The text whose last percent codes are the beginning of a character. */
function decodeCutOff(text: string): string {
  const broken = BROKEN_CODE.exec(text);
  if (broken !== null)
    throw malformed(`broken percent code at ${JSON.stringify(text.slice(broken.index, broken.index + 6))}`);
  const codes = CODES_AT_END.exec(text)?.[0] ?? '';
  const bytes =
    codes
      .slice(-9)
      .match(/[0-9a-f]{2}/gi)
      ?.map((code) => Number.parseInt(code, 16)) ?? [];
  for (let count = 1; count <= Math.min(3, bytes.length); count++) {
    if (!beginsCharacter(bytes.slice(-count))) continue;
    try {
      return `${decodeURIComponent(text.slice(0, -3 * count))}\ufffd`;
    } catch {
      break;
    }
  }
  throw malformed('the percent codes are no UTF-8');
}

/** Whether the bytes are a proper part of a character in UTF-8, from its first byte on (Unicode, table 3-7). */
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

/** Makes the decoder of a form body in another charset than UTF-8; `toText` reads bytes of that charset. */
export function decoderOf(toText: (bytes: Uint8Array) => string): DecodeText {
  return (text) => {
    if (!text.includes('%')) return text.replaceAll('+', ' ');
    const broken = BROKEN_CODE.exec(text);
    if (broken !== null)
      throw malformed(`broken percent code at ${JSON.stringify(text.slice(broken.index, broken.index + 6))}`);
    const spaced = text.replaceAll('+', ' ');
    return spaced.replace(/(?:%[0-9a-fA-F]{2})+/g, (codes) => toText(Uint8Array.fromHex(codes.replaceAll('%', ''))));
  };
}

export function malformed(reason: string): Error {
  return fail('REQUEST_MALFORMED', reason);
}
