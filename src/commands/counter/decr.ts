import { command, ON_SERVICE } from '../command.ts';
import { cacheName, counterTtlMs, optionalLong, requiredLong, requiredString } from '../params.ts';
import { longReply } from '../reply.ts';

export const decr = command({
  ...ON_SERVICE,
  batch: 'atomic',
  name: 'decr',
  request: 'ATOMIC_DECREMENT',
  group: 'counter',
  summary: 'Subtracts a number from a counter and returns the result. Creates the counter if necessary.',
  access: 'write',
  needs: 'counter',
  subject: 'key',
  params: {
    init: optionalLong('init', 'Initial value of a new counter.', { defaultText: '0' }),
    key: requiredString('key', 'Name of the counter.'),
    delta: requiredLong('delta', 'The number to subtract; may be negative.'),
    ttlMs: counterTtlMs,
    cacheName: { ...cacheName, required: false, summary: 'Ignored; counters are independent of caches.' },
  },
  reply: longReply('The new value of the counter, a 64-bit integer that wraps on overflow.'),
  errors: ['PARAMETER_MISSING', 'NOT_A_LONG', 'NOT_SUPPORTED', 'REGION_FULL', 'READ_ONLY', 'INACTIVE'],
  example: { query: 'cmd=decr&key=stock&init=10&delta=5', response: 5 },
  run: ({ key, init, delta }, { grid }) => grid.counters.add(key, -delta, init ?? 0n),
});
