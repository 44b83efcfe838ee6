/** Declares incr and decr, which differ in the sign of the step. */
import { command, type Example, ON_SERVICE, type RegisteredCommand } from './command.ts';
import { audited, cacheName, counterTtlMs, optionalLong, requiredLong, requiredString } from './params.ts';
import { longReply } from './reply.ts';

interface CounterStep {
  readonly name: string;
  readonly request: string;
  readonly summary: string;
  readonly deltaSummary: string;
  readonly example: Example;
  /** Returns the number to add for the parameter `delta`. */
  step(delta: bigint): bigint;
}

/** Declares a command that adds a number to a counter. */
export function counterCommand({ deltaSummary, step, ...declaration }: CounterStep): RegisteredCommand {
  return command({
    ...ON_SERVICE,
    ...declaration,
    batch: 'atomic',
    group: 'counter',
    access: 'write',
    needs: 'counter',
    subject: 'key',
    params: {
      init: optionalLong('init', 'Initial value of a new counter.', { defaultText: '0' }),
      key: audited(requiredString('key', 'Name of the counter.'), 'counter'),
      delta: requiredLong('delta', deltaSummary),
      ttlMs: counterTtlMs,
      cacheName: {
        ...cacheName,
        auditedAs: undefined,
        required: false,
        summary: 'Ignored; counters are independent of caches.',
      },
    },
    reply: longReply('The new value of the counter, a 64-bit integer that wraps on overflow.'),
    errors: ['TTL_NEGATIVE', 'NOT_SUPPORTED', 'COUNTER_LIMIT', 'REGION_FULL', 'READ_ONLY', 'INACTIVE'],
    run: ({ key, init, delta, ttlMs }, { call }) =>
      ttlMs === undefined
        ? call({ kind: 'addToCounter', name: key, delta: step(delta), initial: init ?? 0n })
        : call({ kind: 'addToCounter', name: key, delta: step(delta), initial: init ?? 0n, ttlMs }),
  });
}
