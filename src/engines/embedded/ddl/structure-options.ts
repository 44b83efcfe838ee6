/** The dependencies of changes to definitions. */
import type { Database } from 'bun:sqlite';
import type { Clock } from '../../../base/clock.ts';
import type { CacheRules } from '../../../grid/cache-rules.ts';
import type { CacheDefinition } from '../../../grid/grid.ts';
import { DATA_DATABASE } from '../storage/databases.ts';
import type { SpaceUse } from '../storage/disk-space.ts';
import type { Log } from '../storage/log.ts';
import type { Metrics, SharedState } from '../storage/shared-state.ts';
import type { WriteTypeNames } from '../storage/type-names.ts';
import { isScalarName } from '../storage/value-storage.ts';
import type { WriteConnections } from '../storage/write-connections.ts';
import { WriteTransactions } from '../storage/write-transactions.ts';
import type { CacheHandle, CacheRegistry } from './cache-registry.ts';

export interface StructureOptions {
  readonly connections: WriteConnections;
  readonly registry: CacheRegistry;
  readonly shared: SharedState;
  readonly metrics: Metrics;
  readonly rules: CacheRules;
  readonly clock: Clock;
  readonly names: WriteTypeNames;
  readonly defaultCache: string;
  readonly log: Log;
  /** Called before startup converts enough entries to keep this thread busy for long. */
  readonly onLongStart: () => void;
  /** Finalizes the writer's statements before a table or file that they use changes: a cache's, or all. */
  readonly releaseStatements: (cache?: CacheHandle) => void;
  /** Closes the readers of non-persistent regions, before their files are removed. */
  readonly onRegionsEnd: () => void;
}

/**
 * Changes a cache's definition in a transaction of the data file, in which its types get ids: statements find rows by
 * these ids, so they must exist before the first row.
 */
export function transactDefinition(
  { connections, names, shared }: Pick<StructureOptions, 'connections' | 'names' | 'shared'>,
  { entities }: CacheDefinition,
  change: (database: Database) => void,
  space?: SpaceUse,
): void {
  const { data } = connections;
  const { database } = data;
  const transactions = space && new WriteTransactions(database, DATA_DATABASE, shared, connections.space);
  const transact = (action: (database: Database) => void): void =>
    transactions ? transactions.run(DATA_DATABASE, () => action(database), { space }) : data.transact(action);
  try {
    transact((database) => {
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
