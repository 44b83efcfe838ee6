/** Random texts, random damage to texts, and the simpler texts that shrinking tries. */
import type { Random } from '../../simulation/random.ts';

/** Calls `make` between `least` and `most` times. */
export function several<T>(random: Random, least: number, most: number, create: () => T): T[] {
  return Array.from({ length: least + random.below(most - least + 1) }, create);
}

/** Returns true in one of `times` calls, on average. */
export function oneIn(random: Random, times: number): boolean {
  return random.below(times) === 0;
}

/** A text with one byte per character, of any bytes. */
export function anyBytes(random: Random, most: number): string {
  return several(random, 0, most, () => String.fromCharCode(random.below(256))).join('');
}

/**
 * Damages a text at one to three places: removes, doubles or replaces a part, or inserts one of `fragments`.
 */
export function damage(random: Random, text: string, fragments: readonly [string, ...string[]]): string {
  let result = text;
  for (let left = 1 + random.below(3); left > 0; left--) {
    const at = random.below(result.length + 1);
    const end = Math.min(result.length, at + 1 + random.below(oneIn(random, 4) ? 20 : 2));
    const part = result.slice(at, end);
    const inserted = random.pick(fragments);
    const kept = random.pick(['', inserted, inserted + part, part + part]);
    result = result.slice(0, at) + kept + result.slice(end);
  }
  return result;
}

/** Yields a text without parts of it: halves first, single characters last. */
export function* smallerTexts(text: string): Generator<string> {
  if (text.length > 0) yield '';
  for (let size = text.length >> 1; size >= 1; size >>= 1) {
    for (let at = 0; at < text.length; at += size) yield text.slice(0, at) + text.slice(at + size);
  }
}

/** Yields a list without some of its items, then with one of them made simpler. */
export function* smallerLists<T>(items: readonly T[], simpler: (item: T) => Iterable<T>): Generator<readonly T[]> {
  for (let size = items.length >> 1; size >= 1; size >>= 1) {
    for (let at = 0; at < items.length; at += size) yield [...items.slice(0, at), ...items.slice(at + size)];
  }
  for (const [at, item] of items.entries()) {
    for (const each of simpler(item)) yield items.with(at, each);
  }
}
