/** Implements entries with the cluster's own operations. Each is one request to the node that holds the key. */
import { gridError } from '../../../base/errors.ts';
import { chain, type MaybePromise } from '../../../base/maybe-promise.ts';
import type { Call, CallTable, Entry, EntryKind, TimeToLive } from '../../../grid/calls.ts';
import { append, prepend } from '../../../values/combine.ts';
import { keyOf } from '../../../values/equality.ts';
import type { Value } from '../../../values/value.ts';
import type { Pool } from '../connections/pool.ts';
import { ENTRY, type RawValue } from '../operations/entry-operations.ts';
import { ETERNAL_MS, type Expiry, UNCHANGED_MS } from '../operations/expiry.ts';
import { CLUSTER } from '../operations/grid-operations.ts';
import type { Operation } from '../operations/operation.ts';
import type { AffinityMap } from '../topology/affinity.ts';
import { cacheIdOf } from '../topology/remote-definitions.ts';
import { byTimeType, sortedByKey } from './bulk-keys.ts';
import type { OpenTransaction } from './idempotency-records.ts';
import type { ValueMarshaller } from './value-marshaller.ts';

/** Collaborators of the operations on entries. */
export interface EntryOptions {
  readonly pool: Pool;
  readonly affinity: AffinityMap;
  readonly marshaller: ValueMarshaller;
  readonly defaultCache: string;
  readonly maxValueCharacters: number;
  /** Creates the default cache. */
  createDefaultCache(): Promise<void>;
  /** The transaction that all operations belong to. */
  readonly transaction?: OpenTransaction;
  /** Records that a cache was read or written. */
  noteUse(cache: string, use: 'read' | 'write'): void;
}

/** Returns the expiry policy of a write; Ignite's for `exp` (docs/spec/ignite-data.md 4.7). */
function expiryOf(ttlMs: TimeToLive): Expiry | undefined {
  if (ttlMs === null) return { createMs: ETERNAL_MS, updateMs: ETERNAL_MS, accessMs: UNCHANGED_MS };
  if (ttlMs === undefined || ttlMs <= 0n) return undefined;
  return { createMs: ttlMs, updateMs: ttlMs, accessMs: UNCHANGED_MS };
}

const identity = (key: Value): Value => key;
const keyOfEntry = ({ key }: Entry): Value => key;

type Combine = typeof append;

export class ClusterEntries implements CallTable<EntryKind> {
  readonly #options: EntryOptions;
  /** The last append or prepend of each key, because those in this process run in order. */
  readonly #queues = new Map<string, Promise<unknown>>();

  constructor(options: EntryOptions) {
    this.#options = options;
  }

  get({ cache, key }: Call<'get'>): Promise<Value | undefined> {
    return this.#withKey(ENTRY.get, cache, key, 'read');
  }

  has({ cache, key }: Call<'has'>): Promise<boolean> {
    return this.#withKey(ENTRY.contains, cache, key, undefined);
  }

  getAll({ cache, keys }: Call<'getAll'>): MaybePromise<Entry[]> {
    if (keys.length === 0) return [];
    this.#options.noteUse(cache, 'read');
    return chain(this.#prepareAll(keys, cache), (prepared) => this.#getGroups(cache, byTimeType(prepared, identity)));
  }

  getAllAsText({ cache, keys }: Call<'getAllAsText'>): MaybePromise<string | readonly Entry[]> {
    if (keys.length === 0) return [];
    this.#options.noteUse(cache, 'read');
    // The request is written immediately, so that the node gets it while other requests are still being read.
    return chain(this.#prepareAll(keys, cache), (prepared) => {
      const groups = byTimeType(prepared, identity);
      const [group] = groups;
      if (group === undefined || groups.length > 1) return this.#getGroups(cache, groups);
      return this.#call(ENTRY.getAllAsText, cache, { cacheId: cacheIdOf(cache), keys: group });
    });
  }

  async #getGroups(cache: string, groups: ReadonlyArray<readonly Value[]>): Promise<Entry[]> {
    const found: Entry[][] = [];
    for (const group of groups) {
      found.push(await this.#call(ENTRY.getAll, cache, { cacheId: cacheIdOf(cache), keys: group }));
    }
    return found.length === 1 && found[0] !== undefined ? found[0] : found.flat();
  }

  async hasAll({ cache, keys }: Call<'hasAll'>): Promise<boolean> {
    if (keys.length === 0) return this.#call(ENTRY.containsAll, cache, { cacheId: cacheIdOf(cache), keys });
    for (const group of byTimeType(await this.#prepareAll(keys, cache), identity)) {
      if (!(await this.#call(ENTRY.containsAll, cache, { cacheId: cacheIdOf(cache), keys: group }))) return false;
    }
    return true;
  }

  put({ cache, key, value, ttlMs }: Call<'put'>): Promise<void> {
    return this.#withValue(ENTRY.put, cache, key, value, expiryOf(ttlMs));
  }

  async putAll({ cache, entries, ttlMs }: Call<'putAll'>): Promise<void> {
    if (entries.length === 0) return;
    this.#options.noteUse(cache, 'write');
    const prepared = this.#arePrepared(entries) ? entries : await this.#prepareEntries(entries, cache);
    const expiry = expiryOf(ttlMs);
    for (const group of byTimeType(sortedByKey(prepared, keyOfEntry), keyOfEntry)) {
      await this.#call(ENTRY.putAll, cache, { cacheId: cacheIdOf(cache), entries: group, expiry });
    }
  }

  putIfAbsent({ cache, key, value, ttlMs }: Call<'putIfAbsent'>): Promise<boolean> {
    return this.#withValue(ENTRY.putIfAbsent, cache, key, value, expiryOf(ttlMs));
  }

  getAndPut({ cache, key, value, ttlMs }: Call<'getAndPut'>): Promise<Value | undefined> {
    return this.#withValue(ENTRY.getAndPut, cache, key, value, expiryOf(ttlMs));
  }

  getAndPutIfAbsent({ cache, key, value, ttlMs }: Call<'getAndPutIfAbsent'>): Promise<Value | undefined> {
    return this.#withValue(ENTRY.getAndPutIfAbsent, cache, key, value, expiryOf(ttlMs));
  }

  replace({ cache, key, value, ttlMs }: Call<'replace'>): Promise<boolean> {
    return this.#withValue(ENTRY.replace, cache, key, value, expiryOf(ttlMs));
  }

  getAndReplace({ cache, key, value, ttlMs }: Call<'getAndReplace'>): Promise<Value | undefined> {
    return this.#withValue(ENTRY.getAndReplace, cache, key, value, expiryOf(ttlMs));
  }

  async replaceIfEquals({ cache, key, expected, value, ttlMs }: Call<'replaceIfEquals'>): Promise<boolean> {
    this.#options.noteUse(cache, 'write');
    const args = {
      cacheId: cacheIdOf(cache),
      key: await this.#prepare(key, cache),
      expected: await this.#prepare(expected, cache),
      value: await this.#prepare(value, cache),
      expiry: expiryOf(ttlMs),
    };
    return this.#call(ENTRY.replaceIfEquals, cache, args, args.key);
  }

  remove({ cache, key }: Call<'remove'>): Promise<boolean> {
    return this.#withKey(ENTRY.remove, cache, key, 'write');
  }

  getAndRemove({ cache, key }: Call<'getAndRemove'>): Promise<Value | undefined> {
    return this.#withKey(ENTRY.getAndRemove, cache, key, 'write');
  }

  removeIfEquals({ cache, key, expected }: Call<'removeIfEquals'>): Promise<boolean> {
    return this.#withValue(ENTRY.removeIfEquals, cache, key, expected);
  }

  async removeAll({ cache, keys }: Call<'removeAll'>): Promise<void> {
    if (keys.length === 0) return;
    this.#options.noteUse(cache, 'write');
    for (const group of byTimeType(sortedByKey(await this.#prepareAll(keys, cache), identity), identity)) {
      await this.#call(ENTRY.removeAll, cache, { cacheId: cacheIdOf(cache), keys: group });
    }
  }

  clear({ cache }: Call<'clear'>): Promise<void> {
    this.#options.noteUse(cache, 'write');
    return this.#call(ENTRY.clear, cache, { cacheId: cacheIdOf(cache) });
  }

  append({ cache, key, value, ttlMs }: Call<'append'>): Promise<boolean> {
    return this.#serialized(cache, key, () => this.#combine(cache, key, value, append, expiryOf(ttlMs)));
  }

  prepend({ cache, key, value, ttlMs }: Call<'prepend'>): Promise<boolean> {
    return this.#serialized(cache, key, () => this.#combine(cache, key, value, prepend, expiryOf(ttlMs)));
  }

  async updateTtl({ cache, key, ttlMs }: Call<'updateTtl'>): Promise<boolean> {
    this.#options.noteUse(cache, 'read');
    // A read can change the expiry even if the cluster rejects writes.
    await this.#requireWritable(cache);
    const prepared = await this.#prepare(key, cache);
    const cacheId = cacheIdOf(cache);
    if (ttlMs !== null && ttlMs < 0n) return this.#call(ENTRY.remove, cache, { cacheId, key: prepared }, prepared);
    if (ttlMs === 0n) return this.#call(ENTRY.contains, cache, { cacheId, key: prepared }, prepared);
    const expiry = { createMs: UNCHANGED_MS, updateMs: UNCHANGED_MS, accessMs: ttlMs ?? ETERNAL_MS };
    return this.#call(ENTRY.touch, cache, { cacheId, key: prepared, expiry }, prepared);
  }

  /** Throws NOT_SUPPORTED (docs/spec/extensions.md 1). */
  timeToLive(): never {
    throw gridError(
      'NOT_SUPPORTED',
      'the remaining time to live of an entry',
      'the protocol of clients does not return it',
    );
  }

  size({ cache }: Call<'size'>): Promise<number> {
    return this.#call(ENTRY.size, cache, { cacheId: cacheIdOf(cache) });
  }

  #prepare(value: Value, cache: string): MaybePromise<Value> {
    return this.#options.marshaller.prepare(value, cache);
  }

  #arePrepared(entries: readonly Entry[]): boolean {
    const { marshaller } = this.#options;
    for (const { key, value } of entries) {
      if (!marshaller.isPrepared(key) || !marshaller.isPrepared(value)) return false;
    }
    return true;
  }

  async #prepareEntries(entries: readonly Entry[], cache: string): Promise<Entry[]> {
    const prepared: Entry[] = [];
    for (const entry of entries) {
      const key = this.#prepare(entry.key, cache);
      const value = this.#prepare(entry.value, cache);
      prepared.push({
        key: key instanceof Promise ? await key : key,
        value: value instanceof Promise ? await value : value,
      });
    }
    return prepared;
  }

  #prepareAll(values: readonly Value[], cache: string): MaybePromise<readonly Value[]> {
    const { marshaller } = this.#options;
    for (const value of values) if (!marshaller.isPrepared(value)) return this.#prepareEach(values, cache);
    return values;
  }

  async #prepareEach(values: readonly Value[], cache: string): Promise<Value[]> {
    const prepared: Value[] = [];
    for (const value of values) {
      const each = this.#prepare(value, cache);
      prepared.push(each instanceof Promise ? await each : each);
    }
    return prepared;
  }

  /** Runs an operation on one key. Creates no additional promise if the key needs no preparation. */
  #withKey<R>(
    operation: Operation<{ readonly cacheId: number; readonly key: Value }, R>,
    cache: string,
    key: Value,
    use: 'read' | 'write' | undefined,
  ): Promise<R> {
    if (use) this.#options.noteUse(cache, use);
    const prepared = this.#prepare(key, cache);
    if (prepared instanceof Promise) {
      return prepared.then((each) => this.#call(operation, cache, { cacheId: cacheIdOf(cache), key: each }, each));
    }
    return this.#call(operation, cache, { cacheId: cacheIdOf(cache), key: prepared }, prepared);
  }

  #withValue<R>(
    operation: Operation<
      { readonly cacheId: number; readonly key: Value; readonly value: Value; readonly expiry?: Expiry | undefined },
      R
    >,
    cache: string,
    key: Value,
    value: Value,
    expiry?: Expiry,
  ): Promise<R> {
    this.#options.noteUse(cache, 'write');
    const preparedKey = this.#prepare(key, cache);
    const preparedValue = this.#prepare(value, cache);
    if (preparedKey instanceof Promise || preparedValue instanceof Promise) {
      return Promise.all([preparedKey, preparedValue]).then(([eachKey, eachValue]) =>
        this.#call(operation, cache, { cacheId: cacheIdOf(cache), key: eachKey, value: eachValue, expiry }, eachKey),
      );
    }
    const args = { cacheId: cacheIdOf(cache), key: preparedKey, value: preparedValue, expiry };
    return this.#call(operation, cache, args, preparedKey);
  }

  #call<A extends { readonly cacheId: number }, R>(
    operation: Operation<A, R>,
    cache: string,
    args: A,
    key?: Value,
  ): Promise<R> {
    const { pool, affinity, defaultCache, transaction } = this.#options;
    if (transaction !== undefined) {
      const { connection, id } = transaction;
      return pool.callOver(connection, operation, { ...args, transactionId: id }, { cache });
    }
    const preferred = key === undefined ? undefined : affinity.preferredNode(args.cacheId, key);
    const response = pool.call(operation, args, preferred, { cache });
    return cache === defaultCache ? this.#orCreateDefault(response, operation, args) : response;
  }

  /** Creates the default cache on first use and repeats the operation. */
  async #orCreateDefault<A, R>(response: Promise<R>, operation: Operation<A, R>, args: A): Promise<R> {
    const { pool, defaultCache } = this.#options;
    try {
      return await response;
    } catch (error) {
      if (!(error instanceof Error) || !('code' in error) || error.code !== 'CACHE_NOT_FOUND') throw error;
      await this.#options.createDefaultCache();
      return pool.call(operation, args, undefined, { cache: defaultCache });
    }
  }

  #serialized(cache: string, key: Value, action: () => Promise<boolean>): Promise<boolean> {
    const id = `${cache}\u0000${keyOf(key)}`;
    const before = this.#queues.get(id) ?? Promise.resolve();
    const queued = before.then(action, action);
    const settled = queued.then(
      () => {},
      () => {},
    );
    this.#queues.set(id, settled);
    void settled.then(() => {
      if (this.#queues.get(id) === settled) this.#queues.delete(id);
    });
    return queued;
  }

  /** Reads a value before it is changed. Rejects if the cluster rejects changes. */
  async #readToChange(cache: string, cacheId: number, key: Value): Promise<RawValue | undefined> {
    const { pool } = this.#options;
    try {
      const value = await this.#call(ENTRY.getRaw, cache, { cacheId, key }, key);
      if (!value) await this.#requireWritable(cache);
      return value;
    } catch (error) {
      throw await pool.explain(error, false, cache);
    }
  }

  /** Throws READ_ONLY before operations that a read-only cluster does not reject by itself. */
  async #requireWritable(cache: string): Promise<void> {
    const state = await this.#options.pool.call(CLUSTER.state, undefined, undefined, {});
    if (state === 'ACTIVE_READ_ONLY') throw gridError('READ_ONLY', 'cache operation', cache);
  }

  /**
   * Reads, combines and conditionally replaces until no other writer interferes. Values are compared by their bytes.
   */
  async #combine(
    cache: string,
    key: Value,
    value: Value,
    combine: Combine,
    expiry: Expiry | undefined,
  ): Promise<boolean> {
    this.#options.noteUse(cache, 'write');
    const cacheId = cacheIdOf(cache);
    const prepared = await this.#prepare(key, cache);
    for (;;) {
      const expected = await this.#readToChange(cache, cacheId, prepared);
      if (!expected) return false;
      const combined = await this.#prepare(combine(expected.value, value, this.#options.maxValueCharacters), cache);
      const args = { cacheId, key: prepared, expected, value: combined, expiry };
      if (await this.#call(ENTRY.replaceIfSame, cache, args, prepared)) return true;
    }
  }
}
