/** Groups and orders the keys of a bulk operation for the nodes. */
import { keyOf } from '../../../values/equality.ts';
import type { Value } from '../../../values/value.ts';

/** Java's time types. Values of different time types with the same instant are the same key in a Java map. */
const TIME_TYPES: ReadonlySet<string> = new Set(['date', 'time', 'timestamp', 'instant']);

/** Splits the items into groups without keys of different time types. There is nearly always one group. */
export function byTimeType<T>(items: readonly T[], keyOfItem: (item: T) => Value): ReadonlyArray<readonly T[]> {
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
 * Sorts the items by their keys; equal keys keep their order. A node locks an operation's entries in their order, so
 * two operations in opposite orders would wait for each other until one gives up.
 */
export function sortedByKey<T>(items: readonly T[], keyOfItem: (item: T) => Value): readonly T[] {
  const byName = Map.groupBy(items, (item) => keyOf(keyOfItem(item)));
  // The runtime sorts strings faster than with a custom comparison.
  return [...byName.keys()].sort().flatMap((name) => byName.get(name) ?? []);
}
