import { command, ON_ENTRY } from '../command.ts';
import { cacheFlags, cacheName, destId, key, timeToLive, ttlMs, val } from '../params.ts';
import { valueReply } from '../reply.ts';

export const getputifabs = command({
  ...ON_ENTRY,
  name: 'getputifabs',
  request: 'CACHE_GET_AND_PUT_IF_ABSENT',
  group: 'entry',
  summary: 'Stores a value if the key does not exist; otherwise returns the existing value.',
  access: 'write',
  deadline: 'setByTtlMs',
  needs: 'cachePut',
  readsValues: true,
  params: { cacheName, key, val, ttlMs, destId, cacheFlags },
  reply: valueReply('The existing value; null if the new value was stored.'),
  errors: ['TTL_NEGATIVE', 'REGION_FULL'],
  example: { before: ['cmd=put&key=colour&val=red'], query: 'cmd=getputifabs&key=colour&val=green', response: 'red' },
  run: ({ cacheName, key, val, ttlMs }, { call }) =>
    call({ kind: 'getAndPutIfAbsent', cache: cacheName, key, value: val, ttlMs: timeToLive(undefined, ttlMs) }),
});
