/** Stores the configured entries of caches that are empty at startup. */
import { errorText } from '../base/errors.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { Grid } from '../grid/grid.ts';
import type { Log } from '../service/monitoring/log.ts';
import { decodeTyped } from '../values/decode-parameter.ts';

/** Stores the entries, unless the cluster is inactive. */
export async function storeSeeds({ seeds, serviceName }: Configuration, grid: Grid): Promise<void> {
  if (seeds.length === 0 || (await grid.cluster.state()) !== 'ACTIVE') return;
  for (const { cache, entries } of seeds) {
    if ((await grid.port.call({ kind: 'size', cache }, {})) > 0) continue;
    const registry = { find: (typeName: string) => grid.types.find(typeName, cache) };
    const decoded = entries.map(({ key, keyType, value, valueType }) => ({
      key: decodeTyped(key, keyType, registry, serviceName),
      value: decodeTyped(value, valueType, registry, serviceName),
    }));
    await grid.port.call({ kind: 'putAll', cache, entries: decoded }, {});
  }
}

/** Returns a function that stores the entries again, after a change of state that is not undone if it fails. */
export function seedsAgain(configuration: Configuration, grid: () => Grid, log: Log): () => Promise<void> {
  return async () => {
    try {
      await storeSeeds(configuration, grid());
    } catch (error) {
      log.warn('The initial entries of caches could not be stored', { detail: errorText(error) });
    }
  };
}
