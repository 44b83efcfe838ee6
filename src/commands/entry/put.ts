import { command, ON_ENTRY } from '../command.ts';
import { cacheFlags, cacheName, destId, exp, key, timeToLive, ttlMs, val } from '../params.ts';
import { trueReply } from '../reply.ts';

export const put = command({
  ...ON_ENTRY,
  name: 'put',
  request: 'CACHE_PUT',
  group: 'entry',
  summary: 'Stores a value.',
  access: 'write',
  deadline: 'setByExp',
  needs: 'cachePut',
  params: { cacheName, key, val, exp, ttlMs, destId, cacheFlags },
  reply: trueReply('Always true.'),
  errors: [
    'PARAMETER_MISSING',
    'CONVERSION',
    'LIMIT_EXCEEDED',
    'NOT_A_LONG',
    'TTL_NEGATIVE',
    'PARAMETERS_EXCLUSIVE',
    'NOT_AN_INTEGER',
    'CACHE_NOT_FOUND',
    'CLUSTER_GROUP_EMPTY',
    'REGION_FULL',
    'READ_ONLY',
    'INACTIVE',
  ],
  example: { query: 'cmd=put&key=colour&val=red', response: true },
  run: ({ cacheName, key, val, exp, ttlMs }, { entries }) => entries.put(cacheName, key, val, timeToLive(exp, ttlMs)),
});
