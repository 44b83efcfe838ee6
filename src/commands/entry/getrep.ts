import { command, ON_ENTRY } from '../command.ts';
import { cacheFlags, cacheName, destId, key, timeToLive, ttlMs, val } from '../params.ts';
import { valueReply } from '../reply.ts';

export const getrep = command({
  ...ON_ENTRY,
  name: 'getrep',
  request: 'CACHE_GET_AND_REPLACE',
  group: 'entry',
  summary: 'Replaces the value of an existing key and returns the previous value.',
  access: 'write',
  deadline: 'setByTtlMs',
  needs: 'cachePut',
  readsValues: true,
  params: { cacheName, key, val, ttlMs, destId, cacheFlags },
  reply: valueReply('The previous value; null if the key does not exist and nothing was stored.'),
  errors: ['TTL_NEGATIVE', 'REGION_FULL'],
  example: { before: ['cmd=put&key=colour&val=red'], query: 'cmd=getrep&key=colour&val=green', response: 'red' },
  run: ({ cacheName, key, val, ttlMs }, { call }) =>
    call({ kind: 'getAndReplace', cache: cacheName, key, value: val, ttlMs: timeToLive(undefined, ttlMs) }),
});
