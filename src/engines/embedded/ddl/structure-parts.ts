/** The dependencies of changes of definitions. */
import type { Database } from 'bun:sqlite';
import type { Clock } from '../../../base/clock.ts';
import type { CacheRules } from '../../../grid/cache-rules.ts';
import type { CacheDefinition } from '../../../grid/grid.ts';
import type { Log } from '../storage/log.ts';
import type { Metrics, SharedState } from '../storage/shared-state.ts';
import type { WriteTypeNames } from '../storage/type-names.ts';
import { isScalarName } from '../storage/value-storage.ts';
import type { WriteConnections } from '../storage/write-connections.ts';
import type { CacheHandle, CacheRegistry } from './cache-registry.ts';

export interface StructureParts {
  readonly connections: WriteConnections;
  readonly registry: CacheRegistry;
  readonly shared: SharedState;
  readonly metrics: Metrics;
  readonly rules: CacheRules;
  readonly clock: Clock;
  readonly names: WriteTypeNames;
  readonly defaultCache: string;
  readonly log: Log;
  /** Finalizes the writer's statements, before a table or file that they use changes: those of a cache, or all. */
  readonly releaseStatements: (cache?: CacheHandle) => void;
  /** Closes the readers of non-persistent regions, before their files are removed. */
  readonly onRegionsEnd: () => void;
}

/**
 * Changes the definition of a cache in a transaction of the data file, in which its types get ids: statements find rows
 * by these ids, so they must exist before the first row.
 */
export function transactDefinition(
  { connections, names }: Pick<StructureParts, 'connections' | 'names'>,
  { entities }: CacheDefinition,
  change: (database: Database) => void,
): void {
  try {
    connections.data.transact((database) => {
      for (const { keyType, valueType } of entities) {
        for (const name of [keyType, valueType]) if (!isScalarName(name)) names.idOf(name);
      }
      change(database);
    });
  } catch (error) {
    names.rolledBack();
    throw error;
  }
  names.committed();
}
