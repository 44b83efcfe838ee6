import { command, ON_ENTRY } from '../command.ts';
import { cacheFlags, cacheName, destId, key } from '../params.ts';
import { valueReply } from '../reply.ts';

export const get = command({
  ...ON_ENTRY,
  name: 'get',
  request: 'CACHE_GET',
  group: 'entry',
  summary: 'Returns the value of a key.',
  access: 'read',
  needs: 'cacheRead',
  params: { cacheName, key, destId, cacheFlags },
  reply: valueReply('The value; null if the key does not exist.'),
  errors: [],
  example: { before: ['cmd=put&key=colour&val=red'], query: 'cmd=get&key=colour', response: 'red' },
  run: ({ cacheName, key }, { call }) => call({ kind: 'get', cache: cacheName, key }),
});
