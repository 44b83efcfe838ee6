import { command, ON_ENTRY } from '../command.ts';
import { keys } from '../numbered-params.ts';
import { cacheFlags, cacheName, destId } from '../params.ts';
import { booleanReply } from '../reply.ts';

export const conkeys = command({
  ...ON_ENTRY,
  name: 'conkeys',
  request: 'CACHE_CONTAINS_KEYS',
  group: 'bulk',
  summary: 'Reports whether all the given keys exist.',
  access: 'read',
  needs: 'cacheRead',
  params: { cacheName, keys, destId, cacheFlags },
  reply: booleanReply('True if all keys exist.'),
  errors: [],
  example: { before: ['cmd=putall&k1=a&v1=1&k2=b&v2=2'], query: 'cmd=conkeys&k1=a&k2=b', response: true },
  run: ({ cacheName, keys }, { call }) => call({ kind: 'hasAll', cache: cacheName, keys }),
});
