/** The protocol's strings: a type code followed by a length and UTF-8 bytes, or the code of null. */
import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';
import { CODE } from './type-codes.ts';

/** Writes a string or null with its type code. */
export function writeString(writer: ByteWriter, text: string | undefined): void {
  if (text === undefined) {
    writer.u8(CODE.NULL);
    return;
  }
  writer.u8(CODE.STRING);
  writer.utf8(text);
}

/** Reads a string with its type code; returns undefined for null. */
export function readString(reader: ByteReader): string | undefined {
  return reader.u8() === CODE.NULL ? undefined : reader.utf8();
}
