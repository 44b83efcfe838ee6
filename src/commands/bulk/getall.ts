import { command, ON_ENTRY } from '../command.ts';
import { keys } from '../numbered-params.ts';
import { cacheFlags, cacheName, destId, optionalFlag } from '../params.ts';
import { acceptsText, entriesReply } from '../reply.ts';

export const getall = command({
  ...ON_ENTRY,
  name: 'getall',
  request: 'CACHE_GET_ALL',
  group: 'bulk',
  summary: 'Returns the values of several keys.',
  access: 'read',
  needs: 'cacheRead',
  params: {
    cacheName,
    keys,
    destId,
    cacheFlags,
    asArray: optionalFlag(
      'asArray',
      'Return an array of objects with key and value instead of an object.',
      'the option rest.getallAsArray',
    ),
  },
  reply: entriesReply(
    'The entries that exist: an object with the keys as names, or an array of objects with key and value.',
  ),
  errors: [],
  example: {
    before: ['cmd=putall&k1=a&v1=1&k2=b&v2=2'],
    query: 'cmd=getall&k1=a&k2=b&k3=none',
    response: { a: '1', b: '2' },
  },
  run({ cacheName, keys }, context) {
    const { call } = context;
    return acceptsText(context)
      ? call({ kind: 'getAllAsText', cache: cacheName, keys })
      : call({ kind: 'getAll', cache: cacheName, keys });
  },
});
