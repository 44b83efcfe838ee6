import { gridError } from '../../base/errors.ts';
import { chain } from '../../base/maybe-promise.ts';
import { command, ON_SERVICE } from '../command.ts';
import { audited, requiredString } from '../params.ts';
import { optionalLongReply } from '../reply.ts';

export const counterttl = command({
  ...ON_SERVICE,
  name: 'counterttl',
  request: 'COUNTER_TTL',
  group: 'counter',
  summary: 'Returns the remaining time to live of a counter.',
  since: '1.1.0',
  access: 'read',
  needs: 'counter',
  subject: 'key',
  params: { key: audited(requiredString('key', 'Name of the counter.'), 'counter') },
  reply: optionalLongReply('The remaining time in milliseconds; null if the counter has no deadline.'),
  errors: ['COUNTER_NOT_FOUND', 'NOT_SUPPORTED', 'INACTIVE'],
  example: { before: ['cmd=incr&key=views&delta=1'], query: 'cmd=counterttl&key=views', response: null },
  run: ({ key }, { call }) =>
    chain(call({ kind: 'counterTimeToLive', name: key }), (remaining) => {
      if (remaining === undefined) throw gridError('COUNTER_NOT_FOUND', key);
      return remaining;
    }),
});
