import { command, ON_ENTRY } from '../command.ts';
import { etagInsteadOf, valueOfTag } from '../entity-tags.ts';
import { cacheFlags, cacheName, destId, key, val } from '../params.ts';
import { booleanReply } from '../reply.ts';

export const rmvval = command({
  ...ON_ENTRY,
  isCondition: true,
  notAtomicWith: 'etag',
  name: 'rmvval',
  request: 'CACHE_REMOVE_VALUE',
  group: 'entry',
  summary: 'Removes an entry if its value equals the given value.',
  access: 'write',
  deadline: 'removed',
  needs: 'cacheRemove',
  readsValues: true,
  params: { cacheName, key, val, etag: etagInsteadOf('val'), destId, cacheFlags },
  reply: booleanReply('True if the entry was removed; false if the key does not exist or has another value.'),
  errors: [],
  example: { before: ['cmd=put&key=colour&val=red'], query: 'cmd=rmvval&key=colour&val=green', response: false },
  run({ cacheName, key, val, etag }, context) {
    const { call } = context;
    if (etag === undefined) return call({ kind: 'removeIfEquals', cache: cacheName, key, expected: val });
    return valueOfTag(cacheName, key, etag, context).then(
      (expected) => expected !== undefined && call({ kind: 'removeIfEquals', cache: cacheName, key, expected }),
    );
  },
});
