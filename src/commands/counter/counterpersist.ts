import { command, ON_SERVICE } from '../command.ts';
import { audited, requiredString } from '../params.ts';
import { booleanReply } from '../reply.ts';

export const counterpersist = command({
  ...ON_SERVICE,
  name: 'counterpersist',
  request: 'COUNTER_PERSIST',
  group: 'counter',
  summary: 'Removes the deadline of a counter, which then never expires.',
  since: '1.1.0',
  access: 'write',
  needs: 'counter',
  subject: 'key',
  params: { key: audited(requiredString('key', 'Name of the counter.'), 'counter') },
  reply: booleanReply('True if the counter exists.'),
  errors: ['NOT_SUPPORTED', 'READ_ONLY', 'INACTIVE'],
  example: {
    before: ['cmd=incr&key=views&delta=1&ttlMs=60000'],
    query: 'cmd=counterpersist&key=views',
    response: true,
  },
  run: ({ key }, { call }) => call({ kind: 'persistCounter', name: key }),
});
