import { gridError } from '../../base/errors.ts';
import { command, ON_ENTRY } from '../command.ts';
import { cacheFlags, cacheWithoutDefault, destId } from '../params.ts';
import { removedEntries } from '../removed-entries.ts';
import { trueReply } from '../reply.ts';

export const clear = command({
  ...ON_ENTRY,
  name: 'clear',
  request: 'CACHE_CLEAR',
  group: 'cache',
  summary: 'Removes all entries of a cache.',
  access: 'write',
  deadline: 'removed',
  needs: 'cacheRemove',
  audit: 'always',
  params: {
    cacheName: cacheWithoutDefault(
      'Name of the cache. There is no default, so a request without a name clears nothing.',
    ),
    destId,
    cacheFlags,
  },
  reply: trueReply('Always true.'),
  errors: [],
  example: { before: ['cmd=getorcreate&cacheName=orders'], query: 'cmd=clear&cacheName=orders', response: true },
  async preview({ cacheName }, context) {
    // Row 7 of docs/differences.md.
    if (context.compatibility === 'reference') throw gridError('PARAMETER_MISSING', 'keys').about('k1');
    const effects = await removedEntries(cacheName, 'cleared', context);
    if (effects.length === 0) throw gridError('CACHE_NOT_FOUND', cacheName);
    return effects;
  },
  run({ cacheName }, { call, compatibility }) {
    // Ignite requires keys that HTTP cannot send (docs/differences.md, row 7).
    // Row 7 of docs/differences.md.
    if (compatibility === 'reference') throw gridError('PARAMETER_MISSING', 'keys').about('k1');
    return call({ kind: 'clear', cache: cacheName });
  },
});
