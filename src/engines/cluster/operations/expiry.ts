/** Expiry policies of operations and caches (docs/spec/ignite-wire.md 3). */
import type { ByteReader } from '../protocol/byte-reader.ts';
import type { ByteWriter } from '../protocol/byte-writer.ts';

/**
 * Times to live in ms. {@link UNCHANGED_MS} keeps the expiry, {@link ETERNAL_MS} removes it, and 0 expires immediately.
 */
export interface Expiry {
  readonly createMs: bigint;
  readonly updateMs: bigint;
  readonly accessMs: bigint;
}

/** The values for "no time" (docs/spec/ignite-wire.md 3). */
export const UNCHANGED_MS = -2n;
export const ETERNAL_MS = -1n;

export function writeExpiry(writer: ByteWriter, { createMs, updateMs, accessMs }: Expiry): void {
  writer.i64(createMs);
  writer.i64(updateMs);
  writer.i64(accessMs);
}

export function readExpiry(reader: ByteReader): Expiry {
  return { createMs: reader.i64(), updateMs: reader.i64(), accessMs: reader.i64() };
}
