import { command, ON_ENTRY } from '../command.ts';
import { cacheFlags, cacheName, destId, key } from '../params.ts';
import { booleanReply } from '../reply.ts';

export const conkey = command({
  ...ON_ENTRY,
  name: 'conkey',
  request: 'CACHE_CONTAINS_KEY',
  group: 'entry',
  summary: 'Reports whether a key exists.',
  access: 'read',
  needs: 'cacheRead',
  params: { cacheName, key, destId, cacheFlags },
  reply: booleanReply('True if the key exists.'),
  errors: [],
  example: { before: ['cmd=put&key=colour&val=red'], query: 'cmd=conkey&key=colour', response: true },
  run: ({ cacheName, key }, { call }) => call({ kind: 'has', cache: cacheName, key }),
});
