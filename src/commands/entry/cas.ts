import { gridError } from '../../base/errors.ts';
import { command, ON_ENTRY } from '../command.ts';
import { cacheFlags, cacheName, checkedByHandler, destId, key, timeToLive, ttlMs, val, val2 } from '../params.ts';
import { booleanReply } from '../reply.ts';

export const cas = command({
  ...ON_ENTRY,
  isCondition: true,
  name: 'cas',
  request: 'CACHE_CAS',
  group: 'entry',
  summary: 'Replaces a value if the current value equals the expected one (compare and swap).',
  access: 'write',
  deadline: 'setByTtlMs',
  needs: 'cachePut',
  readsValues: true,
  params: { cacheName, key, val: checkedByHandler(val), val2: checkedByHandler(val2), ttlMs, destId, cacheFlags },
  reply: booleanReply('True if the value was replaced; false if the key does not exist or has another value.'),
  errors: ['TTL_NEGATIVE', 'REGION_FULL'],
  example: {
    before: ['cmd=put&key=colour&val=red'],
    query: 'cmd=cas&key=colour&val=green&val2=red',
    response: true,
  },
  run({ cacheName, key, val, val2, ttlMs }, { call, compatibility }) {
    const ttl = timeToLive(undefined, ttlMs);
    if (val !== undefined && val2 !== undefined)
      return call({ kind: 'replaceIfEquals', cache: cacheName, key, expected: val2, value: val, ttlMs: ttl });
    // In Ignite, an absent val2 expects no entry, and an absent val removes it (docs/spec/ignite-data.md 4.3). Row 8 of
    // docs/differences.md.
    if (compatibility !== 'reference') {
      const name = val === undefined ? 'val' : 'val2';
      throw gridError('PARAMETER_MISSING', name, name);
    }
    if (val !== undefined) return call({ kind: 'putIfAbsent', cache: cacheName, key, value: val, ttlMs: ttl });
    if (val2 !== undefined) return call({ kind: 'removeIfEquals', cache: cacheName, key, expected: val2 });
    return call({ kind: 'remove', cache: cacheName, key });
  },
});
