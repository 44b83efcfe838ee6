/** Operations of the protocol: a code, a writer of the request's body, and a reader of the response's body. */
import type { BinaryContext } from '../binary/context.ts';
import type { ByteReader } from '../protocol/byte-reader.ts';
import type { ByteWriter } from '../protocol/byte-writer.ts';
import type { Features } from '../protocol/features.ts';

/** The state that the layout of a body depends on. */
export interface Session {
  readonly features: Features;
  readonly context: BinaryContext;
}

/**
 * Determines what happens if a response is lost. `read`: the request is sent to another node. `idempotent`: it is
 * sent again, because repeating it has the same effect, and no other client changes the same data in the meantime.
 * `once`: the outcome is reported as unknown, unless the request was not sent. A repeated put or removal has the same
 * effect only if no other client writes the key: otherwise, sending it again would undo a change that was
 * acknowledged in between.
 */
export type RetryRule = 'read' | 'idempotent' | 'once';

export interface Operation<A, R> {
  readonly name: string;
  readonly code: number;
  readonly retry: RetryRule;
  write(writer: ByteWriter, args: A, session: Session): void;
  read(reader: ByteReader, session: Session): R;
}

/**
 * Reads a count of four bytes, then that many items of at least `minBytes` bytes each. Throws MalformedMessage before
 * the first item if the remaining bytes cannot hold them.
 */
export function readMany<T>(reader: ByteReader, minBytes: number, readOne: () => T): T[] {
  const items: T[] = [];
  for (let left = reader.count(minBytes); left > 0; left--) items.push(readOne());
  return items;
}

/** Writes the number of items, then the items. */
export function writeMany<T>(writer: ByteWriter, items: readonly T[], writeOne: (item: T) => void): void {
  writer.i32(items.length);
  for (const item of items) writeOne(item);
}

/** Reads or writes an empty body. */
export function nothing(): void {}
