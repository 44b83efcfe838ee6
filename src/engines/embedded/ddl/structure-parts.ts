/** The dependencies of changes of definitions. */
import type { Clock } from '../../../base/clock.ts';
import type { CacheRules } from '../../../grid/cache-rules.ts';
import type { CacheDefinition } from '../../../grid/grid.ts';
import type { Metrics, SharedState } from '../storage/shared-state.ts';
import { isScalarName, type TypeNames } from '../storage/value-storage.ts';
import type { WriteConnections } from '../storage/write-connections.ts';
import type { CacheHandle, CacheRegistry } from './cache-registry.ts';

export interface StructureParts {
  readonly connections: WriteConnections;
  readonly registry: CacheRegistry;
  readonly shared: SharedState;
  readonly metrics: Metrics;
  readonly rules: CacheRules;
  readonly clock: Clock;
  readonly names: TypeNames;
  readonly defaultCache: string;
  /** Finalizes the writer's statements, before a table or file that they use changes: those of a cache, or all. */
  readonly releaseStatements: (cache?: CacheHandle) => void;
  /** Closes the readers of non-persistent regions, before their files are removed. */
  readonly onRegionsEnd: () => void;
}

/**
 * Assigns ids to the types of a definition. Statements find rows by these ids, so they must exist before the first row.
 */
export function registerTypes(definition: CacheDefinition, names: TypeNames): void {
  for (const { keyType, valueType } of definition.entities) {
    for (const name of [keyType, valueType]) if (!isScalarName(name)) names.idOf(name);
  }
}
