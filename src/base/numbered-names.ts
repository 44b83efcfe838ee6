/**
 * The names of numbered parameters: `k1`, `k2`, ... Each is created once, because a new string has to be hashed again.
 */

/** Number of cached names per stem. */
const KEPT = 256;
const kept = new Map<string, readonly string[]>();

/** Returns a function that returns the name for a stem and a number from 0 on. */
export function numberedNames(stem: string): (number: number) => string {
  let names = kept.get(stem);
  if (names === undefined) {
    names = Array.from({ length: KEPT }, (_, number) => `${stem}${number}`);
    kept.set(stem, names);
  }
  const known = names;
  return (number) => known[number] ?? `${stem}${number}`;
}
