import { chain, type MaybePromise } from '../../base/maybe-promise.ts';
import { command, ON_ENTRY } from '../command.ts';
import { cacheFlags, cacheName, destId, exp, key, optionalFlag, timeToLive, ttlMs, val } from '../params.ts';
import { booleanReply, type Reply } from '../reply.ts';

const reply: Reply<unknown> = {
  ...booleanReply('True; with `created=true` only if the entry is new.'),
  write: (isNew) => (isNew === false ? 'false' : 'true'),
};

const created = optionalFlag('created', 'Return whether the entry is new, instead of true.', 'false');

export const put = command({
  ...ON_ENTRY,
  name: 'put',
  request: 'CACHE_PUT',
  group: 'entry',
  summary: 'Stores a value.',
  access: 'write',
  deadline: 'setByExp',
  needs: 'cachePut',
  params: { cacheName, key, val, exp, ttlMs, created, destId, cacheFlags },
  reply,
  errors: ['TTL_NEGATIVE', 'REGION_FULL'],
  example: { query: 'cmd=put&key=colour&val=red', response: true },
  run({ cacheName, key, val, exp, ttlMs, created }, { call }): MaybePromise<unknown> {
    const ttl = timeToLive(exp, ttlMs);
    if (created !== true) return call({ kind: 'put', cache: cacheName, key, value: val, ttlMs: ttl });
    return chain(
      call({ kind: 'getAndPut', cache: cacheName, key, value: val, ttlMs: ttl }),
      (former) => former === undefined,
    );
  },
});
