import { addition, addTo } from '../add-to.ts';
import { command, ON_ENTRY } from '../command.ts';
import { cacheFlags, cacheName, destId, key, timeToLive, ttlMs } from '../params.ts';
import { booleanReply } from '../reply.ts';

export const append = command({
  ...ON_ENTRY,
  name: 'append',
  request: 'CACHE_APPEND',
  group: 'entry',
  summary: 'Appends to a string or list, or sets members of a map.',
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
  example: { before: ['cmd=put&key=colour&val=red'], query: 'cmd=append&key=colour&val=dish', response: true },
  run: ({ cacheName, key, val, ttlMs }, { grid }) =>
    addTo(grid, cacheName, key, val, 'append', timeToLive(undefined, ttlMs)),
});
