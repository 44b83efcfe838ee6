import { command, ON_ENTRY } from '../command.ts';
import { cacheFlags, cacheName, destId, key } from '../params.ts';
import { optionalLongReply } from '../reply.ts';

export const ttl = command({
  ...ON_ENTRY,
  name: 'ttl',
  request: 'CACHE_TTL',
  group: 'entry',
  summary: 'Returns the remaining time to live of an entry.',
  since: '1.1.0',
  access: 'read',
  needs: 'cacheRead',
  params: { cacheName, key, destId, cacheFlags },
  reply: optionalLongReply('The remaining time in milliseconds; null if the entry has no deadline.'),
  errors: ['KEY_NOT_FOUND', 'NOT_SUPPORTED'],
  example: { before: ['cmd=put&key=colour&val=red'], query: 'cmd=ttl&key=colour', response: null },
  run: ({ cacheName, key }, { call }) => call({ kind: 'timeToLive', cache: cacheName, key }),
});
