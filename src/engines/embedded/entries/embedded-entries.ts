/** The port's operations on entries: reads use this thread's connections, changes go to the writer. */
import type { Clock } from '../../../base/clock.ts';
import { fail } from '../../../base/errors.ts';
import type { EntryTexts } from '../../../grid/entry-texts.ts';
import type { Entries, Entry } from '../../../grid/grid.ts';
import { keyOf } from '../../../values/equality.ts';
import { escapeSurrogates } from '../../../values/json.ts';
import type { Value } from '../../../values/value.ts';
import { sizeOfValue } from '../../../values/value-size.ts';
import { remainingMs } from '../storage/deadlines.ts';
import type { Row } from '../storage/row-codec.ts';
import type { Metrics } from '../storage/shared-state.ts';
import type { ChangeChannel, EntryOperation } from '../writer/changes.ts';
import { entryMethods } from '../writer/entry-operations.ts';
import type { CacheReader, CacheReaders } from './cache-readers.ts';
import { SlidingExpiry } from './sliding-expiry.ts';

/** Creates the port's operations on entries. `maxCharacters` limits those of the values that one operation returns. */
export function embeddedEntries(
  readers: CacheReaders,
  changes: ChangeChannel,
  metrics: Metrics,
  clock: Clock,
  maxCharacters: number,
): Entries & EntryTexts<Entry> {
  const reads = new EntryReads(readers, metrics, clock, new SlidingExpiry(changes, clock), maxCharacters);
  return Object.assign(reads, entryMethods(changes));
}

class EntryReads implements Omit<Entries, EntryOperation>, EntryTexts<Entry> {
  readonly #readers: CacheReaders;
  readonly #metrics: Metrics;
  readonly #clock: Clock;
  readonly #sliding: SlidingExpiry;

  readonly #maxCharacters: number;

  constructor(readers: CacheReaders, metrics: Metrics, clock: Clock, sliding: SlidingExpiry, maxCharacters: number) {
    this.#maxCharacters = maxCharacters;
    this.#sliding = sliding;
    this.#readers = readers;
    this.#metrics = metrics;
    this.#clock = clock;
  }

  get(cache: string, key: Value): Value | undefined {
    const reader = this.#readers.open(cache);
    const value = this.#read(reader, key);
    this.#metrics.countReads(reader.handle.slot, value ? 1 : 0, value ? 0 : 1, this.#clock.nowMs());
    return value;
  }

  has(cache: string, key: Value): boolean {
    return this.#readers.open(cache).find(key) !== undefined;
  }

  getAll(cache: string, keys: readonly Value[]): Entry[] {
    const reader = this.#readers.open(cache);
    const seen = new Set<string>();
    const found: Entry[] = [];
    let characters = 0;
    for (const key of keys) {
      const id = idOf(key);
      if (seen.has(id)) continue;
      seen.add(id);
      const value = this.#read(reader, key);
      if (value === undefined) continue;
      found.push({ key, value });
      characters += sizeOfValue(value);
      // A single value can be read whatever its length.
      if (characters > this.#maxCharacters && found.length > 1) {
        throw fail('LIMIT_EXCEEDED', 'characters of the values', this.#maxCharacters, characters);
      }
    }
    this.#metrics.countReads(reader.handle.slot, found.length, seen.size - found.length, this.#clock.nowMs());
    return found;
  }

  getAllAsText(cache: string, keys: readonly Value[]): string | Entry[] {
    const reader = this.#readers.open(cache);
    const texts = reader.slidingMs === undefined ? textsOf(keys) : undefined;
    if (texts === undefined) return this.getAll(cache, keys);
    // Together the values have no more characters than one operation may return.
    const { json, texts: count, found } = reader.findTexts([...texts], Math.floor(this.#maxCharacters / texts.size));
    if (count < found) return this.getAll(cache, keys);
    this.#metrics.countReads(reader.handle.slot, found, texts.size - found, this.#clock.nowMs());
    return escapeSurrogates(json);
  }

  /** Returns the value of an entry in the snapshot of its reader, and moves its deadline if reads do so. */
  #read(reader: CacheReader, key: Value): Value | undefined {
    const row = reader.find(key);
    if (row === undefined) return undefined;
    if (reader.slidingMs !== undefined) this.#slide(reader, key, row);
    return reader.handle.codec.value(row);
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

/** Returns the different keys when SQLite reads all of them from JSON as it has stored them. */
function textsOf(keys: readonly Value[]): ReadonlySet<string> | undefined {
  const texts = new Set<string>();
  for (const key of keys) {
    if (key.type !== 'string' || key.data.includes('\0') || !key.data.isWellFormed()) return undefined;
    texts.add(key.data);
  }
  return texts.size > 1 ? texts : undefined;
}

/** Returns what identifies a key in a cache: most texts identify themselves, which saves another text. */
function idOf(key: Value): string {
  return key.type === 'string' && key.data.charCodeAt(0) !== 0 ? key.data : `\u0000${keyOf(key)}`;
}
