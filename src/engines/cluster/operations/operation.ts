/** The form of an operation of the protocol: a code, a writer of its body, a reader of its answer. */
import type { BinaryContext } from '../binary/context.ts';
import type { ByteReader } from '../protocol/byte-reader.ts';
import type { ByteWriter } from '../protocol/byte-writer.ts';
import type { Features } from '../protocol/features.ts';

/** What a body's layout depends on. */
export interface Session {
  readonly features: Features;
  readonly context: BinaryContext;
}

/**
 * What may be done when the answer is lost. `read`: ask another node. `idempotent`: the same effect a second time, so
 * ask again. `once`: the outcome is unknown, unless the request never left.
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
 * Reads the number of items (four bytes), then the items, each of at least `leastBytes` bytes. Throws MalformedMessage
 * before the first item when there are too few bytes for them.
 */
export function readMany<T>(reader: ByteReader, leastBytes: number, readOne: () => T): T[] {
  const items: T[] = [];
  for (let left = reader.count(leastBytes); left > 0; left--) items.push(readOne());
  return items;
}

/** Writes the number of items, then the items. */
export function writeMany<T>(writer: ByteWriter, items: readonly T[], writeOne: (item: T) => void): void {
  writer.i32(items.length);
  for (const item of items) writeOne(item);
}

/** Operations without an answer. */
export function nothing(): void {}
