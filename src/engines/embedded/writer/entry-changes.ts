/**
 * Implements the calls that change entries, inside a transaction. Reads and writes are counted as in Apache Ignite
 * (docs/spec/ignite-data.md 4.6).
 */
import { completeAtOnce } from '../../../base/slices.ts';
import type { Call, CallResult, EntryChangeKind, TimeToLive } from '../../../grid/calls.ts';
import { append, prepend } from '../../../values/combine.ts';
import { equalValues } from '../../../values/equality.ts';
import type { Value } from '../../../values/value.ts';
import type { EntryWriter } from './entry-writer.ts';
import type { Steps } from './steps.ts';

/** The calls that change many keys, in steps. */
export const ENTRY_STEPS = {
  putAll: (cache: EntryWriter, { entries, ttlMs }: Call<'putAll'>): Steps<void> => cache.putAll(entries, ttlMs),

  removeAll: (cache: EntryWriter, { keys }: Call<'removeAll'>): Steps<void> => cache.removeAll(keys),
};

export const ENTRY_CHANGES: {
  readonly [K in EntryChangeKind]: (cache: EntryWriter, call: Call<K>) => CallResult<K>;
} = {
  put(cache, { key, value, ttlMs }) {
    cache.put(key, value, ttlMs);
  },

  putAll: (cache, call) => completeAtOnce(ENTRY_STEPS.putAll(cache, call)),

  putIfAbsent(cache, { key, value, ttlMs }) {
    const found = cache.find(cache.key(key));
    cache.countRead(found);
    cache.putIf(!found.live, key, value, ttlMs);
    return !found.live;
  },

  getAndPut(cache, { key, value, ttlMs }) {
    const old = cache.read(cache.find(cache.key(key)));
    cache.put(key, value, ttlMs);
    return old;
  },

  getAndPutIfAbsent(cache, { key, value, ttlMs }) {
    const old = cache.read(cache.find(cache.key(key)));
    cache.putIf(old === undefined, key, value, ttlMs);
    return old;
  },

  replace(cache, { key, value, ttlMs }) {
    const found = cache.find(cache.key(key));
    cache.countRead(found);
    cache.putIf(found.live, key, value, ttlMs);
    return found.live;
  },

  getAndReplace(cache, { key, value, ttlMs }) {
    const old = cache.read(cache.find(cache.key(key)));
    cache.putIf(old !== undefined, key, value, ttlMs);
    return old;
  },

  replaceIfEquals(cache, { key, expected, value, ttlMs }) {
    const equal = holds(cache, key, expected);
    cache.putIf(equal, key, value, ttlMs);
    return equal;
  },

  remove(cache, { key }) {
    const storageValue = cache.key(key);
    const { live } = cache.find(storageValue);
    if (live) cache.remove(storageValue);
    return live;
  },

  getAndRemove(cache, { key }) {
    const storageValue = cache.key(key);
    const old = cache.read(cache.find(storageValue));
    if (old !== undefined) cache.remove(storageValue);
    return old;
  },

  removeIfEquals(cache, { key, expected }) {
    const equal = holds(cache, key, expected);
    if (equal) cache.remove(cache.key(key));
    return equal;
  },

  removeAll: (cache, call) => completeAtOnce(ENTRY_STEPS.removeAll(cache, call)),

  clear(cache) {
    cache.clear();
  },

  append(cache, { key, value, ttlMs }) {
    return addTo(cache, key, value, append, ttlMs);
  },

  prepend(cache, { key, value, ttlMs }) {
    return addTo(cache, key, value, prepend, ttlMs);
  },

  updateTtl(cache, { key, ttlMs }) {
    const storageValue = cache.key(key);
    const found = cache.find(storageValue);
    cache.countRead(found);
    if (found.live) cache.updateTtl(storageValue, ttlMs);
    return found.live;
  },
};

function holds(cache: EntryWriter, key: Value, expected: Value): boolean {
  const old = cache.read(cache.find(cache.key(key)));
  return old !== undefined && equalValues(old, expected);
}

function addTo(cache: EntryWriter, key: Value, value: Value, join: typeof append, ttlMs: TimeToLive): boolean {
  const old = cache.read(cache.find(cache.key(key)));
  if (old === undefined) return false;
  cache.put(key, join(old, value, cache.maxValueCharacters), ttlMs);
  return true;
}
