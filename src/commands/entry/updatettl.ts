import { command, ON_ENTRY } from '../command.ts';
import { cacheFlags, cacheName, destId, key, requiredExp, timeToLive, ttlMs } from '../params.ts';
import { booleanReply } from '../reply.ts';

export const updatettl = command({
  ...ON_ENTRY,
  name: 'updatettl',
  request: 'CACHE_UPDATE_TLL',
  group: 'entry',
  summary: 'Sets or removes the time to live of an entry.',
  access: 'write',
  deadline: 'changed',
  needs: 'cachePut',
  params: { cacheName, key, exp: requiredExp, ttlMs, destId, cacheFlags },
  reply: booleanReply('True if the key exists.'),
  errors: ['TTL_NEGATIVE'],
  example: { before: ['cmd=put&key=colour&val=red'], query: 'cmd=updatettl&key=colour&exp=60000', response: true },
  run({ cacheName, key, exp, ttlMs }, { call, compatibility }) {
    // Row 46 of docs/differences.md.
    const removesDeadline = exp === 0n && compatibility !== 'reference';
    const ttl = removesDeadline ? null : (timeToLive(exp, ttlMs) ?? null);
    return call({ kind: 'updateTtl', cache: cacheName, key, ttlMs: ttl });
  },
});
