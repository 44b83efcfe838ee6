/** Cheap calls take time and memory in proportion to the size of their arguments, with a small factor. */
import { AGGREGATES, FUNCTIONS } from '../functions/functions.ts';

/** Returns whether a function is declared cheap. `name` is in upper case; an unknown function is not cheap. */
export function isCheapCall(name: string): boolean {
  return (FUNCTIONS.get(name) ?? AGGREGATES.get(name))?.cheap ?? false;
}
