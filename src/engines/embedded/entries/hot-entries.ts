/**
 * The entries that a thread has read repeatedly, with their values. A hit saves SQLite's look-up, which is most of the
 * cost of a `getall`. An entry is used only while its stamp (`storage/change-stamps.ts`) stays the same, so it is in
 * every snapshot from the one it was read from to the present. Entries with a deadline and large ones are not kept.
 */
import { EMBEDDED_BOUNDS } from '../../../base/limits.ts';
import { keyOf } from '../../../values/equality.ts';
import type { Value } from '../../../values/value.ts';
import { hashOfCache, hashOfEntry } from '../storage/change-stamps.ts';
import type { ReadConnection } from '../storage/databases.ts';
import type { SharedState } from '../storage/shared-state.ts';
import type { Binding } from '../storage/value-storage.ts';

/** Objects, the slot in the map and the heads of texts, besides the characters. */
const ENTRY_BYTES = 320;
/** Hashes of the last keys that were read. Only a key that is among them is kept: most are read once. */
const RECENT_HASHES = 8_192;

export interface HotEntry {
  readonly value: Value;
  readonly hash: number;
  readonly stamp: number;
  /** The last request that found it. */
  request: number;
}

/**
 * What a thread keeps, of all caches: two generations, of which the older one is dropped when the newer one is full.
 */
export class HotMemory {
  readonly shared: SharedState;
  readonly #maxBytes: number;
  #recent: Int32Array | undefined;
  #bytes = 0;
  #young = new Set<HotEntries>();
  #old = new Set<HotEntries>();

  constructor(shared: SharedState, maxBytes: number = EMBEDDED_BOUNDS.hotBytes) {
    this.shared = shared;
    this.#maxBytes = maxBytes;
  }

  /** Returns whether a key was read not long ago, and notes that it has been read. */
  isRepeated(hash: number): boolean {
    this.#recent ??= new Int32Array(RECENT_HASHES);
    const at = hash & (RECENT_HASHES - 1);
    if (this.#recent[at] === hash) return true;
    this.#recent[at] = hash;
    return false;
  }

  /** Counts an entry that `owner` is about to add to its newer generation. */
  adds(owner: HotEntries, characters: number): void {
    this.#bytes += ENTRY_BYTES + characters;
    if (this.#bytes > this.#maxBytes / 2) {
      this.#bytes = ENTRY_BYTES + characters;
      for (const each of this.#old) each.age();
      for (const each of this.#young) if (!this.#old.has(each)) each.age();
      this.#old = this.#young;
      this.#young = new Set();
    }
    this.#young.add(owner);
  }
}

/** The hot entries of one cache. */
export class HotEntries {
  readonly #memory: HotMemory;
  readonly #slot: number;
  readonly #hash: number;
  #young = new Map<string, HotEntry>();
  #old = new Map<string, HotEntry>();
  /** When the entries were current as a whole: the number of unknown changes, and the stamp of the cache. */
  #unknown = -1;
  #stamp = -1;
  #request = 0;

  constructor(memory: HotMemory, slot: number) {
    this.#memory = memory;
    this.#slot = slot;
    this.#hash = hashOfCache(slot);
  }

  /** Begins a request: {@link find} returns what was current at this time or later, and `undefined` for the rest. */
  begin(): void {
    const { writeLock, stamps } = this.#memory.shared;
    const unknown = writeLock.unknownChanges();
    const stamp = stamps.read(this.#hash);
    if (unknown !== this.#unknown || stamp !== this.#stamp) {
      this.#unknown = unknown;
      this.#stamp = stamp;
      this.clear();
    }
    this.#request++;
  }

  /** Returns an entry whose stamp has not changed. `id` identifies the key. */
  find(id: string): HotEntry | undefined {
    const young = this.#young.get(id);
    const entry = young ?? this.#old.get(id);
    if (entry === undefined || this.#memory.shared.stamps.read(entry.hash) !== entry.stamp) return undefined;
    if (young === undefined) this.#add(id, entry);
    return entry;
  }

  /** Returns whether this request has found the entry before, and notes that it has found it. */
  isRepeated(entry: HotEntry): boolean {
    if (entry.request === this.#request) return true;
    entry.request = this.#request;
    return false;
  }

  /**
   * Keeps an entry that was read from `snapshot`, if it has been read not long ago and nothing has been committed since
   * the snapshot was taken.
   */
  offer(id: string, key: Binding, value: Value, snapshot: Pick<ReadConnection, 'isNewest'>): void {
    const { shared } = this.#memory;
    const hash = hashOfEntry(this.#slot, key);
    if (!this.#memory.isRepeated(hash) || charactersOf(id, value) > EMBEDDED_BOUNDS.hotCharacters) return;
    shared.stamps.begin(this.#slot);
    const stamp = shared.stamps.read(hash);
    const isCurrent =
      shared.writeLock.unknownChanges() === this.#unknown && shared.stamps.read(this.#hash) === this.#stamp;
    // Read last: a change that the stamps above include has been committed before the snapshot.
    if (isCurrent && snapshot.isNewest()) this.#add(copyOf(id), { value, hash, stamp, request: 0 });
  }

  /** Drops the older generation. */
  age(): void {
    this.#old = this.#young;
    this.#young = new Map();
  }

  clear(): void {
    if (this.#young.size > 0) this.#young = new Map();
    if (this.#old.size > 0) this.#old = new Map();
  }

  #add(id: string, entry: HotEntry): void {
    this.#memory.adds(this, charactersOf(id, entry.value));
    this.#young.set(id, entry);
  }
}

/** Returns what identifies a key in a cache: most texts identify themselves, which saves another text. */
export function idOfKey(key: Value): string {
  return key.type === 'string' && key.data.charCodeAt(0) !== 0 ? key.data : `\u0000${keyOf(key)}`;
}

/** Returns the characters of an entry; infinite if its value is not kept, whatever its size. */
function charactersOf(id: string, value: Value): number {
  switch (value.type) {
    case 'string':
      return id.length + value.data.length;
    case 'boolean':
    case 'byte':
    case 'short':
    case 'integer':
    case 'long':
    case 'float':
    case 'double':
    case 'char':
    case 'date':
    case 'time':
    case 'timestamp':
    case 'instant':
    case 'uuid':
    case 'gridUuid':
      return id.length;
    case 'null':
    case 'decimal':
    case 'bigInteger':
    case 'bytes':
    case 'array':
    case 'list':
    case 'map':
    case 'object':
    case 'enum':
    case 'opaque':
      return Number.POSITIVE_INFINITY;
  }
}

const BEYOND_LATIN_1 = /[^\u0000-\u00ff]/;

/** Returns a text of its own: that of a parameter is a slice, which would keep the whole request in memory. */
function copyOf(id: string): string {
  const encoding = BEYOND_LATIN_1.test(id) ? 'utf16le' : 'latin1';
  return Buffer.from(id, encoding).toString(encoding);
}
