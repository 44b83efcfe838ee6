/** The entries with a key that somebody searches for: one of each type under which it is stored. */
import { formatValue } from '../elements/formats.ts';
import { call, callToShow, isForbidden, isNotSupported, type Json } from '../requests/request.ts';
import type { StoredEntry } from './entry-kind.ts';
import type { EntryPart, EntryReader } from './entry-rows.ts';
import { keyTypesOf, valueTypesOf } from './entry-types.ts';

export interface KeySearch {
  readonly cacheName: string;
  readonly key: string;
  /** Undefined: every type that the text may have. */
  readonly keyType: string | undefined;
  /** Types of keys and values that are known to be stored. */
  readonly knownTypes: readonly string[];
}

export class FoundEntries implements EntryReader {
  readonly #search: KeySearch;
  #found: Promise<readonly StoredEntry[]> | undefined;

  constructor(search: KeySearch) {
    this.#search = search;
  }

  async read(from: number, count: number): Promise<EntryPart> {
    this.#found ??= find(this.#search);
    const all = await this.#found;
    const entries = all.slice(from, from + count);
    return { entries, characters: 0, total: all.length };
  }

  async count(): Promise<undefined> {}

  restart(): void {
    this.#found = undefined;
  }

  close(): void {}
}

async function find({ cacheName, key, keyType, knownTypes }: KeySearch): Promise<readonly StoredEntry[]> {
  const found: StoredEntry[] = [];
  for (const type of keyType === undefined ? keyTypesOf(key, knownTypes) : [keyType]) {
    const target = { cacheName, key, keyType: type };
    try {
      if ((await call('conkey', target)) !== true) continue;
    } catch (problem) {
      if (keyType !== undefined || isForbidden(problem)) throw problem;
      // The text of another type than this one.
      continue;
    }
    const { response: value } = await callToShow('get', target);
    const valueType = await valueTypeOf(target, value, knownTypes);
    found.push({ key, value, keyType: type, valueType, expires: await expiryOf(target) });
  }
  return found;
}

interface Target {
  readonly cacheName: string;
  readonly key: string;
  readonly keyType: string;
}

/** Returns when an entry expires; undefined if it does not, or if the engine cannot tell. */
async function expiryOf(target: Target): Promise<number | undefined> {
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
async function valueTypeOf(target: Target, value: Json, known: readonly string[]): Promise<string | undefined> {
  const text = formatValue(value);
  for (const valueType of valueTypesOf(value, known)) {
    try {
      const params = { of: 'cas', ...target, val: text, val2: text, valueType };
      if ((await call('dryrun', params)).response === true) return valueType;
    } catch (problem) {
      // The engine has no dry run, or the user may not change entries.
      if (isNotSupported(problem) || isForbidden(problem)) return undefined;
      // The text of another type than this one.
    }
  }
  return undefined;
}
