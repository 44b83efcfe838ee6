import { command, ON_ENTRY } from '../command.ts';
import { cacheFlags, cacheName, destId, key } from '../params.ts';
import { valueReply } from '../reply.ts';

export const getrmv = command({
  ...ON_ENTRY,
  name: 'getrmv',
  request: 'CACHE_GET_AND_REMOVE',
  group: 'entry',
  summary: 'Removes an entry and returns its value.',
  access: 'write',
  deadline: 'removed',
  needs: 'cacheRemove',
  readsValues: true,
  params: { cacheName, key, destId, cacheFlags },
  reply: valueReply('The removed value; null if the key did not exist.'),
  errors: [],
  example: { before: ['cmd=put&key=colour&val=red'], query: 'cmd=getrmv&key=colour', response: 'red' },
  run: ({ cacheName, key }, { call }) => call({ kind: 'getAndRemove', cache: cacheName, key }),
});
