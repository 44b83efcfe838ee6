/** Reads entries as JSON, without creating a value for each key and value. */
import type { ByteReader } from '../protocol/byte-reader.ts';

/** Longer lists are read value by value, so that the buffer below stays small. */
const MAX_BYTES = 64 * 1024;
const MIN_ENTRY_BYTES = 2;
const [OPENING_BRACE, COLON, COMMA, CLOSING_BRACE] = [0x7b, 0x3a, 0x2c, 0x7d] as const;
/** Quotes and separators take no more bytes than the type codes and lengths that they replace. */
const buffer = Buffer.alloc(MAX_BYTES);

/**
 * Reads a list of keys and values as a JSON object. Returns undefined, with the position undetermined, unless all are
 * strings that need no escapes. Throws MalformedMessage.
 */
export function readEntryTexts(reader: ByteReader): string | undefined {
  if (reader.remaining > MAX_BYTES) return undefined;
  const count = reader.count(MIN_ENTRY_BYTES);
  if (count === 0) return '{}';
  let at = 0;
  for (let index = 0; index < count; index++) {
    buffer[at] = index === 0 ? OPENING_BRACE : COMMA;
    at = reader.copyPlainText(buffer, at + 1);
    if (at < 0) return undefined;
    buffer[at] = COLON;
    at = reader.copyPlainText(buffer, at + 1);
    if (at < 0) return undefined;
  }
  buffer[at] = CLOSING_BRACE;
  return buffer.toString('latin1', 0, at + 1);
}
