/** Reads form bodies in UTF-8, ISO-8859-1 and the other charsets that the runtime knows. */
import { HTTP_BOUNDS } from '../base/limits.ts';
import type { SlicedWork } from '../base/slices.ts';
import { strictDecoder } from './body-text.ts';
import { checkCommand, FormDecoder, type ParameterSink } from './form-decoder.ts';
import { malformed, readPairs } from './parameters.ts';

const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** Charsets in which a byte below 128 may be a part of any character. Browsers send no forms in them. */
const NOT_LIKE_ASCII = /^(?:utf-16|iso-2022)/;

/**
 * Returns the work that adds the fields of a form to the sink, or undefined when it has done so already. `charset` in
 * lower case; undefined: UTF-8. Throws REQUEST_MALFORMED, LIMIT_EXCEEDED, COMMAND_CONFLICT.
 */
export function formWork(body: Uint8Array, charset: string | undefined, sink: ParameterSink): SlicedWork | undefined {
  const label = charset === undefined || charset === 'utf8' ? 'utf-8' : charset;
  if (NOT_LIKE_ASCII.test(label)) {
    readUnlikeAscii(body, label, sink);
    return undefined;
  }
  if (label === 'utf-8' && body.length <= HTTP_BOUNDS.smallFormBytes && sink.only === undefined) {
    const text = utf8Text(body);
    if (text !== undefined) {
      readText(text, sink);
      return undefined;
    }
  }
  return new FormDecoder(body, label, sink);
}

function utf8Text(body: Uint8Array): string | undefined {
  try {
    return STRICT_UTF8.decode(body);
  } catch {
    return undefined;
  }
}

/** The text as a whole is in the charset, and so are the bytes of each run of percent codes. */
function readUnlikeAscii(body: Uint8Array, label: string, sink: ParameterSink): void {
  if (sink.only !== undefined) return;
  if (body.length > HTTP_BOUNDS.smallFormBytes)
    throw malformed(`a form in ${label} can have at most ${HTTP_BOUNDS.smallFormBytes} bytes`);
  const decoder = strictDecoder(label);
  const strictly = (bytes: Uint8Array) => {
    try {
      return decoder.decode(bytes);
    } catch {
      throw malformed(`the body is not valid ${label}`);
    }
  };
  const run = (codes: string) => strictly(Uint8Array.fromHex(codes.replaceAll('%', '')));
  // Codes of this charset become codes of UTF-8, which pairs are decoded from.
  const text = strictly(body).replace(/(?:%[0-9a-fA-F]{2})+/g, (codes) => encodeURIComponent(run(codes)));
  readText(text, sink);
}

function readText(text: string, { into, limit, alreadyRead, command }: ParameterSink): void {
  if (command === undefined) {
    readPairs(text, 0, into, limit, alreadyRead);
    return;
  }
  const own = new Map<string, string>();
  readPairs(text, 0, own, limit, alreadyRead);
  checkCommand(command, own.get('cmd') ?? command);
  for (const [name, value] of own) {
    if (!into.has(name)) into.set(name, value);
  }
}
