/**
 * Implements each operation of the port on entries, inside the writer's transaction. This is the engine's only list of
 * them: messages, execution and the port's methods derive from it. Reads and writes are counted as in Apache Ignite
 * (docs/spec/ignite-data.md 4.6).
 */
import type { TimeToLive } from '../../../grid/grid.ts';
import { append, prepend } from '../../../values/combine.ts';
import { equalValues } from '../../../values/equality.ts';
import type { Value } from '../../../values/value.ts';
import type { ArgumentsOf, EntryChanges, EntryOperation, ResultOf } from './changes.ts';
import type { EntryWriter } from './entry-writer.ts';

type Operation<N extends EntryOperation> = (cache: EntryWriter, ...args: ArgumentsOf<N>) => ResultOf<N>;

export const ENTRY_OPERATIONS: { readonly [N in EntryOperation]: Operation<N> } = {
  put(cache, key, value, ttlMs) {
    cache.put(key, value, ttlMs);
  },

  putAll(cache, entries, ttlMs) {
    cache.putAll(entries, ttlMs);
  },

  putIfAbsent(cache, key, value, ttlMs) {
    const found = cache.find(cache.key(key));
    cache.countRead(found);
    if (found.live) return false;
    cache.put(key, value, ttlMs);
    return true;
  },

  getAndPut(cache, key, value, ttlMs) {
    const old = cache.read(cache.find(cache.key(key)));
    cache.put(key, value, ttlMs);
    return old;
  },

  getAndPutIfAbsent(cache, key, value, ttlMs) {
    const old = cache.read(cache.find(cache.key(key)));
    if (old === undefined) cache.put(key, value, ttlMs);
    return old;
  },

  replace(cache, key, value, ttlMs) {
    const found = cache.find(cache.key(key));
    cache.countRead(found);
    if (found.live) cache.put(key, value, ttlMs);
    return found.live;
  },

  getAndReplace(cache, key, value, ttlMs) {
    const old = cache.read(cache.find(cache.key(key)));
    if (old !== undefined) cache.put(key, value, ttlMs);
    return old;
  },

  replaceIfEquals(cache, key, expected, value, ttlMs) {
    const equal = holds(cache, key, expected);
    if (equal) cache.put(key, value, ttlMs);
    return equal;
  },

  remove(cache, key) {
    const storageValue = cache.key(key);
    const { live } = cache.find(storageValue);
    if (live) cache.remove(storageValue);
    return live;
  },

  getAndRemove(cache, key) {
    const storageValue = cache.key(key);
    const old = cache.read(cache.find(storageValue));
    if (old !== undefined) cache.remove(storageValue);
    return old;
  },

  removeIfEquals(cache, key, expected) {
    const equal = holds(cache, key, expected);
    if (equal) cache.remove(cache.key(key));
    return equal;
  },

  removeAll(cache, keys) {
    for (const key of keys) {
      const storageValue = cache.key(key);
      if (cache.find(storageValue).live) cache.remove(storageValue);
    }
  },

  clear(cache) {
    cache.clear();
  },

  append(cache, key, value, ttlMs) {
    return addTo(cache, key, value, append, ttlMs);
  },

  prepend(cache, key, value, ttlMs) {
    return addTo(cache, key, value, prepend, ttlMs);
  },

  updateTtl(cache, key, ttlMs) {
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

export const ENTRY_OPERATION_NAMES = Object.keys(ENTRY_OPERATIONS) as readonly EntryOperation[];

type EntryMethod<N extends EntryOperation> = (cache: string, ...args: ArgumentsOf<N>) => Promise<ResultOf<N>>;

interface EntryChannel {
  submit<N extends EntryOperation>(name: N, request: EntryChanges[N]['request']): Promise<EntryChanges[N]['response']>;
}

/** Returns the port's methods that submit the operations to the writer. */
export function entryMethods(changes: EntryChannel): { readonly [N in EntryOperation]: EntryMethod<N> } {
  function method<N extends EntryOperation>(operation: N): EntryMethod<N> {
    return (name, ...args) => changes.submit(operation, { name, args });
  }
  const methods = ENTRY_OPERATION_NAMES.map((operation) => [operation, method(operation)]);
  return Object.fromEntries(methods) as { readonly [N in EntryOperation]: EntryMethod<N> };
}
