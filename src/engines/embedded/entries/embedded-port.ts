/** The engine's port in one thread: reads use its connections, changes go to the writer. */

import type { Clock } from '../../../base/clock.ts';
import { gridError } from '../../../base/errors.ts';
import type { MaybePromise } from '../../../base/maybe-promise.ts';
import { completeAtOnce, LARGE_CHARACTERS, SliceQueue } from '../../../base/slices.ts';
import {
  anyCall,
  type Call,
  type CallContext,
  type CallKind,
  type CallResult,
  type CallTable,
  type ChangeKind,
  type Entry,
  type EntryReadKind,
  forEntryChanges,
  type IdempotentCall,
  type Port,
} from '../../../grid/calls.ts';
import type { Queries } from '../../../grid/queries.ts';
import { resultOf, statementOnce, type Transactions } from '../../../grid/transactions.ts';
import { keyOf } from '../../../values/equality.ts';
import { escapeSurrogates, formatText } from '../../../values/json.ts';
import type { Value } from '../../../values/value.ts';
import { sizeOfValue } from '../../../values/value-size.ts';
import { remainingMs } from '../storage/deadlines.ts';
import type { Metrics } from '../storage/shared-state.ts';
import type { Row } from '../storage/value-storage.ts';
import type { CallChanges, ChangeChannel } from '../writer/changes.ts';
import type { CacheReader, CacheReaders } from './cache-readers.ts';
import type { CounterReads } from './counter-reads.ts';
import { SlidingExpiry } from './sliding-expiry.ts';

interface ReadOptions {
  readonly readers: CacheReaders;
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** Bounds the values that one call returns. */
  readonly maxCharacters: number;
}

export interface EmbeddedPortOptions extends ReadOptions {
  readonly counters: CounterReads;
  readonly changes: ChangeChannel;
  readonly queries: Queries;
  readonly transactions: Transactions;
}

/** Submits calls to the writer. */
interface CallChannel {
  submit<K extends ChangeKind>(kind: K, call: CallChanges[K]['request']): Promise<CallChanges[K]['response']>;
}

export function embeddedPort({ changes, queries, transactions, counters, ...parts }: EmbeddedPortOptions): Port {
  const calls: CallChannel = changes;
  const reads = new EntryReads(parts, new SlidingExpiry(changes, parts.clock));
  const change = <K extends ChangeKind>(call: Call<K>, { once }: CallContext): Promise<CallResult<K>> =>
    once === undefined ? calls.submit(call.kind, call) : changeOnce(call, once);
  const changeOnce = async <K extends ChangeKind>(
    call: Call<K>,
    { key, onReplay }: IdempotentCall,
  ): Promise<CallResult<K>> => {
    const { result, replayed } = await changes.submit('callOnce', { call: anyCall<ChangeKind, K>(call), key });
    if (replayed) onReplay();
    return resultOf(call, result);
  };
  const entryChanges = forEntryChanges(change);
  const table: CallTable<CallKind, [CallContext]> = {
    get: (call) => reads.get(call),
    has: (call) => reads.has(call),
    getAll: (call) => reads.getAll(call),
    getAllAsText: (call) => reads.getAllAsText(call),
    hasAll: (call) => reads.hasAll(call),
    timeToLive: (call) => reads.timeToLive(call),
    size: (call) => reads.size(call),
    ...entryChanges,
    addToCounter: change,
    counterTimeToLive: (call) => counters.timeToLive(call),
    persistCounter: change,
    statement: (call, { once }) =>
      once === undefined ? queries.execute(call.query) : statementOnce(transactions, call, once),
  };
  return { call: (call, context) => table[call.kind](call, context) };
}

/** How long a call reads without a pause, in ms. */
const AT_ONCE_MS = 10;
/** Number of keys between readings of the clock. */
const STEP_KEYS = 64;

class EntryReads implements CallTable<EntryReadKind> {
  readonly #readers: CacheReaders;
  readonly #metrics: Metrics;
  readonly #clock: Clock;
  readonly #sliding: SlidingExpiry;
  readonly #maxCharacters: number;
  /** Reads of caches with large values; each turn of the event loop performs one. */
  readonly #slices: SliceQueue;

  constructor(options: ReadOptions, sliding: SlidingExpiry) {
    this.#readers = options.readers;
    this.#metrics = options.metrics;
    this.#clock = options.clock;
    this.#maxCharacters = options.maxCharacters;
    this.#slices = new SliceQueue(options.clock);
    this.#sliding = sliding;
  }

  get({ cache, key }: Call<'get'>): MaybePromise<Value | undefined> {
    const reader = this.#readers.open(cache);
    return reader.isHeavy ? this.#inSlice(cache, (opened) => this.#get(opened, key)) : this.#get(reader, key);
  }

  /** Reads in a slice, after earlier reads. */
  #inSlice<T>(cache: string, read: (reader: CacheReader) => T): MaybePromise<T> {
    return this.#slices.begin(0, { next: () => ({ done: true, value: read(this.#readers.open(cache)) }) });
  }

  #get(reader: CacheReader, key: Value): Value | undefined {
    const value = this.#read(reader, key);
    this.#metrics.countReads(reader.handle.slot, value ? 1 : 0, value ? 0 : 1, this.#clock.nowMs());
    return value;
  }

  has({ cache, key }: Call<'has'>): MaybePromise<boolean> {
    const reader = this.#readers.open(cache);
    const has = (opened: CacheReader): boolean => this.#find(opened, key) !== undefined;
    return reader.isHeavy ? this.#inSlice(cache, has) : has(reader);
  }

  getAll(call: Call<'getAll'>): MaybePromise<Entry[]> {
    const { isHeavy } = this.#readers.open(call.cache);
    return this.#slices.begin(isHeavy ? 0 : AT_ONCE_MS, this.#entriesOf(call));
  }

  /** Returns the entries of one snapshot. If it has changed in a pause, reads all of them again without a pause. */
  *#entriesOf(call: Call<'getAll'>): Generator<undefined, Entry[]> {
    return (yield* this.#findAll(call, true)) ?? completeAtOnce(this.#findAll(call, false)) ?? [];
  }

  /** Returns the entries of several keys, or undefined if the snapshot has changed in a pause. */
  *#findAll({ cache, keys }: Call<'getAll'>, pauses: boolean): Generator<undefined, Entry[] | undefined> {
    const reader = this.#readers.open(cache);
    const { commits } = reader.connection;
    const seen = new Set<string>();
    const found: Entry[] = [];
    let characters = 0;
    let pausesAt = STEP_KEYS;
    for (const key of keys) {
      const id = idOf(key);
      if (seen.has(id)) continue;
      seen.add(id);
      const value = this.#read(reader, key);
      if (value !== undefined) {
        found.push({ key, value });
        const size = sizeOfValue(value);
        characters += size;
        // A single value can be read whatever its length.
        if (characters > this.#maxCharacters && found.length > 1) {
          throw gridError(
            'LIMIT_EXCEEDED',
            'characters of the values',
            this.#maxCharacters,
            characters,
            'largeReadCharacters',
          );
        }
        if (size > LARGE_CHARACTERS) pausesAt = seen.size;
      }
      if (!pauses || seen.size < pausesAt) continue;
      pausesAt = seen.size + STEP_KEYS;
      yield;
      if (this.#readers.open(cache) !== reader || reader.connection.commits !== commits) return undefined;
    }
    this.#metrics.countReads(reader.handle.slot, found.length, seen.size - found.length, this.#clock.nowMs());
    return found;
  }

  getAllAsText({ cache, keys }: Call<'getAllAsText'>): MaybePromise<string | Entry[]> {
    const reader = this.#readers.open(cache);
    const texts = reader.slidingMs === undefined && !reader.isHeavy ? textsOf(keys) : undefined;
    if (texts === undefined) return this.getAll({ kind: 'getAll', cache, keys });
    // Other requests do not wait for a large string: values of this size are read one by one.
    const entries = reader.findTexts([...texts], Math.floor(LARGE_CHARACTERS / texts.size));
    if (entries === undefined) return this.getAll({ kind: 'getAll', cache, keys });
    const { json, found } = entries;
    this.#metrics.countReads(reader.handle.slot, found, texts.size - found, this.#clock.nowMs());
    return escapeSurrogates(json);
  }

  /** Returns an entry's value in its reader's snapshot, and moves its deadline if reads do so. */
  #read(reader: CacheReader, key: Value): Value | undefined {
    const row = this.#find(reader, key);
    if (row === undefined) return undefined;
    if (reader.slidingMs !== undefined) this.#slide(reader, key, row);
    return reader.handle.codec.value(row);
  }

  #find(reader: CacheReader, key: Value): Row | undefined {
    const row = reader.find(key);
    if (row !== undefined && isLarge(row)) reader.markHeavy();
    return row;
  }

  hasAll(call: Call<'hasAll'>): MaybePromise<boolean> {
    const { isHeavy } = this.#readers.open(call.cache);
    return this.#slices.begin(isHeavy ? 0 : AT_ONCE_MS, this.#hasAllOf(call));
  }

  /** Reports on one snapshot. If it has changed in a pause, checks all keys again without a pause. */
  *#hasAllOf(call: Call<'hasAll'>): Generator<undefined, boolean> {
    return (yield* this.#findEvery(call, true)) ?? completeAtOnce(this.#findEvery(call, false)) === true;
  }

  /** Reports whether every key has an entry, or returns undefined if the snapshot has changed in a pause. */
  *#findEvery({ cache, keys }: Call<'hasAll'>, pauses: boolean): Generator<undefined, boolean | undefined> {
    const reader = this.#readers.open(cache);
    const { commits } = reader.connection;
    let pausesAt = STEP_KEYS;
    for (const [at, key] of keys.entries()) {
      const row = this.#find(reader, key);
      if (row === undefined) return false;
      if (!pauses || (at < pausesAt && !isLarge(row))) continue;
      pausesAt = at + STEP_KEYS;
      yield;
      if (this.#readers.open(cache) !== reader || reader.connection.commits !== commits) return undefined;
    }
    return true;
  }

  timeToLive({ cache, key }: Call<'timeToLive'>): MaybePromise<bigint | null> {
    const reader = this.#readers.open(cache);
    return reader.isHeavy
      ? this.#inSlice(cache, (opened) => this.#timeToLive(opened, key))
      : this.#timeToLive(reader, key);
  }

  #timeToLive(reader: CacheReader, key: Value): bigint | null {
    const row = this.#find(reader, key);
    if (row === undefined) throw gridError('KEY_NOT_FOUND', formatText(key));
    return row.exp === null ? null : remainingMs(row.exp, this.#clock.nowMs());
  }

  /** Moves an entry's deadline if less than the cache's time to live is left. */
  #slide({ slidingMs = 0, handle }: CacheReader, key: Value, { exp }: Row): void {
    if (exp === null || exp >= this.#clock.nowMs() + slidingMs) return;
    this.#sliding.noteRead(handle.definition.name, key);
  }

  size({ cache }: Call<'size'>): number {
    return this.#readers.open(cache).size();
  }
}

function isLarge({ v }: Row): boolean {
  return (typeof v === 'string' || v instanceof Uint8Array) && v.length > LARGE_CHARACTERS;
}

/** Returns the distinct keys if SQLite can read all of them from JSON in their stored form. */
function textsOf(keys: readonly Value[]): ReadonlySet<string> | undefined {
  const texts = new Set<string>();
  for (const key of keys) {
    if (key.type !== 'string' || key.data.includes('\0') || !key.data.isWellFormed()) return undefined;
    texts.add(key.data);
  }
  return texts.size > 1 ? texts : undefined;
}

/** Returns the identity of a key in a cache: most strings identify themselves, which saves creating another string. */
function idOf(key: Value): string {
  return key.type === 'string' && key.data.charCodeAt(0) !== 0 ? key.data : `\u0000${keyOf(key)}`;
}
