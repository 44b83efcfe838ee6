import { addTo, valCheckedByHandler } from '../add-to.ts';
import { command, ON_ENTRY } from '../command.ts';
import { cacheFlags, cacheName, destId, key } from '../params.ts';
import { booleanReply } from '../reply.ts';

export const prepend = command({
  ...ON_ENTRY,
  name: 'prepend',
  request: 'CACHE_PREPEND',
  group: 'entry',
  summary: 'Adds text before a text, elements before a list, or members that a map lacks.',
  access: 'write',
  needs: 'cachePut',
  params: { cacheName, key, val: valCheckedByHandler, destId, cacheFlags },
  reply: booleanReply('True when there was a value to add to.'),
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
  example: { before: ['cmd=put&key=colour&val=red'], query: 'cmd=prepend&key=colour&val=dark-', response: true },
  run: ({ cacheName, key, val }, { grid }) => addTo(grid, cacheName, key, val, 'prepend'),
});
