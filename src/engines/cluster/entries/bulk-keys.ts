/** What the keys of one bulk operation have to be like for the nodes. */
import { keyOf } from '../../../values/equality.ts';
import type { Value } from '../../../values/value.ts';

/** Java's types of time; the same instant of two of them is one key of a Java map. */
const TIME_TYPES: ReadonlySet<string> = new Set(['date', 'time', 'timestamp', 'instant']);

/** The items in groups, none of which holds keys of two types of time; nearly always one. */
export function byTimeType<T>(items: readonly T[], keyOfItem: (item: T) => Value): T[][] {
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
 * The items in an order that depends on nothing but their keys; of equal keys the last stays the last. A node locks the
 * entries of one operation in their order: two operations in opposite orders wait half a second for each other.
 */
export function inOneOrder<T>(items: readonly T[], keyOfItem: (item: T) => Value): T[] {
  return items
    .map((item) => ({ item, name: keyOf(keyOfItem(item)) }))
    .sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)))
    .map(({ item }) => item);
}
