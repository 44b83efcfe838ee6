/** Entries on Maps: the simplest correct implementation. */
import type { Clock } from '../../src/base/clock.ts';
import { gridError } from '../../src/base/errors.ts';
import { missingCache } from '../../src/grid/cache-rules.ts';
import {
  type Call,
  type CallTable,
  type Entry,
  type EntryKind,
  isReadOfEntries,
  type TimeToLive,
} from '../../src/grid/calls.ts';
import type { CacheDefinition, ClusterState } from '../../src/grid/grid.ts';
import { append, prepend } from '../../src/values/combine.ts';
import { equalValues, keyOf } from '../../src/values/equality.ts';
import { formatText, writeJson, writeText } from '../../src/values/json.ts';
import type { Value } from '../../src/values/value.ts';

interface StoredEntry extends Entry {
  readonly expiresAtMs: number | undefined;
}

/** A cache with its entries and metrics. */
export interface ModelCache {
  readonly definition: CacheDefinition;
  readonly createTime: number;
  readonly entries: Map<string, StoredEntry>;
  hits: number;
  misses: number;
  writes: number;
  readTime: number;
  writeTime: number;
}

/** The part of the model store that entries need. */
export interface ModelCaches {
  state: ClusterState;
  readonly caches: Map<string, ModelCache>;
}

export class ModelEntries implements CallTable<EntryKind> {
  readonly #store: ModelCaches;
  readonly #clock: Clock;
  readonly #maxValueCharacters: number;

  constructor(store: ModelCaches, clock: Clock, maxValueCharacters: number) {
    this.#store = store;
    this.#clock = clock;
    this.#maxValueCharacters = maxValueCharacters;
  }

  get({ cache: name, key }: Call<'get'>): Value | undefined {
    return this.#get(this.#forReading(name), key);
  }

  has({ cache: name, key }: Call<'has'>): boolean {
    return this.#live(this.#forReading(name), key) !== undefined;
  }

  getAll({ cache: name, keys }: Call<'getAll'>): Entry[] {
    const cache = this.#forReading(name);
    const unique = new Map(keys.map((key) => [keyOf(key), key]));
    return [...unique.values()].flatMap((key) => {
      const value = this.#get(cache, key);
      return value === undefined ? [] : [{ key, value }];
    });
  }

  getAllAsText(call: Call<'getAllAsText'>): string | Entry[] {
    const found = this.getAll({ ...call, kind: 'getAll' });
    if (!found.every(({ key, value }) => key.type === 'string' && value.type === 'string')) return found;
    return `{${found.map(({ key, value }) => `${writeText(formatText(key))}:${writeJson(value)}`).join(',')}}`;
  }

  hasAll({ cache: name, keys }: Call<'hasAll'>): boolean {
    const cache = this.#forReading(name);
    return keys.every((key) => this.#live(cache, key) !== undefined);
  }

  size({ cache: name }: Call<'size'>): number {
    const cache = this.#forReading(name);
    return [...cache.entries.values()].filter(({ key }) => this.#live(cache, key)).length;
  }

  async put({ cache: name, key, value, ttlMs }: Call<'put'>): Promise<void> {
    this.#write(this.#forWriting(name), key, value, ttlMs);
  }

  async putAll({ cache: name, entries, ttlMs }: Call<'putAll'>): Promise<void> {
    const cache = this.#forWriting(name);
    for (const { key, value } of entries) this.#write(cache, key, value, ttlMs);
  }

  async putIfAbsent({ cache: name, key, value, ttlMs }: Call<'putIfAbsent'>): Promise<boolean> {
    const cache = this.#forWriting(name);
    if (this.#read(cache, key) !== undefined) return false;
    this.#write(cache, key, value, ttlMs);
    return true;
  }

  async getAndPut({ cache: name, key, value, ttlMs }: Call<'getAndPut'>): Promise<Value | undefined> {
    const cache = this.#forWriting(name);
    const old = this.#read(cache, key);
    this.#write(cache, key, value, ttlMs);
    return old;
  }

  async getAndPutIfAbsent({ cache: name, key, value, ttlMs }: Call<'getAndPutIfAbsent'>): Promise<Value | undefined> {
    const cache = this.#forWriting(name);
    const old = this.#read(cache, key);
    if (old === undefined) this.#write(cache, key, value, ttlMs);
    return old;
  }

  async replace({ cache: name, key, value, ttlMs }: Call<'replace'>): Promise<boolean> {
    const cache = this.#forWriting(name);
    if (this.#read(cache, key) === undefined) return false;
    this.#write(cache, key, value, ttlMs);
    return true;
  }

  async getAndReplace({ cache: name, key, value, ttlMs }: Call<'getAndReplace'>): Promise<Value | undefined> {
    const cache = this.#forWriting(name);
    const old = this.#read(cache, key);
    if (old !== undefined) this.#write(cache, key, value, ttlMs);
    return old;
  }

  async replaceIfEquals({ cache: name, key, expected, value, ttlMs }: Call<'replaceIfEquals'>): Promise<boolean> {
    const cache = this.#forWriting(name);
    const old = this.#read(cache, key);
    if (old === undefined || !equalValues(old, expected)) return false;
    this.#write(cache, key, value, ttlMs);
    return true;
  }

  async remove({ cache: name, key }: Call<'remove'>): Promise<boolean> {
    return this.#remove(this.#forWriting(name), key);
  }

  async getAndRemove({ cache: name, key }: Call<'getAndRemove'>): Promise<Value | undefined> {
    const cache = this.#forWriting(name);
    const old = this.#read(cache, key);
    this.#remove(cache, key);
    return old;
  }

  async removeIfEquals({ cache: name, key, expected }: Call<'removeIfEquals'>): Promise<boolean> {
    const cache = this.#forWriting(name);
    const old = this.#read(cache, key);
    return old !== undefined && equalValues(old, expected) && this.#remove(cache, key);
  }

  async removeAll({ cache: name, keys }: Call<'removeAll'>): Promise<void> {
    const cache = this.#forWriting(name);
    for (const key of keys) this.#remove(cache, key);
  }

  async clear({ cache: name }: Call<'clear'>): Promise<void> {
    this.#forWriting(name).entries.clear();
  }

  async append({ cache: name, key, value, ttlMs }: Call<'append'>): Promise<boolean> {
    return this.#join(this.#forWriting(name), key, value, append, ttlMs);
  }

  async prepend({ cache: name, key, value, ttlMs }: Call<'prepend'>): Promise<boolean> {
    return this.#join(this.#forWriting(name), key, value, prepend, ttlMs);
  }

  async updateTtl({ cache: name, key, ttlMs }: Call<'updateTtl'>): Promise<boolean> {
    const cache = this.#forWriting(name);
    const old = this.#live(cache, key);
    this.#countRead(cache, old);
    if (!old) return false;
    if (ttlMs === null) cache.entries.set(keyOf(key), { ...old, expiresAtMs: undefined });
    else if (ttlMs < 0n) this.#remove(cache, key);
    else if (ttlMs > 0n) cache.entries.set(keyOf(key), { ...old, expiresAtMs: this.#clock.nowMs() + Number(ttlMs) });
    return true;
  }

  timeToLive({ cache: name, key }: Call<'timeToLive'>): bigint | null {
    const entry = this.#live(this.#forReading(name), key);
    if (entry === undefined) throw gridError('KEY_NOT_FOUND', formatText(key));
    return entry.expiresAtMs === undefined ? null : BigInt(Math.ceil(entry.expiresAtMs - this.#clock.nowMs()));
  }

  /** Returns the region that a call changes, or undefined for a read. Throws READ_ONLY and CACHE_NOT_FOUND. */
  regionOf({ kind, cache }: Call<EntryKind>): string | undefined {
    if (!isReadOfEntries(kind)) return this.#forWriting(cache).definition.region;
    this.#forReading(cache);
    return undefined;
  }

  #forReading(name: string): ModelCache {
    if (this.#store.state === 'INACTIVE') throw gridError('INACTIVE');
    return this.#find(name);
  }

  #forWriting(name: string): ModelCache {
    if (this.#store.state === 'INACTIVE') throw gridError('INACTIVE');
    if (this.#store.state === 'ACTIVE_READ_ONLY') throw gridError('READ_ONLY', 'cache operation', name);
    return this.#find(name);
  }

  #find(name: string): ModelCache {
    const cache = this.#store.caches.get(name);
    if (!cache) throw missingCache(name);
    return cache;
  }

  #live(cache: ModelCache, key: Value): StoredEntry | undefined {
    const entry = cache.entries.get(keyOf(key));
    const expired = entry?.expiresAtMs !== undefined && entry.expiresAtMs <= this.#clock.nowMs();
    return expired ? undefined : entry;
  }

  #read(cache: ModelCache, key: Value): Value | undefined {
    const entry = this.#live(cache, key);
    this.#countRead(cache, entry);
    return entry?.value;
  }

  #countRead(cache: ModelCache, entry: StoredEntry | undefined): void {
    if (entry) cache.hits++;
    else cache.misses++;
    cache.readTime = this.#clock.nowMs();
  }

  #countWrite(cache: ModelCache): void {
    cache.writes++;
    cache.writeTime = this.#clock.nowMs();
  }

  #write(cache: ModelCache, key: Value, value: Value, ttlMs?: TimeToLive): void {
    const expiresAtMs = this.#expiryOf(cache, key, ttlMs);
    cache.entries.set(keyOf(key), { key, value, expiresAtMs });
    this.#countWrite(cache);
  }

  #expiryOf(cache: ModelCache, key: Value, ttlMs: TimeToLive): number | undefined {
    if (ttlMs === null) return undefined;
    if (ttlMs !== undefined && ttlMs > 0n) return this.#clock.nowMs() + Number(ttlMs);
    return this.#defaultExpiry(cache) ?? this.#live(cache, key)?.expiresAtMs;
  }

  /** Returns the expiry time of an entry that is written now without its own time to live. */
  #defaultExpiry({ definition: { ttlMs, sliding } }: ModelCache): number | undefined {
    if (ttlMs === undefined) return undefined;
    return this.#clock.nowMs() + ttlMs + (sliding === true ? Math.ceil(ttlMs / 10) : 0);
  }

  /** Returns the value of a live entry and extends its time to live in a cache with sliding expiry. */
  #get(cache: ModelCache, key: Value): Value | undefined {
    const value = this.#read(cache, key);
    const entry = this.#live(cache, key);
    const { ttlMs = 0, sliding } = cache.definition;
    if (sliding === true && entry?.expiresAtMs !== undefined && entry.expiresAtMs < this.#clock.nowMs() + ttlMs) {
      cache.entries.set(keyOf(key), { ...entry, expiresAtMs: this.#defaultExpiry(cache) });
    }
    return value;
  }

  #remove(cache: ModelCache, key: Value): boolean {
    if (!this.#live(cache, key)) return false;
    cache.entries.delete(keyOf(key));
    this.#countWrite(cache);
    return true;
  }

  #join(cache: ModelCache, key: Value, value: Value, join: typeof append, ttlMs: TimeToLive): boolean {
    const old = this.#read(cache, key);
    if (old === undefined) return false;
    this.#write(cache, key, join(old, value, this.#maxValueCharacters), ttlMs);
    return true;
  }
}
