import { command, ON_ENTRY } from '../command.ts';
import { cacheFlags, cacheName, destId, exp, key, val } from '../params.ts';
import { booleanReply } from '../reply.ts';

export const rep = command({
  ...ON_ENTRY,
  name: 'rep',
  request: 'CACHE_REPLACE',
  group: 'entry',
  summary: 'Stores a value only where the key has one already.',
  access: 'write',
  needs: 'cachePut',
  params: { cacheName, key, val, exp, destId, cacheFlags },
  reply: booleanReply('True when a value was replaced, false when there was none.'),
  errors: ['CACHE_NOT_FOUND', 'CONVERSION', 'READ_ONLY', 'INACTIVE', 'NOT_A_LONG'],
  example: { before: ['cmd=put&key=colour&val=red'], query: 'cmd=rep&key=colour&val=green', response: true },
  run: ({ cacheName, key, val, exp }, { grid }) => grid.entries.replace(cacheName, key, val, exp),
});
