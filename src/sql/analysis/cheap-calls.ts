/** Which calls are cheap: they take time and memory in proportion to their arguments, with a small factor. */
import { AGGREGATES, FUNCTIONS } from '../functions/functions.ts';

/** Whether a function is declared cheap. Names are in upper case; what does not exist is not cheap. */
export function isCheapCall(name: string): boolean {
  return (FUNCTIONS.get(name) ?? AGGREGATES.get(name))?.cheap ?? false;
}
