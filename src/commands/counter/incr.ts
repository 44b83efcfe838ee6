import { command, ON_SERVICE } from '../command.ts';
import { cacheName, optionalLong, requiredLong, requiredText } from '../params.ts';
import { longReply } from '../reply.ts';

export const incr = command({
  ...ON_SERVICE,
  name: 'incr',
  request: 'ATOMIC_INCREMENT',
  group: 'counter',
  summary: 'Adds to a counter, which is made when it does not exist.',
  access: 'write',
  needs: 'counter',
  subject: 'key',
  params: {
    init: optionalLong('init', 'Value that a new counter begins with.', { defaultText: '0' }),
    key: requiredText('key', 'Name of the counter.'),
    delta: requiredLong('delta', 'The number to add; may be negative.'),
    cacheName: { ...cacheName, required: false, summary: 'Ignored: counters belong to no cache.' },
  },
  reply: longReply('The counter after the operation, 64 bits; it wraps on overflow.'),
  errors: ['PARAMETER_MISSING', 'NOT_A_LONG', 'REGION_FULL', 'READ_ONLY', 'INACTIVE'],
  example: { query: 'cmd=incr&key=visits&init=10&delta=5', response: 15 },
  run: ({ key, init, delta }, { grid }) => grid.counters.add(key, delta, init ?? 0n),
});
