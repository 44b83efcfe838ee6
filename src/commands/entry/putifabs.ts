import { command, ON_ENTRY } from '../command.ts';
import { cacheFlags, cacheName, destId, exp, key, timeToLive, ttlMs, val } from '../params.ts';
import { booleanReply } from '../reply.ts';

export const putifabs = command({
  ...ON_ENTRY,
  isCondition: true,
  name: 'putifabs',
  request: 'CACHE_PUT_IF_ABSENT',
  group: 'entry',
  summary: 'Stores a value if the key does not exist. Same as `add`.',
  access: 'write',
  deadline: 'setByExp',
  needs: 'cachePut',
  params: { cacheName, key, val, exp, ttlMs, destId, cacheFlags },
  reply: booleanReply('True if the value was stored, false if the key exists.'),
  errors: ['TTL_NEGATIVE', 'REGION_FULL'],
  example: { before: ['cmd=rmv&key=colour'], query: 'cmd=putifabs&key=colour&val=red', response: true },
  run: ({ cacheName, key, val, exp, ttlMs }, { call }) =>
    call({ kind: 'putIfAbsent', cache: cacheName, key, value: val, ttlMs: timeToLive(exp, ttlMs) }),
});
