/** Writes and reads the handshake of a connection: versions, features, credentials (docs/spec/ignite-wire.md 1). */

import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';
import { Features, offeredFeatures } from './features.ts';
import { readString, writeString } from './strings.ts';
import { CODE } from './type-codes.ts';
import { decodeUuidRaw } from './uuids.ts';

export interface ProtocolVersion {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

export const NEWEST_VERSION: ProtocolVersion = { major: 1, minor: 7, patch: 0 };
/** Responses of older versions have another header, so the engine rejects clusters that are older. */
const OLDEST_MINOR = 4;

export interface Credentials {
  readonly user: string;
  readonly password: string;
}

const HANDSHAKE = 1;
const THIN_CLIENT = 2;
/** Status code of a handshake that was rejected because of its credentials. */
export const AUTHENTICATION_FAILED = 2000;

export function writeHandshake(
  writer: ByteWriter,
  version: ProtocolVersion,
  credentials: Credentials | undefined,
): void {
  const start = writer.length;
  writer.i32(0);
  writer.u8(HANDSHAKE);
  writer.i16(version.major);
  writer.i16(version.minor);
  writer.i16(version.patch);
  writer.u8(THIN_CLIENT);
  if (version.minor >= 7) {
    const features = offeredFeatures();
    writer.u8(CODE.BYTE_ARRAY);
    writer.i32(features.length);
    writer.raw(features);
    writer.u8(CODE.NULL);
  }
  if (credentials) {
    writeString(writer, credentials.user);
    writeString(writer, credentials.password);
  }
  writer.setI32(start, writer.length - start - 4);
}

export type HandshakeResponse =
  | { readonly accepted: true; readonly features: Features; readonly nodeId: string }
  | { readonly accepted: false; readonly version: ProtocolVersion; readonly message: string; readonly code: number };

/** Reads the response to a handshake with this version. */
export function readHandshakeResponse(reader: ByteReader, version: ProtocolVersion): HandshakeResponse {
  if (!reader.bool()) {
    const server = { major: reader.i16(), minor: reader.i16(), patch: reader.i16() };
    const message = readString(reader) ?? '';
    return { accepted: false, version: server, message, code: reader.remaining >= 4 ? reader.i32() : 1 };
  }
  let features = new Features(new Uint8Array(0));
  if (version.minor >= 7) {
    reader.u8();
    features = new Features(Uint8Array.from(reader.raw(reader.i32())));
  }
  reader.u8();
  return { accepted: true, features, nodeId: decodeUuidRaw(reader) };
}

/** Returns the version to try after a rejection: that of the node if it is older but supported. */
export function fallbackVersion(tried: ProtocolVersion, offered: ProtocolVersion): ProtocolVersion | undefined {
  const older = offered.major === 1 && offered.minor < tried.minor && offered.minor >= OLDEST_MINOR;
  return older ? offered : undefined;
}
