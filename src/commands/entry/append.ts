import { addition, addTo } from '../add-to.ts';
import { command, ON_ENTRY } from '../command.ts';
import { cacheFlags, cacheName, destId, key } from '../params.ts';
import { booleanReply } from '../reply.ts';

export const append = command({
  ...ON_ENTRY,
  name: 'append',
  request: 'CACHE_APPEND',
  group: 'entry',
  summary: 'Appends to a string or list, or sets members of a map.',
  access: 'write',
  deadline: 'kept',
  needs: 'cachePut',
  params: { cacheName, key, val: addition, destId, cacheFlags },
  reply: booleanReply('True if the key exists.'),
  errors: [
    'PARAMETER_MISSING',
    'CONVERSION',
    'LIMIT_EXCEEDED',
    'NOT_AN_INTEGER',
    'CACHE_NOT_FOUND',
    'INCOMPATIBLE_TYPES',
    'CLUSTER_GROUP_EMPTY',
    'REGION_FULL',
    'READ_ONLY',
    'INACTIVE',
  ],
  example: { before: ['cmd=put&key=colour&val=red'], query: 'cmd=append&key=colour&val=dish', response: true },
  run: ({ cacheName, key, val }, { grid }) => addTo(grid, cacheName, key, val, 'append'),
});
