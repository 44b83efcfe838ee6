/** Reads form bodies in UTF-8, ISO-8859-1 and the other charsets that the runtime supports. */
import { detached } from '../base/detached.ts';
import { gridError } from '../base/errors.ts';
import { HTTP_BOUNDS } from '../base/limits.ts';
import { STEP_CHARACTERS } from '../base/slices.ts';
import {
  brokenCode,
  checkCommand,
  codeAt,
  type Decode,
  decodeUtf8,
  encodeBytes,
  malformed,
  type ParameterSink,
  readPairs,
} from './parameters.ts';

/** Charsets in which a byte below 128 may be part of any character. Browsers send no forms in them. */
const NOT_LIKE_ASCII = /^(?:utf-16|iso-2022)/;
/** Labels of ISO 8859-1 and its subset ASCII, which TextDecoder would read as windows-1252. */
const LATIN_1 = new Set(['iso-8859-1', 'iso8859-1', 'iso_8859-1', 'latin1', 'l1', 'us-ascii', 'ascii']);
const [BLANK, PERCENT, PLUS] = [32, 37, 43];
const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Adds the fields of a form to the sink in steps; existing names keep their values. `charset` in lower case; UTF-8 if
 * undefined. Throws REQUEST_MALFORMED, LIMIT_EXCEEDED, COMMAND_CONFLICT.
 */
export function* readForm(
  body: Uint8Array,
  charset: string | undefined,
  { into, limit, command }: ParameterSink,
): Generator<undefined, void> {
  const { text, decode } = formText(body, charset === undefined || charset === 'utf8' ? 'utf-8' : charset);
  const fields = command === undefined ? into : new Map<string, string>();
  let pairs = into.size;
  for (let at = 0; at < text.length; ) {
    const end = endOfStep(text, at);
    if (end - at > STEP_CHARACTERS) {
      if (++pairs > limit) throw gridError('LIMIT_EXCEEDED', 'parameters', limit, pairs, 'parametersPerRequest');
      yield* readLongPair(text.slice(at, end), fields, decode);
    } else pairs = readPairs(detached(text.slice(at, end), text), 0, fields, limit, pairs, decode);
    at = end + 1;
    if (at < text.length) yield;
  }
  if (command === undefined) return;
  checkCommand(command, fields.get('cmd') ?? command);
  for (const [name, value] of fields) {
    if (!into.has(name)) into.set(name, value);
  }
}

/** Returns the end of the pairs for one step: as many as fit, or a single one. */
function endOfStep(text: string, start: number): number {
  const most = start + STEP_CHARACTERS;
  if (text.length <= most) return text.length;
  const last = text.slice(start, most).lastIndexOf('&');
  if (last >= 0) return start + last;
  const next = text.indexOf('&', most);
  return next < 0 ? text.length : next;
}

function* readLongPair(pair: string, fields: Map<string, string>, decode: Decode): Generator<undefined, void> {
  const equals = pair.indexOf('=');
  const name = yield* decodeInParts(equals < 0 ? pair : pair.slice(0, equals), decode);
  const value = equals < 0 ? '' : yield* decodeInParts(pair.slice(equals + 1), decode);
  if (!fields.has(name)) fields.set(name, value);
}

function* decodeInParts(text: string, decode: Decode): Generator<undefined, string> {
  let decoded = '';
  for (let at = 0; at < text.length; ) {
    const end = endOfPart(text, at);
    decoded += decode(detached(text.slice(at, end), text), end === text.length);
    at = end;
    yield;
  }
  return decoded;
}

/** Returns the end of a part that divides neither a percent code nor the codes of a UTF-8 character. */
function endOfPart(text: string, start: number): number {
  let end = start + STEP_CHARACTERS;
  if (end >= text.length) return text.length;
  if (text.charCodeAt(end - 1) === PERCENT) end -= 1;
  else if (text.charCodeAt(end - 2) === PERCENT) end -= 2;
  for (let moved = 0; moved < 3 && isContinuation(text, end); moved++) end -= 3;
  return end;
}

/** Reports whether the code at an index continues the character of the code before it. */
function isContinuation(text: string, at: number): boolean {
  return (codeAt(text, at) & 0xc0) === 0x80 && codeAt(text, at - 3) >= 0;
}

/** The text of a form, and the decoder of its names and values. */
interface FormText {
  readonly text: string;
  readonly decode: Decode;
}

function formText(body: Uint8Array, label: string): FormText {
  if (label === 'utf-8') return { text: utf8Text(body), decode: decodeUtf8 };
  if (NOT_LIKE_ASCII.test(label)) return { text: textUnlikeAscii(body, label), decode: decodeUtf8 };
  const strictly = strictDecoder(label);
  return { text: latin1Text(body), decode: (text, isLast) => strictly(bytesOf(text), isLast) };
}

function utf8Text(body: Uint8Array): string {
  try {
    return STRICT_UTF8.decode(body);
  } catch {
    // A character cut off at the end of a value is accepted, as are its percent codes.
    if (body.length <= HTTP_BOUNDS.smallFormBytes) return encodeBytes(latin1Text(body));
    throw malformed('the percent-encoded parameters are not valid UTF-8');
  }
}

/** The text as a whole is in the charset, and so are the bytes of each run of percent codes. */
function textUnlikeAscii(body: Uint8Array, label: string): string {
  if (body.length > HTTP_BOUNDS.smallFormBytes)
    throw malformed(`a form in ${label} can have at most ${HTTP_BOUNDS.smallFormBytes} bytes`);
  const strictly = strictDecoder(label);
  const run = (codes: string) => strictly(Uint8Array.fromHex(codes.replaceAll('%', '')));
  // Codes of this charset become codes of UTF-8, which pairs are decoded from.
  return strictly(body).replace(/(?:%[0-9a-fA-F]{2})+/g, (codes) => encodeURIComponent(run(codes)));
}

/** Returns the bytes of a name or value whose text has a character for each byte that is not encoded. */
function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== PERCENT) bytes[length++] = code === PLUS ? BLANK : code;
    else {
      const byte = codeAt(text, at);
      if (byte < 0) throw brokenCode();
      bytes[length++] = byte;
      at += 2;
    }
  }
  return bytes.subarray(0, length);
}

function latin1Text(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

/** Returns a function that decodes bytes in a charset, followed by more unless these are the last ones. */
function strictDecoder(label: string): (bytes: Uint8Array, isLast?: boolean) => string {
  if (LATIN_1.has(label)) return latin1Text;
  const decoder = createDecoder(label);
  return (bytes, isLast = true) => {
    try {
      return decoder.decode(bytes, { stream: !isLast });
    } catch {
      throw malformed(`the body is not valid ${label}`);
    }
  };
}

function createDecoder(label: string): TextDecoder {
  try {
    return new TextDecoder(label as Bun.Encoding, { fatal: true });
  } catch {
    throw malformed(`unknown charset ${JSON.stringify(label)}`);
  }
}
