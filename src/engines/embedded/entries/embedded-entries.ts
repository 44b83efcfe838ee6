/** The port's operations on entries: reads on this thread's connection, changes by the writer. */
import type { Clock } from '../../../base/clock.ts';
import type { Entries, Entry, MaybePromise } from '../../../grid/grid.ts';
import { keyOf } from '../../../values/equality.ts';
import type { Value } from '../../../values/value.ts';
import type { Metrics } from '../storage/shared-state.ts';
import type { ChangeChannel } from '../writer/changes.ts';
import type { CacheReaders } from './cache-readers.ts';

export class EmbeddedEntries implements Entries {
  readonly #readers: CacheReaders;
  readonly #changes: ChangeChannel;
  readonly #metrics: Metrics;
  readonly #clock: Clock;

  constructor(readers: CacheReaders, changes: ChangeChannel, metrics: Metrics, clock: Clock) {
    this.#readers = readers;
    this.#changes = changes;
    this.#metrics = metrics;
    this.#clock = clock;
  }

  get(cache: string, key: Value): Value | undefined {
    const reader = this.#readers.open(cache);
    const row = reader.find(key);
    this.#metrics.countReads(reader.handle.slot, row ? 1 : 0, row ? 0 : 1, this.#clock.nowMs());
    return row && reader.handle.codec.value(row);
  }

  has(cache: string, key: Value): boolean {
    return this.#readers.open(cache).find(key) !== undefined;
  }

  getAll(cache: string, keys: readonly Value[]): Entry[] {
    const reader = this.#readers.open(cache);
    const asked = new Set<string>();
    const found: Entry[] = [];
    for (const key of keys) {
      const text = keyOf(key);
      if (asked.has(text)) continue;
      asked.add(text);
      const row = reader.find(key);
      if (row) found.push({ key, value: reader.handle.codec.value(row) });
    }
    this.#metrics.countReads(reader.handle.slot, found.length, asked.size - found.length, this.#clock.nowMs());
    return found;
  }

  hasAll(cache: string, keys: readonly Value[]): boolean {
    const reader = this.#readers.open(cache);
    return keys.every((key) => reader.find(key) !== undefined);
  }

  put(cache: string, key: Value, value: Value, ttlMs?: bigint): Promise<void> {
    return this.#changes.submit('put', { cache, key, value, ttlMs });
  }

  putAll(cache: string, entries: readonly Entry[]): Promise<void> {
    return this.#changes.submit('putAll', { cache, entries });
  }

  putIfAbsent(cache: string, key: Value, value: Value, ttlMs?: bigint): Promise<boolean> {
    return this.#changes.submit('putIfAbsent', { cache, key, value, ttlMs });
  }

  getAndPut(cache: string, key: Value, value: Value): Promise<Value | undefined> {
    return this.#changes.submit('getAndPut', { cache, key, value });
  }

  getAndPutIfAbsent(cache: string, key: Value, value: Value): Promise<Value | undefined> {
    return this.#changes.submit('getAndPutIfAbsent', { cache, key, value });
  }

  replace(cache: string, key: Value, value: Value, ttlMs?: bigint): Promise<boolean> {
    return this.#changes.submit('replace', { cache, key, value, ttlMs });
  }

  getAndReplace(cache: string, key: Value, value: Value): Promise<Value | undefined> {
    return this.#changes.submit('getAndReplace', { cache, key, value });
  }

  replaceIfEquals(cache: string, key: Value, expected: Value, value: Value): Promise<boolean> {
    return this.#changes.submit('replaceIfEquals', { cache, key, expected, value });
  }

  remove(cache: string, key: Value): Promise<boolean> {
    return this.#changes.submit('remove', { cache, key });
  }

  getAndRemove(cache: string, key: Value): Promise<Value | undefined> {
    return this.#changes.submit('getAndRemove', { cache, key });
  }

  removeIfEquals(cache: string, key: Value, expected: Value): Promise<boolean> {
    return this.#changes.submit('removeIfEquals', { cache, key, expected });
  }

  removeAll(cache: string, keys: readonly Value[]): Promise<void> {
    return this.#changes.submit('removeAll', { cache, keys });
  }

  clear(cache: string): Promise<void> {
    return this.#changes.submit('clear', { cache });
  }

  append(cache: string, key: Value, value: Value): Promise<boolean> {
    return this.#changes.submit('append', { cache, key, value });
  }

  prepend(cache: string, key: Value, value: Value): Promise<boolean> {
    return this.#changes.submit('prepend', { cache, key, value });
  }

  updateTtl(cache: string, key: Value, ttlMs: bigint): Promise<boolean> {
    return this.#changes.submit('updateTtl', { cache, key, ttlMs });
  }

  size(cache: string): MaybePromise<number> {
    return this.#readers.open(cache).size();
  }
}
