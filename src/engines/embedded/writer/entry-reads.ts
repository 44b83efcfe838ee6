/** Implements the calls that read entries, inside a transaction that may have changed them. */
import { gridError } from '../../../base/errors.ts';
import type { Call, CallResult, Entry, EntryReadKind } from '../../../grid/calls.ts';
import { keyOf } from '../../../values/equality.ts';
import { formatText } from '../../../values/json.ts';
import type { Value } from '../../../values/value.ts';
import type { EntryWriter, FoundEntry } from './entry-writer.ts';

export const ENTRY_READS: {
  readonly [K in EntryReadKind]: (cache: EntryWriter, call: Call<K>) => CallResult<K>;
} = {
  get: (cache, { key }) => cache.read(find(cache, key)),

  has: (cache, { key }) => find(cache, key).live,

  getAll: readAll,

  getAllAsText: readAll,

  hasAll: (cache, { keys }) => keys.every((key) => find(cache, key).live),

  timeToLive(cache, { key }) {
    const found = find(cache, key);
    if (!found.live) throw gridError('KEY_NOT_FOUND', formatText(key));
    return cache.timeToLive(found.row);
  },

  size: (cache) => cache.size(),
};

function readAll(cache: EntryWriter, { keys }: { readonly keys: readonly Value[] }): Entry[] {
  const unique = new Map(keys.map((key) => [keyOf(key), key]));
  return [...unique.values()].flatMap((key): Entry[] => {
    const value = cache.read(find(cache, key));
    return value === undefined ? [] : [{ key, value }];
  });
}

function find(cache: EntryWriter, key: Value): FoundEntry {
  return cache.find(cache.key(key));
}
