/** Writes and reads the handshake of a connection: version, features, credentials (docs/spec/ignite-wire.md 1). */

import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';
import { Features, offeredFeatures } from './features.ts';
import { readString, writeString } from './strings.ts';
import { CODE } from './type-codes.ts';
import { decodeUuidRaw } from './uuids.ts';

/** The version of the protocol. It is the last one: later additions are features. */
const VERSION = [1, 7, 0] as const;

export interface Credentials {
  readonly user: string;
  readonly password: string;
}

const HANDSHAKE = 1;
const THIN_CLIENT = 2;
/** Status code for a handshake that was rejected because of its credentials. */
export const AUTHENTICATION_FAILED = 2000;

export function writeHandshake(writer: ByteWriter, credentials: Credentials | undefined): void {
  const start = writer.length;
  writer.i32(0);
  writer.u8(HANDSHAKE);
  for (const part of VERSION) writer.i16(part);
  writer.u8(THIN_CLIENT);
  const features = offeredFeatures();
  writer.u8(CODE.BYTE_ARRAY);
  writer.i32(features.length);
  writer.raw(features);
  writer.u8(CODE.NULL);
  if (credentials) {
    writeString(writer, credentials.user);
    writeString(writer, credentials.password);
  }
  writer.setI32(start, writer.length - start - 4);
}

export type HandshakeResponse =
  | { readonly accepted: true; readonly features: Features; readonly nodeId: string }
  | { readonly accepted: false; readonly message: string; readonly code: number };

/** Reads the response to a handshake. */
export function readHandshakeResponse(reader: ByteReader): HandshakeResponse {
  if (!reader.bool()) {
    const version = [reader.i16(), reader.i16(), reader.i16()].join('.');
    const reason = readString(reader) ?? '';
    const own = VERSION.join('.');
    const message = version === own ? reason : `${reason} The node speaks protocol ${version}, and svc ${own}.`;
    return { accepted: false, message, code: reader.remaining >= 4 ? reader.i32() : 1 };
  }
  reader.u8();
  const features = new Features(Uint8Array.from(reader.raw(reader.i32())));
  reader.u8();
  return { accepted: true, features, nodeId: decodeUuidRaw(reader) };
}
