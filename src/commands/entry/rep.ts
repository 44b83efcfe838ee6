import { command, ON_ENTRY } from '../command.ts';
import { cacheFlags, cacheName, destId, exp, key, timeToLive, ttlMs, val } from '../params.ts';
import { booleanReply } from '../reply.ts';

export const rep = command({
  ...ON_ENTRY,
  isCondition: true,
  name: 'rep',
  request: 'CACHE_REPLACE',
  group: 'entry',
  summary: 'Replaces the value of an existing key.',
  access: 'write',
  deadline: 'setByExp',
  needs: 'cachePut',
  params: { cacheName, key, val, exp, ttlMs, destId, cacheFlags },
  reply: booleanReply('True if the value was replaced, false if the key does not exist.'),
  errors: ['TTL_NEGATIVE', 'REGION_FULL'],
  example: { before: ['cmd=put&key=colour&val=red'], query: 'cmd=rep&key=colour&val=green', response: true },
  run: ({ cacheName, key, val, exp, ttlMs }, { call }) =>
    call({ kind: 'replace', cache: cacheName, key, value: val, ttlMs: timeToLive(exp, ttlMs) }),
});
