import { gridError } from '../../base/errors.ts';
import { command, ON_ENTRY } from '../command.ts';
import { keys } from '../numbered-params.ts';
import { cacheFlags, cacheName, checkedByHandler, destId } from '../params.ts';
import { trueReply } from '../reply.ts';

export const rmvall = command({
  ...ON_ENTRY,
  name: 'rmvall',
  request: 'CACHE_REMOVE_ALL',
  group: 'bulk',
  summary: 'Removes several entries.',
  access: 'write',
  deadline: 'removed',
  needs: 'cacheRemove',
  params: {
    cacheName,
    keys: checkedByHandler(keys),
    destId,
    cacheFlags,
  },
  reply: trueReply('Always true, even for keys that do not exist.'),
  errors: ['PARAMETER_MISSING'],
  example: { query: 'cmd=rmvall&k1=a&k2=b', response: true },
  run({ cacheName, keys }, { call, compatibility }) {
    if (keys !== undefined) return call({ kind: 'removeAll', cache: cacheName, keys });
    // Ignite clears the cache (docs/differences.md, row 7).
    // Row 7 of docs/differences.md.
    if (compatibility !== 'reference') throw gridError('PARAMETER_MISSING', 'keys', 'k1');
    return call({ kind: 'clear', cache: cacheName });
  },
});
