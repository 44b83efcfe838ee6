import { gridError } from '../../base/errors.ts';
import { command, ON_ENTRY } from '../command.ts';
import { etagInsteadOf, valueOfTag } from '../entity-tags.ts';
import {
  cacheFlags,
  cacheName,
  checkedByHandler,
  destId,
  key,
  sentName,
  timeToLive,
  ttlMs,
  val,
  val2,
} from '../params.ts';
import { booleanReply } from '../reply.ts';

export const repval = command({
  ...ON_ENTRY,
  isCondition: true,
  notAtomicWith: 'etag',
  name: 'repval',
  request: 'CACHE_REPLACE_VALUE',
  group: 'entry',
  summary: 'Replaces a value if the current value equals the expected one.',
  access: 'write',
  deadline: 'setByTtlMs',
  needs: 'cachePut',
  readsValues: true,
  params: { cacheName, key, val, val2: checkedByHandler(val2), etag: etagInsteadOf('val2'), ttlMs, destId, cacheFlags },
  reply: booleanReply('True if the value was replaced; false if the key does not exist or has another value.'),
  errors: ['PARAMETER_NULL', 'TTL_NEGATIVE', 'REGION_FULL'],
  example: {
    before: ['cmd=put&key=colour&val=red'],
    query: 'cmd=repval&key=colour&val=green&val2=red',
    response: true,
  },
  run({ cacheName, key, val, val2, etag, ttlMs }, context) {
    const { call, compatibility } = context;
    const ttl = timeToLive(undefined, ttlMs);
    if (etag !== undefined) {
      return valueOfTag(cacheName, key, etag, context).then(
        (expected) =>
          expected !== undefined &&
          call({ kind: 'replaceIfEquals', cache: cacheName, key, expected, value: val, ttlMs: ttl }),
      );
    }
    // Ignite checks val2 after the cache and calls it oldVal (docs/spec/ignite-data.md 4.2).
    if (val2 === undefined)
      throw gridError('PARAMETER_NULL', sentName('val2', compatibility) ?? 'oldVal').about('val2');
    return call({ kind: 'replaceIfEquals', cache: cacheName, key, expected: val2, value: val, ttlMs: ttl });
  },
});
