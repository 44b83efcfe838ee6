/** Continuous queries: the request that starts one, and the notifications that follow (docs/spec/ignite-wire.md 4). */
import type { ChangeOperation } from '../../../grid/change-feed.ts';
import type { Value } from '../../../values/value.ts';
import { decodeValue } from '../binary/decoder.ts';
import { type ByteReader, MalformedMessage } from '../protocol/byte-reader.ts';
import type { ByteWriter } from '../protocol/byte-writer.ts';
import { CODE } from '../protocol/type-codes.ts';
import { writeCacheHeader } from './entry-operations.ts';
import { readMany, type Session } from './operation.ts';

/** An event of a continuous query. */
export interface CacheEvent {
  readonly operation: ChangeOperation;
  readonly key: Value;
  readonly value: Value | undefined;
  readonly oldValue: Value | undefined;
}

/** The kinds of events by code. */
const OPERATIONS: readonly ChangeOperation[] = ['created', 'updated', 'removed', 'expired'];
/** Nodes send each event immediately. With a higher number, they wait until that many have happened, or for a time. */
const EVENTS_PER_NOTIFICATION = 1;
const NO_INTERVAL = 0n;
/** Minimum bytes of an event: three values and its kind. */
const EVENT_BYTES = 4;

export const CONTINUOUS_QUERY = {
  code: 2006,
  /** Writes the request. Events of expired entries are included, and no filter excludes any. */
  write(writer: ByteWriter, cacheId: number): void {
    writeCacheHeader(writer, { cacheId });
    writer.i32(EVENTS_PER_NOTIFICATION);
    writer.i64(NO_INTERVAL);
    writer.bool(true);
    writer.u8(CODE.NULL);
  },
  /** Returns the id of the query, whose notifications follow. */
  read: (reader: ByteReader): number => reader.i64Number(),
  readEvents: (reader: ByteReader, session: Pick<Session, 'context'>): CacheEvent[] =>
    readMany(reader, EVENT_BYTES, () => readEvent(reader, session)),
};

function readEvent(reader: ByteReader, { context }: Pick<Session, 'context'>): CacheEvent {
  const key = decodeValue(reader, context);
  const oldValue = decodeValue(reader, context);
  const value = decodeValue(reader, context);
  const kind = reader.u8();
  const operation = OPERATIONS[kind];
  if (operation === undefined) throw new MalformedMessage(`an event of the kind ${kind}`);
  return { operation, key, value: presentOf(value), oldValue: presentOf(oldValue) };
}

function presentOf(value: Value): Value | undefined {
  return value.type === 'null' ? undefined : value;
}
