import { command, ON_ENTRY } from '../command.ts';
import { cacheFlags, cacheName, destId, key, requiredExp } from '../params.ts';
import { booleanReply } from '../reply.ts';

export const updatettl = command({
  ...ON_ENTRY,
  name: 'updatettl',
  request: 'CACHE_UPDATE_TLL',
  group: 'entry',
  summary: 'Sets the time to live of an entry.',
  access: 'write',
  needs: 'cachePut',
  params: { cacheName, key, exp: requiredExp, destId, cacheFlags },
  reply: booleanReply('True when there was an entry.'),
  errors: ['CACHE_NOT_FOUND', 'CONVERSION', 'READ_ONLY', 'INACTIVE', 'NOT_A_LONG'],
  example: { before: ['cmd=put&key=colour&val=red'], query: 'cmd=updatettl&key=colour&exp=60000', response: true },
  run: ({ cacheName, key, exp }, { grid }) => grid.entries.updateTtl(cacheName, key, exp),
});
