/** The catalog of SQL tables and views. It reloads when the version of the definitions in shared memory changes. */

import { gridError } from '../../../base/errors.ts';
import { nearestNames } from '../../../base/nearest.ts';
import { missingQueryCache } from '../../../grid/cache-rules.ts';
import type { QueryEntity } from '../../../grid/grid.ts';
import { ENTRIES_TABLE, namedTables } from '../../../grid/table-names.ts';
import type { CatalogEntry, SqlCatalog, SqlView, VirtualTable } from '../../../sql/binding/catalog.ts';
import type { SqlType } from '../../../sql/types/sql-types.ts';
import { sqlTypeOfField, typeOfValue } from '../../../sql/types/sql-values.ts';
import type { CacheHandle, FoundTable } from '../ddl/cache-registry.ts';
import { indexSqlName, PUBLIC_SCHEMA, tableSqlName } from '../ddl/sql-names.ts';
import { entriesTable } from '../sql/entries-table.ts';
import { type EntryColumn, type EntryTable, entryTable, hiddenKeyOf, valuesOf, wholeOf } from '../sql/entry-table.ts';
import { dataOf } from '../sql/storage-values.ts';
import { attachedPrefix, prepare } from '../storage/databases.ts';
import { defaultTtlMs } from '../storage/deadlines.ts';
import { columnSqlName, type FieldLocation, placesOf } from '../storage/definitions.ts';
import { isScalarName, TYPE_CODES } from '../storage/value-storage.ts';
import type { EngineThread } from '../thread/engine-thread.ts';

export const SYSTEM_SCHEMAS = ['INFORMATION_SCHEMA', 'SYS'] as const;

/** Creates the system views. Called once for each catalog. */
export type VirtualTables = (catalog: EngineCatalog) => readonly VirtualTable[];

/** A table and its cache. */
export interface CatalogTable {
  readonly handle: CacheHandle;
  readonly entity: QueryEntity;
  readonly table: EntryTable;
}

export class EngineCatalog implements SqlCatalog {
  readonly thread: EngineThread;
  readonly #virtual: ReadonlyMap<string, CatalogEntry>;
  /** Tables are described on first use, and kept until their definition changes. */
  readonly #described = new WeakMap<QueryEntity, CatalogTable>();
  readonly #entries = new WeakMap<CacheHandle, EntryTable>();
  #version = -1;
  #tables: readonly CatalogTable[] | undefined;
  /** The schemas of caches that statements have named, since the version. */
  readonly #schemas = new Map<string, string>();
  #views: SqlView[] = [];

  readonly #attached: boolean;

  /**
   * `attached` qualifies the table names of non-persistent regions, whose files the statement's connection attaches.
   * `plain` does not; it is for connections to the file of the statement's only table.
   */
  constructor(thread: EngineThread, virtualTables: VirtualTables, naming: 'attached' | 'plain') {
    this.thread = thread;
    this.#attached = naming === 'attached';
    this.#virtual = new Map(
      virtualTables(this).map((table) => [keyOf(table.schema, table.name), { kind: 'virtual', table }]),
    );
  }

  get asIgnite(): boolean {
    return this.thread.settings.asIgnite === true;
  }

  get version(): number {
    this.#refresh();
    return this.#version;
  }

  schemas(): readonly string[] {
    return [...new Set([PUBLIC_SCHEMA, ...this.thread.registry.schemas(), ...SYSTEM_SCHEMAS])];
  }

  find(schema: string, name: string): CatalogEntry | undefined {
    this.#refresh();
    const found = this.thread.registry.findTables(schema, name).at(-1);
    if (found !== undefined) return { kind: 'table', table: this.#describe(found).table };
    const view = this.#findView(schema, name);
    return view === undefined ? this.#virtual.get(keyOf(schema, name)) : { kind: 'view', view };
  }

  findEntries(schema: string, name: string): EntryTable | undefined {
    if (name !== ENTRIES_TABLE) return undefined;
    this.#refresh();
    const handle = this.thread.registry.find(schema);
    if (handle === undefined) return undefined;
    const known = this.#entries.get(handle);
    if (known !== undefined) return known;
    const { definition, codec, database, indexes } = handle;
    const table = entriesTable({
      cache: definition.name,
      physical: this.#physical(handle),
      region: definition.region,
      database,
      ttlMs: defaultTtlMs(definition),
      codec,
      names: this.thread.names,
      indexes,
    });
    this.#entries.set(handle, table);
    return table;
  }

  /** Returns a table's number of columns, or a view, faster than {@link find}, because it describes no columns. */
  findUndescribed(schema: string, name: string): number | SqlView | undefined {
    this.#refresh();
    const found = this.thread.registry.findTables(schema, name).at(-1);
    return found === undefined ? this.#findView(schema, name) : found.entity.fields.length;
  }

  /** Returns a table by the name that a client wrote, for a cache. Throws TABLE_NOT_FOUND, CACHE_NOT_FOUND. */
  tableNamed(written: string, cache: string): EntryTable {
    const own = this.thread.registry.require(cache).schema;
    const candidates = namedTables(written);
    for (const { schema = own, name } of candidates) {
      const found = this.find(schema, name);
      if (found?.kind === 'table') return entryTable(found.table);
    }
    const names = [...new Set(candidates.map(({ schema = own }) => schema))].flatMap((each) => this.names(each));
    throw gridError('TABLE_NOT_FOUND', written, nearestNames(candidates[0]?.name ?? written, names)[0]);
  }

  names(schema: string): readonly string[] {
    const tables = this.tables().map(({ table }) => table);
    const objects = [...this.#views, ...tables, ...this.virtualTables()];
    return objects.filter((each) => each.schema === schema).map((each) => each.name);
  }

  tables(): readonly CatalogTable[] {
    this.#refresh();
    this.#tables ??= this.thread.registry
      .all()
      .flatMap((handle) => handle.definition.entities.map((entity) => this.#describe({ handle, entity })));
    return this.#tables;
  }

  views(): readonly SqlView[] {
    this.#refresh();
    return this.#views;
  }

  virtualTables(): readonly VirtualTable[] {
    return [...this.#virtual.values()].flatMap((entry) => (entry.kind === 'virtual' ? [entry.table] : []));
  }

  /** Returns the schema of unqualified names in statements over a cache. Throws QUERY_CACHE_NOT_FOUND. */
  schemaOfCache(cache: string): string {
    this.#refresh();
    const known = this.#schemas.get(cache);
    if (known !== undefined) return known;
    const handle = this.thread.registry.find(cache);
    if (!handle) throw missingQueryCache(cache, this.thread.registry.cacheOfTable(cache));
    this.#schemas.set(cache, handle.schema);
    return handle.schema;
  }

  #refresh(): void {
    const version = this.thread.shared.definitionsVersion();
    if (version === this.#version) return;
    this.#tables = undefined;
    this.#schemas.clear();
    this.#views = this.#readViews();
    this.#version = version;
  }

  #readViews(): SqlView[] {
    using statement = prepare<{ schema: string; name: string; columns: string; query: string }>(
      this.thread.reads.latest(),
      'SELECT schema, name, columns, query FROM views ORDER BY schema, name',
    );
    return statement.all().map(({ schema, name, columns, query }) => {
      const names: unknown = JSON.parse(columns);
      return { schema, name, query, columns: Array.isArray(names) ? names.map(String) : [] };
    });
  }

  #findView(schema: string, name: string): SqlView | undefined {
    return this.#views.find((each) => each.schema === schema && each.name === name);
  }

  #describe({ handle, entity }: FoundTable): CatalogTable {
    const known = this.#described.get(entity);
    if (known !== undefined) return known;
    const described: CatalogTable = { handle, entity, table: this.#table(handle, entity) };
    this.#described.set(entity, described);
    return described;
  }

  #table(handle: CacheHandle, entity: QueryEntity): EntryTable {
    const { definition, schema, codec, database } = handle;
    const columns = columnsOf(handle, entity);
    return {
      schema,
      name: tableSqlName(entity),
      cache: definition.name,
      physical: this.#physical(handle),
      region: definition.region,
      database,
      ttlMs: defaultTtlMs(definition),
      entries: undefined,
      kt: this.#typeCode(entity.keyType),
      vt: this.#typeCode(entity.valueType),
      keyType: entity.keyType,
      valueType: entity.valueType,
      keySqlType: wholeType(entity.keyType),
      valueSqlType: wholeType(entity.valueType),
      columns,
      hiddenKey: hiddenKeyOf(entity.keyType, columns),
      indexes: (entity.indexes ?? []).map((index) => ({
        name: indexSqlName(entity, index),
        unique: index.unique ?? false,
        columns: index.fields.map(({ name, descending }) => ({
          name: columnSqlName(entity, entity.fields.find((field) => field.name === name) ?? { name }),
          descending: descending ?? false,
        })),
      })),
      affinityColumn: affinityColumnOf(entity),
      ...valuesOf(codec),
    };
  }

  #physical({ database, table }: CacheHandle): string {
    return this.#attached ? `${attachedPrefix(database)}${table}` : table;
  }

  #typeCode(typeName: string): number {
    return isScalarName(typeName) ? TYPE_CODES[typeName] : this.thread.names.idOf(typeName);
  }
}

/** Returns the SQL name of the column with the affinity key, or undefined if there is none. */
function affinityColumnOf(entity: QueryEntity): string | undefined {
  const field = entity.fields.find(({ name }) => name === entity.affinityField);
  return field && columnSqlName(entity, field);
}

function keyOf(schema: string, name: string): string {
  return `${schema}\u0000${name}`;
}

function wholeType(typeName: string): SqlType {
  return isScalarName(typeName)
    ? sqlTypeOfField({ kind: 'scalar', type: typeName })
    : { name: 'OTHER', className: 'java.lang.Object' };
}

function columnsOf(handle: CacheHandle, entity: QueryEntity): EntryColumn[] {
  const places = placesOf(handle.fields, entity);
  const keys = new Set(entity.keyFields);
  return entity.fields.map((field): EntryColumn => {
    const physical = physicalColumn(field.name, places.get(field.name));
    return {
      name: columnSqlName(entity, field),
      field: field.name,
      type: sqlTypeOfField(field.type),
      fieldType: field.type,
      physical,
      whole: wholeOf(physical),
      isKey: keys.has(field.name),
      notNull: field.notNull ?? false,
      defaultValue: field.defaultValue,
      defaultData: field.defaultValue && {
        type: typeOfValue(field.defaultValue),
        data: dataOf(field.defaultValue),
      },
    };
  });
}

function physicalColumn(field: string, place: FieldLocation | undefined): string {
  if (place === undefined) throw new Error(`field ${field} has no place`);
  if (place === 'key') return 'k';
  return place === 'value' ? 'v' : `f${place}`;
}
