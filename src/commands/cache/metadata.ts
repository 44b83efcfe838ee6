import { GridError, gridError } from '../../base/errors.ts';
import { chain } from '../../base/maybe-promise.ts';
import type { CacheMetadata } from '../../grid/grid.ts';
import { command, ON_SERVICE } from '../command.ts';
import type { EngineServices } from '../context.ts';
import { cacheName } from '../params.ts';
import { metadataReply } from '../reply.ts';

export const metadata = command({
  ...ON_SERVICE,
  name: 'metadata',
  request: 'CACHE_METADATA',
  group: 'cache',
  summary: 'Describes the SQL types of a cache: fields, classes and indexes.',
  access: 'read',
  needs: 'cacheRead',
  rightsOn: 'namedOrEvery',
  params: {
    cacheName: { ...cacheName, required: false, summary: 'Name of the cache. `*` returns an array with all caches.' },
  },
  reply: metadataReply('The description. The fields include the pseudo-fields _KEY and _VAL.'),
  errors: ['CACHE_NOT_FOUND', 'METADATA_NOT_FOUND', 'INACTIVE'],
  example: { query: 'cmd=metadata' },
  run({ cacheName }, { grid, compatibility, defaultCache }) {
    // Row 18 of docs/differences.md.
    if (compatibility === 'reference') {
      return chain(cacheName === undefined || cacheName === '*' ? all(grid) : one(grid, cacheName), (list) =>
        list.map(withoutPseudoFields),
      );
    }
    return cacheName === '*' ? all(grid) : grid.caches.metadata(cacheName ?? defaultCache);
  },
});

async function all(grid: EngineServices): Promise<CacheMetadata[]> {
  const caches = await grid.caches.list();
  const found = await Promise.all(caches.map(({ name }) => metadataIfExists(grid, name)));
  return found.filter((each) => each !== undefined);
}

/** Returns undefined for a cache that was destroyed after it was listed. */
async function metadataIfExists(grid: EngineServices, name: string): Promise<CacheMetadata | undefined> {
  try {
    return await grid.caches.metadata(name);
  } catch (error) {
    if (error instanceof GridError && error.code === 'CACHE_NOT_FOUND') return undefined;
    throw error;
  }
}

/** Ignite asks the second node about a named cache, and fails without one (docs/spec/ignite-cluster.md 5). */
async function one(grid: EngineServices, name: string): Promise<CacheMetadata[]> {
  const nodes = await grid.cluster.nodes({ metrics: false, attributes: false });
  const found = nodes.length < 2 ? undefined : await metadataIfExists(grid, name);
  if (!found) throw gridError('METADATA_NOT_FOUND', name);
  return [found];
}

/** Ignite lists the pseudo-fields only for types without other fields. */
function withoutPseudoFields(metadata: CacheMetadata): CacheMetadata {
  const fields = Object.fromEntries(
    Object.entries(metadata.fields).map(([type, members]) => {
      const own = Object.entries(members).filter(([name]) => name !== '_KEY' && name !== '_VAL');
      return [type, own.length === 0 ? members : Object.fromEntries(own)];
    }),
  );
  return { ...metadata, fields };
}
