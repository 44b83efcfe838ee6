import { command, ON_ENTRY } from '../command.ts';
import { cacheFlags, cacheName, destId, exp, key, timeToLive, ttlMs, val } from '../params.ts';
import { booleanReply } from '../reply.ts';

export const add = command({
  ...ON_ENTRY,
  isCondition: true,
  name: 'add',
  request: 'CACHE_ADD',
  group: 'entry',
  summary: 'Stores a value if the key does not exist. Same as `putifabs`.',
  access: 'write',
  deadline: 'setByExp',
  needs: 'cachePut',
  params: { cacheName, key, val, exp, ttlMs, destId, cacheFlags },
  reply: booleanReply('True if the value was stored, false if the key exists.'),
  errors: ['TTL_NEGATIVE', 'REGION_FULL'],
  example: { before: ['cmd=rmv&key=colour'], query: 'cmd=add&key=colour&val=red', response: true },
  run: ({ cacheName, key, val, exp, ttlMs }, { call }) =>
    call({ kind: 'putIfAbsent', cache: cacheName, key, value: val, ttlMs: timeToLive(exp, ttlMs) }),
});
