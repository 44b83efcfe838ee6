import { command, ON_ENTRY } from '../command.ts';
import { cacheFlags, cacheName, destId, key } from '../params.ts';
import { booleanReply } from '../reply.ts';

export const persist = command({
  ...ON_ENTRY,
  name: 'persist',
  request: 'CACHE_PERSIST',
  group: 'entry',
  summary: 'Removes the deadline of an entry, which then never expires.',
  since: '1.1.0',
  access: 'write',
  deadline: 'cleared',
  needs: 'cachePut',
  params: { cacheName, key, destId, cacheFlags },
  reply: booleanReply('True if the key exists.'),
  errors: [],
  example: {
    before: ['cmd=put&key=colour&val=red&ttlMs=60000'],
    query: 'cmd=persist&key=colour',
    response: true,
  },
  run: ({ cacheName, key }, { call }) => call({ kind: 'updateTtl', cache: cacheName, key, ttlMs: null }),
});
