import { addition, addTo } from '../add-to.ts';
import { command, ON_ENTRY } from '../command.ts';
import { cacheFlags, cacheName, destId, key, timeToLive, ttlMs } from '../params.ts';
import { booleanReply } from '../reply.ts';

export const prepend = command({
  ...ON_ENTRY,
  name: 'prepend',
  request: 'CACHE_PREPEND',
  group: 'entry',
  summary: 'Prepends to a string or list, or adds missing members to a map.',
  access: 'write',
  deadline: 'setByTtlMs',
  needs: 'cachePut',
  params: { cacheName, key, val: addition, ttlMs, destId, cacheFlags },
  reply: booleanReply('True if the key exists.'),
  errors: [
    'PARAMETER_MISSING',
    'CONVERSION',
    'LIMIT_EXCEEDED',
    'NOT_A_LONG',
    'TTL_NEGATIVE',
    'PARAMETERS_EXCLUSIVE',
    'NOT_AN_INTEGER',
    'CACHE_NOT_FOUND',
    'INCOMPATIBLE_TYPES',
    'CLUSTER_GROUP_EMPTY',
    'REGION_FULL',
    'READ_ONLY',
    'INACTIVE',
  ],
  example: { before: ['cmd=put&key=colour&val=red'], query: 'cmd=prepend&key=colour&val=dark-', response: true },
  run: ({ cacheName, key, val, ttlMs }, { grid }) =>
    addTo(grid, cacheName, key, val, 'prepend', timeToLive(undefined, ttlMs)),
});
