/** The entries found by a key: one for each type under which it is stored. */
import { formatValue } from '../elements/formats.ts';
import { callBatch } from '../requests/batch.ts';
import { call, callToShow, isForbidden, isNotSupported, type Json } from '../requests/request.ts';
import type { FetchedPage } from '../rows/paged-rows.ts';
import { parameterText } from '../rows/value-input.ts';
import { entryRow, type StoredEntry } from './entry-kind.ts';
import { comparerOf, type EntryQuery, matcherOf } from './entry-query.ts';
import { EntryRows } from './entry-rows.ts';
import { keyOfText, valueTypesOf } from './entry-types.ts';
import { type EntryTarget, type KeySearch, targetsOf } from './stored-keys.ts';

export class FoundEntries extends EntryRows {
  readonly #search: KeySearch;
  readonly #query: EntryQuery;

  constructor(search: KeySearch, query: EntryQuery) {
    super();
    this.#search = search;
    this.#query = query;
  }

  protected async fetchPage(): Promise<FetchedPage> {
    const rows = (await find(this.#search)).map(entryRow).filter(matcherOf(this.#query));
    if (this.#query.order !== undefined) rows.sort(comparerOf(this.#query.order));
    return { rows, characters: 0, total: rows.length };
  }
}

async function find(search: KeySearch): Promise<readonly StoredEntry[]> {
  const found: StoredEntry[] = [];
  for (const target of await targetsOf(search)) {
    const { keyType } = target;
    const { response: value } = await callToShow('get', { ...target });
    const valueType = await valueTypeOf(target, value, search.knownTypes);
    const key = keyOfText(search.key, keyType);
    found.push({ key, value, keyType, valueType, expires: await expiryOf(target) });
  }
  return found;
}

/** Returns when an entry expires, or undefined if it does not, or if the engine cannot tell. */
async function expiryOf(target: EntryTarget): Promise<number | undefined> {
  try {
    const leftMs = await call('ttl', { ...target });
    return leftMs === null || Number(leftMs) < 0 ? undefined : Date.now() + Number(leftMs);
  } catch (problem) {
    if (isNotSupported(problem)) return undefined;
    throw problem;
  }
}

/**
 * Returns the type of the value of an entry, by asking which one a change would find; undefined if none of them is, or
 * if that cannot be asked. Changes nothing.
 */
async function valueTypeOf(target: EntryTarget, value: Json, known: readonly string[]): Promise<string | undefined> {
  const text = formatValue(value);
  const types = valueTypesOf(value, known);
  const commands = types.map((valueType) => {
    const val = parameterText(valueType, text);
    return { cmd: 'dryrun', of: 'cas', ...target, val, val2: val, valueType };
  });
  try {
    const results = await callBatch(commands);
    return types.find((_, at) => (results[at]?.response as { readonly response?: Json } | null)?.response === true);
  } catch (problem) {
    // The user may not change entries.
    if (isForbidden(problem)) return undefined;
    throw problem;
  }
}
