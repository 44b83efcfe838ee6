import { command, ON_ENTRY } from '../command.ts';
import { cacheFlags, cacheName, destId } from '../params.ts';
import { longReply } from '../reply.ts';

export const size = command({
  ...ON_ENTRY,
  routing: 'always',
  name: 'size',
  request: 'CACHE_SIZE',
  group: 'cache',
  summary: 'Returns the number of entries of a cache.',
  access: 'read',
  needs: 'cacheRead',
  params: { cacheName, destId, cacheFlags },
  reply: longReply('The number of entries that have not expired.'),
  errors: [],
  example: { query: 'cmd=size' },
  run: ({ cacheName }, { call }) => call({ kind: 'size', cache: cacheName }),
});
