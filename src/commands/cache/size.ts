import { command, ON_ENTRY } from '../command.ts';
import { cacheFlags, cacheName, destId } from '../params.ts';
import { longReply } from '../reply.ts';

export const size = command({
  ...ON_ENTRY,
  routing: 'always',
  name: 'size',
  request: 'CACHE_SIZE',
  group: 'cache',
  summary: 'Counts the entries of a cache.',
  access: 'read',
  needs: 'cacheRead',
  params: { cacheName, destId, cacheFlags },
  reply: longReply('The number of entries; expired ones do not count.'),
  errors: ['NOT_AN_INTEGER', 'CACHE_NOT_FOUND', 'CLUSTER_GROUP_EMPTY', 'INACTIVE'],
  example: { query: 'cmd=size' },
  run: ({ cacheName }, { grid }) => grid.entries.size(cacheName),
});
