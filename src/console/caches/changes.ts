/** Sends changes of stored rows, and asks what they would do. */
import { call, isNotSupported } from '../requests/request.ts';
import type { Change } from './stored-rows.ts';

/** The number of changes in progress at once. */
const AT_ONCE = 5;

/** Returns how many rows a response says were changed. */
function countOf(response: unknown): number {
  if (typeof response === 'boolean') return Number(response);
  const { items } = response as { readonly items: ReadonlyArray<readonly [number]> };
  return Number(items[0]?.[0] ?? 0);
}

/** Sends a change, and returns how many rows it has changed. Throws SvcError. */
export async function execute({ cmd, params }: Change): Promise<number> {
  return countOf(await call(cmd, params));
}

/** Returns how many rows a change would change, or undefined if the engine cannot tell. Throws SvcError. */
export async function wouldChange({ cmd, params }: Change): Promise<number | undefined> {
  try {
    return countOf((await call('dryrun', { of: cmd, ...params })).response);
  } catch (problem) {
    if (isNotSupported(problem)) return undefined;
    throw problem;
  }
}

/** Does some work for each change, a few at a time. Throws what the work throws, once all running work has ended. */
export async function forEachChange(
  changes: readonly Change[],
  work: (change: Change) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < changes.length; at += AT_ONCE) {
    const ended = await Promise.allSettled(changes.slice(at, at + AT_ONCE).map(work));
    for (const each of ended) if (each.status === 'rejected') throw each.reason;
  }
}
