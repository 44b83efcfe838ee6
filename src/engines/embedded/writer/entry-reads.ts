/** Implements the operations of the port that read entries, inside a transaction that may have changed them. */
import type { Entries, Entry } from '../../../grid/grid.ts';
import { keyOf } from '../../../values/equality.ts';
import type { Value } from '../../../values/value.ts';
import type { EntryOperation } from './changes.ts';
import type { EntryWriter, FoundEntry } from './entry-writer.ts';

export type EntryRead = Exclude<keyof Entries, EntryOperation>;

type WithoutCache<Arguments> = Arguments extends [string, ...infer Rest] ? Rest : never;
type Read<N extends EntryRead> = (
  cache: EntryWriter,
  ...args: WithoutCache<Parameters<Entries[N]>>
) => Awaited<ReturnType<Entries[N]>>;

export const ENTRY_READS: { readonly [N in EntryRead]: Read<N> } = {
  get: (cache, key) => cache.read(find(cache, key)),

  has: (cache, key) => find(cache, key).live,

  getAll(cache, keys) {
    const unique = new Map(keys.map((key) => [keyOf(key), key]));
    return [...unique.values()].flatMap((key): Entry[] => {
      const value = cache.read(find(cache, key));
      return value === undefined ? [] : [{ key, value }];
    });
  },

  hasAll: (cache, keys) => keys.every((key) => find(cache, key).live),

  timeToLive(cache, key) {
    const found = find(cache, key);
    return found.live ? cache.timeToLive(found.row) : undefined;
  },

  size: (cache) => cache.size(),
};

function find(cache: EntryWriter, key: Value): FoundEntry {
  return cache.find(cache.key(key));
}
