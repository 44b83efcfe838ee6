import { command, ON_ENTRY } from '../command.ts';
import { cacheFlags, cacheName, destId, key, timeToLive, ttlMs, val } from '../params.ts';
import { valueReply } from '../reply.ts';

export const getput = command({
  ...ON_ENTRY,
  name: 'getput',
  request: 'CACHE_GET_AND_PUT',
  group: 'entry',
  summary: 'Stores a value and returns the previous one.',
  access: 'write',
  deadline: 'setByTtlMs',
  needs: 'cachePut',
  readsValues: true,
  params: { cacheName, key, val, ttlMs, destId, cacheFlags },
  reply: valueReply('The previous value; null if the key did not exist.'),
  errors: ['TTL_NEGATIVE', 'REGION_FULL'],
  example: { before: ['cmd=put&key=colour&val=red'], query: 'cmd=getput&key=colour&val=green', response: 'red' },
  run: ({ cacheName, key, val, ttlMs }, { call }) =>
    call({ kind: 'getAndPut', cache: cacheName, key, value: val, ttlMs: timeToLive(undefined, ttlMs) }),
});
