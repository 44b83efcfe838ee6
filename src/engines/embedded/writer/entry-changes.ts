/** What each change of entries does. What it counts as is that of Ignite (docs/spec/ignite-data.md 4.6). */
import { append, prepend } from '../../../values/combine.ts';
import { equalValues } from '../../../values/equality.ts';
import type { Value } from '../../../values/value.ts';
import type { EntryChanges } from './changes.ts';
import type { EntryWriter } from './entry-writer.ts';

type Executors = {
  readonly [N in keyof EntryChanges]: (
    cache: EntryWriter,
    request: EntryChanges[N]['request'],
  ) => EntryChanges[N]['response'];
};

export const ENTRY_CHANGES: Executors = {
  put(cache, { key, value, ttlMs }) {
    cache.put(key, value, ttlMs);
    return undefined;
  },

  putAll(cache, { entries }) {
    cache.putAll(entries);
    return undefined;
  },

  putIfAbsent(cache, { key, value, ttlMs }) {
    const found = cache.find(cache.key(key));
    cache.countRead(found);
    if (found.live) return false;
    cache.put(key, value, ttlMs);
    return true;
  },

  getAndPut(cache, { key, value }) {
    const old = cache.read(cache.find(cache.key(key)));
    cache.put(key, value);
    return old;
  },

  getAndPutIfAbsent(cache, { key, value }) {
    const old = cache.read(cache.find(cache.key(key)));
    if (old === undefined) cache.put(key, value);
    return old;
  },

  replace(cache, { key, value, ttlMs }) {
    const found = cache.find(cache.key(key));
    cache.countRead(found);
    if (found.live) cache.put(key, value, ttlMs);
    return found.live;
  },

  getAndReplace(cache, { key, value }) {
    const old = cache.read(cache.find(cache.key(key)));
    if (old !== undefined) cache.put(key, value);
    return old;
  },

  replaceIfEquals(cache, { key, expected, value }) {
    const equal = holds(cache, key, expected);
    if (equal) cache.put(key, value);
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

  removeAll(cache, { keys }) {
    for (const key of keys) {
      const storageValue = cache.key(key);
      if (cache.find(storageValue).live) cache.remove(storageValue);
    }
    return undefined;
  },

  clear(cache) {
    cache.clear();
    return undefined;
  },

  append(cache, { key, value }) {
    return addTo(cache, key, value, append);
  },

  prepend(cache, { key, value }) {
    return addTo(cache, key, value, prepend);
  },

  updateTtl(cache, { key, ttlMs }) {
    const storageValue = cache.key(key);
    const found = cache.find(storageValue);
    cache.countRead(found);
    if (found.live) cache.updateTtl(storageValue, ttlMs);
    return found.live;
  },

  sweep(cache, { rows }) {
    return cache.sweep(rows);
  },
};

function holds(cache: EntryWriter, key: Value, expected: Value): boolean {
  const old = cache.read(cache.find(cache.key(key)));
  return old !== undefined && equalValues(old, expected);
}

function addTo(cache: EntryWriter, key: Value, value: Value, join: typeof append): boolean {
  const old = cache.read(cache.find(cache.key(key)));
  if (old === undefined) return false;
  cache.put(key, join(old, value));
  return true;
}
