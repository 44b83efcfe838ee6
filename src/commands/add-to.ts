/** Declares append and prepend, which differ in the end to which they add. */
import { gridError } from '../base/errors.ts';
import { chain, type MaybePromise } from '../base/maybe-promise.ts';
import type { TimeToLive } from '../grid/grid.ts';
import type { Value } from '../values/value.ts';
import { command, type Example, ON_ENTRY, type RegisteredCommand } from './command.ts';
import type { Context } from './context.ts';
import {
  cacheFlags,
  cacheName,
  checkedByHandler,
  destId,
  key,
  type Parameter,
  timeToLive,
  ttlMs,
  val,
} from './params.ts';
import { booleanReply } from './reply.ts';

const addition: Parameter<Value | undefined> = {
  ...checkedByHandler(val),
  summary: 'The string, list or map to add.',
};

interface Addition {
  readonly name: 'append' | 'prepend';
  readonly request: string;
  readonly summary: string;
  readonly example: Example;
}

/** Declares a command that adds to a value at one end. */
export function additionCommand(declaration: Addition): RegisteredCommand {
  return command({
    ...ON_ENTRY,
    ...declaration,
    group: 'entry',
    access: 'write',
    deadline: 'setByTtlMs',
    needs: 'cachePut',
    params: { cacheName, key, val: addition, ttlMs, destId, cacheFlags },
    reply: booleanReply('True if the key exists.'),
    errors: ['TTL_NEGATIVE', 'INCOMPATIBLE_TYPES', 'REGION_FULL'],
    run: ({ cacheName, key, val, ttlMs }, context) =>
      addTo(context, cacheName, key, val, declaration.name, timeToLive(undefined, ttlMs)),
  });
}

/**
 * Adds `value` at one end of the current value. Throws CACHE_NOT_FOUND, then PARAMETER_MISSING: Ignite checks the cache
 * before `val` (docs/spec/ignite-data.md 2.2).
 */
function addTo(
  { grid, call }: Context,
  cache: string,
  key: Value,
  value: Value | undefined,
  end: 'append' | 'prepend',
  ttlMs: TimeToLive,
): MaybePromise<boolean> {
  if (value !== undefined) return call({ kind: end, cache, key, value, ttlMs });
  return chain(grid.caches.find(cache), (found) => {
    if (found === undefined) throw gridError('CACHE_NOT_FOUND', cache);
    throw gridError('PARAMETER_MISSING', 'val', 'val');
  });
}
