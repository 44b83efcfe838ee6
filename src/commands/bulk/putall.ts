import { gridError } from '../../base/errors.ts';
import { command, ON_ENTRY } from '../command.ts';
import { keysOfValues, values } from '../numbered-params.ts';
import { cacheFlags, cacheName, destId, timeToLive, ttlMs } from '../params.ts';
import { trueReply } from '../reply.ts';

export const putall = command({
  ...ON_ENTRY,
  name: 'putall',
  request: 'CACHE_PUT_ALL',
  group: 'bulk',
  summary: 'Stores several entries, all or none.',
  access: 'write',
  deadline: 'setByTtlMs',
  needs: 'cachePut',
  params: { cacheName, keys: keysOfValues, values, ttlMs, destId, cacheFlags },
  reply: trueReply('Always true.'),
  errors: ['TTL_NEGATIVE', 'MORE_VALUES_THAN_KEYS', 'FEWER_VALUES_THAN_KEYS', 'REGION_FULL'],
  example: { query: 'cmd=putall&k1=a&v1=1&k2=b&v2=2', response: true },
  run({ cacheName, keys, values, ttlMs }, { call }) {
    const pairs = keys.map((key, index) => {
      const value = values?.[index];
      if (value === undefined) throw gridError('FEWER_VALUES_THAN_KEYS');
      return { key, value };
    });
    return call({ kind: 'putAll', cache: cacheName, entries: pairs, ttlMs: timeToLive(undefined, ttlMs) });
  },
});
