/**
 * Tells all threads which entries change, so that what they keep of entries is never older than their snapshot. An
 * entry has a stamp in shared memory, which it shares with the others of the same hash. Whoever changes it advances
 * the stamp before the commit: while a stamp stays the same, no change of its entries is visible to anybody. Only the
 * holder of the write lock advances stamps.
 */
import type { Binding } from './value-storage.ts';

/** A power of 2. With as many hot entries, a change of one discards another one, too. */
const STAMPS = 65_536;

/**
 * So many changes of a cache are told one by one. Then all its entries are discarded, and changes are not told until a
 * thread keeps an entry again: those of a cache that nobody reads cost nothing.
 */
const TOLD_CHANGES = 65_536;

/** Longer texts are hashed by as many characters at both ends and their length. */
const HASHED_CHARACTERS = 32;
const FNV_BASIS = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

export class ChangeStamps {
  readonly #stamps: Int32Array;
  /** For each cache: how many more changes are told; 0 while no thread keeps an entry. */
  readonly #told: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#stamps = new Int32Array(memory, 0, STAMPS);
    this.#told = new Int32Array(memory, STAMPS * Int32Array.BYTES_PER_ELEMENT);
  }

  /** Returns the stamp of the entries with a hash. */
  read(hash: number): number {
    return Atomics.load(this.#stamps, hash & (STAMPS - 1));
  }

  /** Has changes of a cache told. Must be called before {@link read}, whose stamp an entry is kept with. */
  begin(slot: number): void {
    if (Atomics.load(this.#told, slot) === 0) Atomics.store(this.#told, slot, TOLD_CHANGES);
  }

  /** Tells that an entry changes, before the commit. `key` is the key as it is stored, without its type. */
  changed(slot: number, key: Binding): void {
    const told = Atomics.load(this.#told, slot);
    if (told === 0) return;
    if (told === 1) this.changedMany(slot);
    else {
      Atomics.store(this.#told, slot, told - 1);
      Atomics.add(this.#stamps, hashOfEntry(slot, key) & (STAMPS - 1), 1);
    }
  }

  /** Tells that entries of a cache change whose keys are not known, before the commit. */
  changedMany(slot: number): void {
    if (Atomics.load(this.#told, slot) === 0) return;
    // A thread that begins now keeps nothing, because the lock is held.
    Atomics.store(this.#told, slot, 0);
    Atomics.add(this.#stamps, hashOfCache(slot) & (STAMPS - 1), 1);
  }
}

/** Returns the size of the memory for so many caches. */
export function stampsBytes(caches: number): number {
  return (STAMPS + caches) * Int32Array.BYTES_PER_ELEMENT;
}

/** Returns the hash of a whole cache, for changes whose keys are not known. `slot` is that of the cache. */
export function hashOfCache(slot: number): number {
  return mixed(Math.imul(slot ^ FNV_BASIS, FNV_PRIME));
}

/** Returns the hash of an entry. `key` is the key as it is stored, without its type. */
export function hashOfEntry(slot: number, key: Binding): number {
  let hash = Math.imul(slot ^ FNV_BASIS, FNV_PRIME);
  if (typeof key === 'string') {
    const { length } = key;
    const end = Math.min(length, HASHED_CHARACTERS);
    for (let at = 0; at < end; at++) hash = Math.imul(hash ^ key.charCodeAt(at), FNV_PRIME);
    for (let at = Math.max(end, length - HASHED_CHARACTERS); at < length; at++) {
      hash = Math.imul(hash ^ key.charCodeAt(at), FNV_PRIME);
    }
    hash ^= length;
  } else if (typeof key === 'number') hash = Math.imul(hash ^ (key | 0), FNV_PRIME);
  else if (typeof key === 'bigint') hash = Math.imul(hash ^ Number(BigInt.asIntN(32, key)), FNV_PRIME);
  else if (key !== null) hash ^= key.length;
  return mixed(hash);
}

/** Spreads a hash over its lower bits. */
function mixed(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return once ^ (once >>> 13);
}
