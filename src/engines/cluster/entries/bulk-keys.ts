/** Groups and orders the keys of a bulk operation for the nodes. */
import { keyOf } from '../../../values/equality.ts';
import type { Value } from '../../../values/value.ts';

/** Java's time types. Values of different time types with the same instant are the same key in a Java map. */
const TIME_TYPES: ReadonlySet<string> = new Set(['date', 'time', 'timestamp', 'instant']);

/** Splits the items into groups without keys of different time types. There is nearly always one group. */
export function byTimeType<T>(items: readonly T[], keyOfItem: (item: T) => Value): ReadonlyArray<readonly T[]> {
  if (haveStringKeys(items, keyOfItem)) return items.length === 0 ? [] : [items];
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const { type } = keyOfItem(item);
    const name = TIME_TYPES.has(type) ? type : '';
    const group = groups.get(name);
    if (group) group.push(item);
    else groups.set(name, [item]);
  }
  return [...groups.values()];
}

/**
 * Sorts the items by their keys; equal keys keep their order. A node locks the entries of an operation in
 * their order, so two operations in opposite orders would wait for each other until one gives up.
 */
export function sortedByKey<T>(items: readonly T[], keyOfItem: (item: T) => Value): readonly T[] {
  return sortedByText(items, keyOfItem) ?? sortedByName(items, keyOfItem);
}

function sortedByName<T>(items: readonly T[], keyOfItem: (item: T) => Value): T[] {
  return items
    .map((item) => ({ item, name: keyOf(keyOfItem(item)) }))
    .sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)))
    .map(({ item }) => item);
}

/** Returns whether all keys are strings, as most are. */
function haveStringKeys<T>(items: readonly T[], keyOfItem: (item: T) => Value): boolean {
  for (const item of items) if (keyOfItem(item).type !== 'string') return false;
  return true;
}

/**
 * Sorts items with strings as keys, in the same order as {@link sortedByName}; undefined for others. The runtime sorts
 * texts faster than with a comparison of our own.
 */
function sortedByText<T>(items: readonly T[], keyOfItem: (item: T) => Value): T[] | undefined {
  const first = new Map<string, T>();
  /** Further items with the same keys. */
  const further = new Map<string, T[]>();
  const texts: string[] = [];
  for (const item of items) {
    const key = keyOfItem(item);
    if (key.type !== 'string') return undefined;
    if (!first.has(key.data)) {
      first.set(key.data, item);
      texts.push(key.data);
    } else {
      const same = further.get(key.data);
      if (same === undefined) further.set(key.data, [item]);
      else same.push(item);
    }
  }
  const sorted: T[] = [];
  for (const text of texts.sort()) {
    const item = first.get(text);
    if (item !== undefined) sorted.push(item);
    for (const same of further.get(text) ?? []) sorted.push(same);
  }
  return sorted;
}
