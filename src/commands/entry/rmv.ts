import { command, ON_ENTRY } from '../command.ts';
import { cacheFlags, cacheName, destId, key } from '../params.ts';
import { booleanReply } from '../reply.ts';

export const rmv = command({
  ...ON_ENTRY,
  name: 'rmv',
  request: 'CACHE_REMOVE',
  group: 'entry',
  summary: 'Removes an entry.',
  access: 'write',
  deadline: 'removed',
  needs: 'cacheRemove',
  params: { cacheName, key, destId, cacheFlags },
  reply: booleanReply('True if the key existed.'),
  errors: [],
  example: { before: ['cmd=put&key=colour&val=red'], query: 'cmd=rmv&key=colour', response: true },
  run: ({ cacheName, key }, { call }) => call({ kind: 'remove', cache: cacheName, key }),
});
