/** The port's operations on entries: reads use this thread's connections, changes go to the writer. */
import type { Clock } from '../../../base/clock.ts';
import type { Entries, Entry } from '../../../grid/grid.ts';
import { keyOf } from '../../../values/equality.ts';
import type { Value } from '../../../values/value.ts';
import { remainingMs } from '../storage/deadlines.ts';
import type { Row } from '../storage/row-codec.ts';
import type { Metrics } from '../storage/shared-state.ts';
import type { ChangeChannel, EntryOperation } from '../writer/changes.ts';
import { entryMethods } from '../writer/entry-operations.ts';
import type { CacheReader, CacheReaders } from './cache-readers.ts';
import { SlidingExpiry } from './sliding-expiry.ts';

/** Creates the port's operations on entries. */
export function embeddedEntries(
  readers: CacheReaders,
  changes: ChangeChannel,
  metrics: Metrics,
  clock: Clock,
): Entries {
  return Object.assign(
    new EntryReads(readers, metrics, clock, new SlidingExpiry(changes, clock)),
    entryMethods(changes),
  );
}

class EntryReads implements Omit<Entries, EntryOperation> {
  readonly #readers: CacheReaders;
  readonly #metrics: Metrics;
  readonly #clock: Clock;
  readonly #sliding: SlidingExpiry;

  constructor(readers: CacheReaders, metrics: Metrics, clock: Clock, sliding: SlidingExpiry) {
    this.#sliding = sliding;
    this.#readers = readers;
    this.#metrics = metrics;
    this.#clock = clock;
  }

  get(cache: string, key: Value): Value | undefined {
    const reader = this.#readers.open(cache);
    const row = reader.find(key);
    this.#metrics.countReads(reader.handle.slot, row ? 1 : 0, row ? 0 : 1, this.#clock.nowMs());
    if (row === undefined) return undefined;
    if (reader.slidingMs !== undefined) this.#slide(reader, key, row);
    return reader.handle.codec.value(row);
  }

  has(cache: string, key: Value): boolean {
    return this.#readers.open(cache).find(key) !== undefined;
  }

  getAll(cache: string, keys: readonly Value[]): Entry[] {
    const reader = this.#readers.open(cache);
    const seenTexts = new Set<string>();
    const seenOthers = new Set<string>();
    const found: Entry[] = [];
    for (const key of keys) {
      // A text is an id among texts. An id among all keys would be another text, to be created and hashed.
      const isText = key.type === 'string';
      const seen = isText ? seenTexts : seenOthers;
      const id = isText ? key.data : keyOf(key);
      if (seen.has(id)) continue;
      seen.add(id);
      const row = reader.find(key);
      if (row === undefined) continue;
      if (reader.slidingMs !== undefined) this.#slide(reader, key, row);
      found.push({ key, value: reader.handle.codec.value(row) });
    }
    this.#metrics.countReads(
      reader.handle.slot,
      found.length,
      seenTexts.size + seenOthers.size - found.length,
      this.#clock.nowMs(),
    );
    return found;
  }

  hasAll(cache: string, keys: readonly Value[]): boolean {
    const reader = this.#readers.open(cache);
    return keys.every((key) => reader.find(key) !== undefined);
  }

  timeToLive(cache: string, key: Value): bigint | null | undefined {
    const row = this.#readers.open(cache).find(key);
    if (row === undefined || row.exp === null) return row && null;
    return remainingMs(row.exp, this.#clock.nowMs());
  }

  /** Moves the deadline of an entry that has less than the time to live of the cache left. */
  #slide({ slidingMs = 0, handle }: CacheReader, key: Value, { exp }: Row): void {
    if (exp === null || exp >= this.#clock.nowMs() + slidingMs) return;
    this.#sliding.noteRead(handle.definition.name, key);
  }

  size(cache: string): number {
    return this.#readers.open(cache).size();
  }
}
