import { fail } from '../../base/errors.ts';
import { command, ON_ENTRY } from '../command.ts';
import { audited, cacheFlags, destId, requiredText } from '../params.ts';
import { trueReply } from '../reply.ts';

export const clear = command({
  ...ON_ENTRY,
  name: 'clear',
  request: 'CACHE_CLEAR',
  group: 'cache',
  summary: 'Removes every entry of the named cache, and nothing else.',
  access: 'write',
  needs: 'cacheRemove',
  audit: 'always',
  params: {
    cacheName: audited(
      requiredText(
        'cacheName',
        'Name of the cache; there is no default, so that nothing is emptied by omission.',
        true,
      ),
    ),
    destId,
    cacheFlags,
  },
  reply: trueReply('Always true: the cache is empty.'),
  errors: ['PARAMETER_MISSING', 'NOT_AN_INTEGER', 'CACHE_NOT_FOUND', 'CLUSTER_GROUP_EMPTY', 'READ_ONLY', 'INACTIVE'],
  example: { before: ['cmd=getorcreate&cacheName=orders'], query: 'cmd=clear&cacheName=orders', response: true },
  run({ cacheName }, { grid, compatibilityFlags, defaultCache }) {
    // Row 7 of the differences: Ignite's clear always misses keys that HTTP cannot send.
    if (compatibilityFlags.keysOptional) throw fail('PARAMETER_MISSING', 'keys');
    return grid.entries.clear(cacheName === 'default' ? defaultCache : cacheName);
  },
});
