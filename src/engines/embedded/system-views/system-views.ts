/** All views of SYS and tables of INFORMATION_SCHEMA. */
import type { TableReader, VirtualTable } from '../../../sql/binding/catalog.ts';
import type { EngineCatalog, VirtualTables } from '../catalog/engine-catalog.ts';
import { ACTIVITY_VIEWS } from './activity-views.ts';
import { CACHE_VIEWS } from './cache-views.ts';
import { INFORMATION_KEYS } from './information-keys.ts';
import { INFORMATION_SYSTEM } from './information-system.ts';
import { INFORMATION_TABLES } from './information-tables.ts';
import { knownTo } from './known-info.ts';
import { NODE_VIEWS } from './node-views.ts';
import type { ServiceInfo } from './service-info.ts';
import { STORAGE_VIEWS } from './storage-views.ts';
import { engineInfo } from './system-info.ts';
import { type SystemView, virtualTable } from './system-view.ts';
import { TABLE_VIEWS } from './table-views.ts';

export const SYSTEM_VIEWS: readonly SystemView[] = [
  ...CACHE_VIEWS,
  ...TABLE_VIEWS,
  ...NODE_VIEWS,
  ...ACTIVITY_VIEWS,
  ...STORAGE_VIEWS,
  ...INFORMATION_TABLES,
  ...INFORMATION_KEYS,
  ...INFORMATION_SYSTEM,
];

const NO_SERVICE: ServiceInfo = {};

/**
 * Creates a catalog's system views. `service` returns the service's data, which must be refreshed before statements for
 * which {@link needsServiceInfo} returns true. With `asIgnite`, they list indexes, keys and constraints as Ignite does.
 */
export function createSystemViews(service: () => ServiceInfo, asIgnite = false): VirtualTables {
  return (catalog: EngineCatalog) => {
    const infoOf = (reader?: TableReader) => {
      const known = reader === undefined ? service : () => knownTo(service(), reader);
      return engineInfo(catalog, () => SYSTEM_VIEWS, known, asIgnite, reader?.knows);
    };
    const views = SYSTEM_VIEWS.map((view) => virtualTable(view, infoOf));
    return asIgnite ? views.map((view) => withCatalog(view, catalog.thread.identity.nodeId.toUpperCase())) : views;
  };
}

/** Returns the view with a different database name: in Ignite it is the node's id. */
function withCatalog(view: VirtualTable, name: string): VirtualTable {
  const catalogs = view.columns.flatMap((column, at) =>
    column.name.endsWith('_CATALOG') || column.name === 'CATALOG_NAME' ? [at] : [],
  );
  if (view.schema !== 'INFORMATION_SCHEMA' || catalogs.length === 0) return view;
  return {
    ...view,
    rows: (reader) =>
      view.rows(reader).map((row) => row.map((value, at) => (value !== null && catalogs.includes(at) ? name : value))),
  };
}

/** The system views of an engine without a service. */
export const systemViews: VirtualTables = createSystemViews(() => NO_SERVICE);

const SERVICE_VIEWS: ReadonlySet<string> = new Set([
  'SYS.NODES',
  'SYS.NODE_METRICS',
  'SYS.NODE_ATTRIBUTES',
  'SYS.BASELINE_NODE_ATTRIBUTES',
  'SYS.CONFIGURATION',
  'SYS.METRICS',
  'SYS.SQL_QUERIES',
  'SYS.SQL_QUERIES_HISTORY',
  'SYS.SCAN_QUERIES',
  'SYS.RUNNING_STATEMENTS',
  'SYS.TASKS',
  'SYS.JOBS',
  'SYS.CHANGE_FEED_CONSUMERS',
  'SYS.CLIENT_CONNECTIONS',
  'INFORMATION_SCHEMA.SETTINGS',
  'INFORMATION_SCHEMA.USERS',
  'INFORMATION_SCHEMA.SESSIONS',
  'INFORMATION_SCHEMA.QUERY_STATISTICS',
]);

/** Reports whether a view's rows contain the service's data. */
export function needsServiceInfo(table: Pick<VirtualTable, 'schema' | 'name'>): boolean {
  return SERVICE_VIEWS.has(`${table.schema}.${table.name}`);
}
