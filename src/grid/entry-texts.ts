/** Reads of entries whose JSON an engine writes at once, from the bytes that it has. */
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Value } from '../values/value.ts';

export interface EntryTexts<Entry> {
  /**
   * Does the same as `getAll` of the entries. Returns a JSON object with the keys as names when all keys and values are
   * strings, otherwise the entries. An engine may also return entries for strings that are long or need escapes.
   */
  getAllAsText(cache: string, keys: readonly Value[]): MaybePromise<string | readonly Entry[]>;
}
