/** Collects the data of the system views: the engine's definitions and counters, and the service's data. */

import { SqlFailure } from '../../../base/sql-failure.ts';
import { DEFAULT_REGION } from '../../../grid/declarations.ts';
import type { CacheDefinition, ClusterState, QueryEntity, RegionMetrics } from '../../../grid/grid.ts';
import type { SqlView, TableReader } from '../../../sql/binding/catalog.ts';
import type { SqlType } from '../../../sql/types/sql-types.ts';
import type { EngineCatalog } from '../catalog/engine-catalog.ts';
import type { CacheHandle } from '../ddl/cache-registry.ts';
import type { EntryTable } from '../sql/entry-table.ts';
import { prepareStatement } from '../sql/prepare-statement.ts';
import { DATA_DATABASE, databaseOf, prepare } from '../storage/databases.ts';
import { hasDeadlineIndex } from '../storage/deadline-index.ts';
import { decodeText, FIRST_OBJECT_TYPE, type StorageValue } from '../storage/value-storage.ts';
import { measureRegions, type NodeIdentity } from '../thread/embedded-cluster.ts';
import type { EngineThread } from '../thread/engine-thread.ts';
import type { ServiceInfo } from './service-info.ts';
import type { ViewDescription } from './view-description.ts';

export interface SystemInfo {
  readonly node: NodeIdentity;
  readonly state: ClusterState;
  /** null if the reader may not know it. */
  readonly dataDir: string | null;
  readonly nowMs: number;
  readonly caches: readonly CacheInfo[];
  readonly groups: readonly GroupInfo[];
  readonly tables: readonly TableInfo[];
  readonly userViews: readonly UserViewInfo[];
  readonly systemViews: readonly ViewDescription[];
  readonly schemas: readonly string[];
  readonly regions: readonly RegionInfo[];
  readonly counters: readonly CounterInfo[];
  readonly binaryTypes: readonly BinaryTypeInfo[];
  readonly service: ServiceInfo;
  /** Whether indexes, keys and constraints are listed as Ignite lists them (docs/spec/ignite-cluster.md 6.4). */
  readonly asIgnite: boolean;
}

export interface CacheInfo {
  readonly definition: CacheDefinition;
  /** Ignite's id of a cache: the hash of its name. */
  readonly id: number;
  readonly groupName: string;
  readonly groupId: number;
  readonly hits: number;
  readonly misses: number;
  readonly writes: number;
  /** Entries that have not expired, or 0 while the cluster is INACTIVE. */
  size(): number;
  /** Reports whether any entry has a time to live. */
  hasExpiring(): boolean;
}

/** The caches of a group. A cache without a group forms a separate group. */
export interface GroupInfo {
  readonly name: string;
  readonly id: number;
  readonly caches: readonly CacheInfo[];
  /** The first cache. The caches of a group have the same values in all columns of the group's view. */
  readonly sample: CacheInfo;
}

export interface TableInfo {
  readonly cache: CacheInfo;
  readonly table: EntryTable;
  readonly entity: QueryEntity;
}

/** A view created by CREATE VIEW. It has no columns if it refers to dropped objects. */
export interface UserViewInfo {
  readonly schema: string;
  readonly name: string;
  readonly query: string;
  readonly columns: ReadonlyArray<{ readonly name: string; readonly type: SqlType }>;
  readonly valid: boolean;
}

export interface RegionInfo {
  readonly metrics: RegionMetrics;
  readonly persistent: boolean;
  readonly maxSizeBytes: number | undefined;
}

export interface CounterInfo {
  readonly name: string;
  readonly value: bigint;
}

export interface BinaryTypeInfo {
  readonly id: number;
  readonly name: string;
  readonly fields: readonly string[];
}

/** Returns this thread's engine data. Each property reads the current state. */
export function engineInfo(
  catalog: EngineCatalog,
  systemViews: () => readonly ViewDescription[],
  service: () => ServiceInfo,
  asIgnite: boolean,
  knows?: TableReader['knows'],
): SystemInfo {
  const { thread } = catalog;
  const allCacheInfo = () => thread.registry.all().map((handle) => cacheInfo(thread, handle));
  return {
    node: thread.identity,
    dataDir: knows === undefined || knows.service ? thread.settings.dataDir : null,
    asIgnite,
    get nowMs() {
      return thread.clock.nowMs();
    },
    get state() {
      return thread.shared.clusterState;
    },
    get caches() {
      return allCacheInfo();
    },
    get groups() {
      return groupsOf(allCacheInfo());
    },
    get tables() {
      return catalog.tables().map(({ handle, entity, table }) => ({ cache: cacheInfo(thread, handle), entity, table }));
    },
    get userViews() {
      return catalog.views().map((view) => describeView(view, catalog));
    },
    get systemViews() {
      return systemViews();
    },
    get schemas() {
      return catalog.schemas();
    },
    get regions() {
      return regionInfo(thread);
    },
    get counters() {
      return knows === undefined || knows.counters ? readCounters(thread) : [];
    },
    get binaryTypes() {
      return readBinaryTypes(thread);
    },
    get service() {
      return service();
    },
  };
}

function cacheInfo(thread: EngineThread, handle: CacheHandle): CacheInfo {
  const { definition, slot, table } = handle;
  const { metrics, shared } = thread;
  const groupName = definition.group ?? definition.name;
  return {
    definition,
    id: javaHash(definition.name),
    groupName,
    groupId: javaHash(groupName),
    hits: metrics.sum(slot, 'hits'),
    misses: metrics.sum(slot, 'misses'),
    writes: metrics.sum(slot, 'writes'),
    size: () => (shared.isInactive() ? 0 : thread.readers.open(definition.name).size()),
    hasExpiring() {
      if (shared.isInactive()) return false;
      const rows = readRows<{ found: bigint }>(
        thread,
        handle.database,
        `SELECT 1 AS found WHERE ${hasDeadlineIndex(table)} AND EXISTS (SELECT 1 FROM ${table} WHERE exp IS NOT NULL)`,
      );
      return rows.length > 0;
    },
  };
}

function groupsOf(caches: readonly CacheInfo[]): GroupInfo[] {
  const byName = Map.groupBy(caches, (cache) => cache.groupName);
  return [...byName].flatMap(([name, members]) => {
    const [sample] = members;
    return sample ? [{ name, id: sample.groupId, caches: members, sample }] : [];
  });
}

function describeView(view: SqlView, catalog: EngineCatalog): UserViewInfo {
  const { schema, name, query } = view;
  try {
    const prepared = prepareStatement(query, schema, catalog);
    if (prepared.kind !== 'query') return { schema, name, query, columns: [], valid: false };
    const columns = prepared.columns.map((column, at) => ({
      name: view.columns[at] ?? column.fieldName,
      type: prepared.types[at] ?? UNKNOWN,
    }));
    return { schema, name, query, columns, valid: true };
  } catch (failure) {
    if (failure instanceof SqlFailure) return { schema, name, query, columns: [], valid: false };
    throw failure;
  }
}

const UNKNOWN: SqlType = { name: 'UNKNOWN' };

function regionInfo(thread: EngineThread): RegionInfo[] {
  return measureRegions(thread.shared, thread.reads, thread.regions).map((metrics) => {
    const region = thread.regions.get(metrics.name);
    return { metrics, persistent: region?.persistent ?? true, maxSizeBytes: region?.maxSizeBytes };
  });
}

/** Reads the counters, which are stored in the region `default`. */
function readCounters(thread: EngineThread): CounterInfo[] {
  if (thread.shared.isInactive()) return [];
  const rows = readRows<{ name: StorageValue; value: bigint }>(
    thread,
    databaseOf(thread.reads.files, DEFAULT_REGION),
    `SELECT name, value FROM counters WHERE exp IS NULL OR exp > ${Math.floor(thread.clock.nowMs())} ORDER BY name`,
  );
  return rows.map(({ name, value }) => ({ name: decodeText(name), value }));
}

/** Returns the types of stored or declared objects, with their declared fields. */
function readBinaryTypes(thread: EngineThread): BinaryTypeInfo[] {
  const rows = readRows<{ name: StorageValue }>(
    thread,
    DATA_DATABASE,
    `SELECT name FROM type_names WHERE id >= ${FIRST_OBJECT_TYPE} ORDER BY id`,
  );
  return rows.map(({ name }) => {
    const typeName = decodeText(name);
    const fields = thread.findType(typeName, undefined)?.fields ?? [];
    return { id: javaHash(typeName.toLowerCase()), name: typeName, fields: fields.map((field) => field.name) };
  });
}

function readRows<R>(thread: EngineThread, database: number, sql: string): R[] {
  const connection = thread.reads.get(database);
  connection.refresh();
  using statement = prepare<R>(connection.database, sql);
  return statement.all();
}

/** Returns Java's hash of a string: Ignite's ids of caches, groups and types. */
export function javaHash(name: string): number {
  let hash = 0;
  for (let at = 0; at < name.length; at++) hash = (Math.imul(hash, 31) + name.charCodeAt(at)) | 0;
  return hash;
}
