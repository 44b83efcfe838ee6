import { command, ON_SERVICE } from '../command.ts';
import { cacheNameOrIllegal } from '../params.ts';
import { removedEntries } from '../removed-entries.ts';
import { nullReply } from '../reply.ts';

export const destcache = command({
  ...ON_SERVICE,
  name: 'destcache',
  request: 'DESTROY_CACHE',
  group: 'cache',
  summary: 'Destroys a cache and its entries. The default cache is only cleared.',
  access: 'write',
  needs: 'cacheDestroy',
  audit: 'always',
  params: { cacheName: cacheNameOrIllegal },
  reply: nullReply('Always null, even if there is no such cache.'),
  errors: ['CACHE_NAME_INVALID', 'READ_ONLY', 'INACTIVE'],
  example: { before: ['cmd=getorcreate&cacheName=orders'], query: 'cmd=destcache&cacheName=orders', response: null },
  preview: ({ cacheName }, context) =>
    removedEntries(cacheName, cacheName === context.defaultCache ? 'cleared' : 'destroyed', context),
  run: ({ cacheName }, { grid }) => grid.caches.destroy(cacheName),
});
