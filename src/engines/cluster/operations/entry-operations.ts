/** Operations on entries (docs/spec/ignite-wire.md 3). */
import type { Entry } from '../../../grid/grid.ts';
import type { Value } from '../../../values/value.ts';
import { decodeWhole } from '../binary/decoder.ts';
import { encodeValue } from '../binary/encoder.ts';
import type { ByteReader } from '../protocol/byte-reader.ts';
import type { ByteWriter } from '../protocol/byte-writer.ts';
import { CODE } from '../protocol/type-codes.ts';
import { readEntryTexts } from './entry-texts.ts';
import { type Expiry, writeExpiry } from './expiry.ts';
import { nothing, type Operation, type RetryRule, readMany, type Session, writeMany } from './operation.ts';

export interface CacheTarget {
  readonly cacheId: number;
  readonly expiry?: Expiry | undefined;
  /** The transaction that the operation belongs to, which is bound to the connection. */
  readonly transactionId?: number;
}

export interface KeyArgs extends CacheTarget {
  readonly key: Value;
}

export interface KeyValueArgs extends KeyArgs {
  readonly value: Value;
}

export interface CompareArgs extends KeyValueArgs {
  readonly expected: Value;
}

export interface KeysArgs extends CacheTarget {
  readonly keys: readonly Value[];
}

export interface EntriesArgs extends CacheTarget {
  readonly entries: readonly Entry[];
}

const FLAG_TRANSACTION = 2;
const FLAG_EXPIRY = 4;
const FLAG_KEEP_BINARY = 1;
/** Peek mode of size: counts primary copies, so that each entry counts once. */
const PEEK_PRIMARY = 2;

export function writeCacheHeader(writer: ByteWriter, target: CacheTarget, keepBinary = false): void {
  writer.i32(target.cacheId);
  const { expiry, transactionId } = target;
  const inTransaction = transactionId === undefined ? 0 : FLAG_TRANSACTION;
  writer.u8((expiry ? FLAG_EXPIRY : 0) | inTransaction | (keepBinary ? FLAG_KEEP_BINARY : 0));
  if (expiry) writeExpiry(writer, expiry);
  if (transactionId !== undefined) writer.i32(transactionId);
}

function writeKey(writer: ByteWriter, args: KeyArgs, session: Session): void {
  writeCacheHeader(writer, args);
  encodeValue(writer, args.key, session.context);
}

function writeKeyValue(writer: ByteWriter, args: KeyValueArgs, session: Session): void {
  writeKey(writer, args, session);
  encodeValue(writer, args.value, session.context);
}

function writeKeys(writer: ByteWriter, args: KeysArgs, session: Session): void {
  writeCacheHeader(writer, args);
  writeMany(writer, args.keys, (key) => encodeValue(writer, key, session.context));
}

function readBoolean(reader: ByteReader): boolean {
  return reader.bool();
}

/** Reads a value, or undefined if there is no entry. */
function readOptional(reader: ByteReader, session: Session): Value | undefined {
  if (reader.u8At(reader.position) === CODE.NULL) return undefined;
  return decodeWhole(reader, session.context);
}

function readEntries(reader: ByteReader, session: Session): Entry[] {
  return readMany(reader, 2, () => ({
    key: decodeWhole(reader, session.context),
    value: decodeWhole(reader, session.context),
  }));
}

/** Returns a function that declares operations whose arguments are written in the same way. */
const writtenBy =
  <A>(write: Operation<A, unknown>['write']) =>
  <R>(name: string, code: number, retry: RetryRule, read: Operation<A, R>['read']): Operation<A, R> => ({
    name,
    code,
    retry,
    write,
    read,
  });
const keyed = writtenBy(writeKey);
const keyedValue = writtenBy(writeKeyValue);
const ofKeys = writtenBy(writeKeys);

/** A value with the bytes that it was read from, for exact comparison on the server. */
export interface RawValue {
  readonly value: Value;
  readonly bytes: Buffer;
}

/** Replaces the value if its bytes have not changed since they were read. */
export interface CompareRawArgs extends KeyValueArgs {
  readonly expected: RawValue;
}

export const ENTRY = {
  get: keyed('get', 1000, 'read', readOptional),
  getRaw: keyed('get', 1000, 'read', (reader, session): RawValue | undefined => {
    const start = reader.position;
    const value = readOptional(reader, session);
    return value && { value, bytes: Buffer.from(reader.buffer.subarray(start, reader.end)) };
  }),
  /** A read that changes the expiry. */
  touch: keyed('get', 1000, 'once', (reader) => reader.u8() !== CODE.NULL),
  put: keyedValue('put', 1001, 'once', nothing),
  /** A put of a key that no other request writes in the meantime. */
  putOwn: keyedValue('put', 1001, 'idempotent', nothing),
  putIfAbsent: keyedValue('putIfAbsent', 1002, 'once', readBoolean),
  getAll: ofKeys('getAll', 1003, 'read', readEntries),
  /** Returns JSON where possible ({@link readEntryTexts}). */
  getAllAsText: ofKeys('getAll', 1003, 'read', (reader, session): string | Entry[] => {
    const start = reader.position;
    const json = readEntryTexts(reader);
    if (json !== undefined) return json;
    reader.position = start;
    return readEntries(reader, session);
  }),
  putAll: {
    name: 'putAll',
    code: 1004,
    retry: 'once',
    write(writer, args, session) {
      writeCacheHeader(writer, args);
      writeMany(writer, args.entries, (entry) => {
        encodeValue(writer, entry.key, session.context);
        encodeValue(writer, entry.value, session.context);
      });
    },
    read: nothing,
  } satisfies Operation<EntriesArgs, void>,
  getAndPut: keyedValue('getAndPut', 1005, 'once', readOptional),
  getAndReplace: keyedValue('getAndReplace', 1006, 'once', readOptional),
  getAndRemove: keyed('getAndRemove', 1007, 'once', readOptional),
  getAndPutIfAbsent: keyedValue('getAndPutIfAbsent', 1008, 'once', readOptional),
  replace: keyedValue('replace', 1009, 'once', readBoolean),
  replaceIfEquals: {
    name: 'replaceIfEquals',
    code: 1010,
    retry: 'once',
    write(writer, args, session) {
      writeKey(writer, args, session);
      encodeValue(writer, args.expected, session.context);
      encodeValue(writer, args.value, session.context);
    },
    read: readBoolean,
  } satisfies Operation<CompareArgs, boolean>,
  replaceIfSame: {
    name: 'replaceIfEquals',
    code: 1010,
    retry: 'once',
    write(writer, args, session) {
      writeKey(writer, args, session);
      writer.raw(args.expected.bytes);
      encodeValue(writer, args.value, session.context);
    },
    read: readBoolean,
  } satisfies Operation<CompareRawArgs, boolean>,
  contains: keyed('containsKey', 1011, 'read', readBoolean),
  containsAll: ofKeys('containsKeys', 1012, 'read', readBoolean),
  remove: keyed('removeKey', 1016, 'once', readBoolean),
  removeIfEquals: keyedValue('removeIfEquals', 1017, 'once', readBoolean),
  removeAll: ofKeys('removeKeys', 1018, 'once', nothing),
  clear: {
    name: 'removeAll',
    code: 1019,
    retry: 'once',
    write: (writer, args) => writeCacheHeader(writer, args),
    read: nothing,
  } satisfies Operation<CacheTarget, void>,
  size: {
    name: 'size',
    code: 1020,
    retry: 'read',
    write(writer, args) {
      writeCacheHeader(writer, args);
      writer.i32(1);
      writer.u8(PEEK_PRIMARY);
    },
    read: (reader) => reader.i64Number(),
  } satisfies Operation<CacheTarget, number>,
};
