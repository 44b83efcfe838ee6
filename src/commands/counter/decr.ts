import { command, ON_SERVICE } from '../command.ts';
import { cacheName, optionalLong, requiredLong, requiredText } from '../params.ts';
import { longReply } from '../reply.ts';

export const decr = command({
  ...ON_SERVICE,
  name: 'decr',
  request: 'ATOMIC_DECREMENT',
  group: 'counter',
  summary: 'Subtracts from a counter, which is made when it does not exist.',
  access: 'write',
  needs: 'counter',
  subject: 'key',
  params: {
    init: optionalLong('init', 'Value that a new counter begins with.', { defaultText: '0' }),
    key: requiredText('key', 'Name of the counter.'),
    delta: requiredLong('delta', 'The number to subtract; may be negative.'),
    cacheName: { ...cacheName, required: false, summary: 'Ignored: counters belong to no cache.' },
  },
  reply: longReply('The counter after the operation, 64 bits; it wraps on overflow.'),
  errors: ['PARAMETER_MISSING', 'NOT_A_LONG', 'REGION_FULL', 'READ_ONLY', 'INACTIVE'],
  example: { query: 'cmd=decr&key=stock&init=10&delta=5', response: 5 },
  run: ({ key, init, delta }, { grid }) => grid.counters.add(key, -delta, init ?? 0n),
});
