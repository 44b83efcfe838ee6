/**
 * Applies CREATE, ALTER and DROP to the definitions of caches. The writer runs them as changes of structure. The error
 * texts are Apache Ignite's (docs/spec/ignite-cluster.md 6.4; observed on a node where that says nothing).
 */
import type { Database } from 'bun:sqlite';
import { GridError, gridError } from '../../../base/errors.ts';
import { SQL_BOUNDS } from '../../../base/limits.ts';
import type { DefinitionChange, DefinitionOfCache } from '../../../grid/definition-changes.ts';
import {
  type CacheDefinition,
  type EntityField,
  type EntityIndex,
  WRITE_SYNCHRONIZATION_MODES,
} from '../../../grid/grid.ts';
import { ENTRIES_TABLE } from '../../../grid/table-names.ts';
import type { DdlStatement, QualifiedName } from '../../../sql/syntax/ast.ts';
import { DATA_DATABASE } from '../storage/databases.ts';
import { columnSqlName, encodeDefinition, type PlacedIndex, type StoredCache } from '../storage/definitions.ts';
import { recordChanges } from '../storage/feed-tables.ts';
import { isScalarName } from '../storage/value-storage.ts';
import type { CacheHandle, FoundTable } from './cache-registry.ts';
import { addEntryColumns, checkColumnCount, createKeyIndex, indexColumns } from './cache-table.ts';
import { ddlFailure, rejectedDeclaration } from './ddl-failures.ts';
import {
  declaredEntryIndex,
  placeOfEntries,
  planEntryIndex,
  withoutEntryIndex,
  withUnusedColumn,
} from './entry-indexes.ts';
import { indexSqlName, PUBLIC_SCHEMA, schemaOf, tableSqlName } from './sql-names.ts';
import { needsConversion, replaceEntity, withColumns, withEntity, withoutColumns } from './stored-caches.ts';
import type { PlannedIndex, RemovedIndex, StructureStatement } from './structure-changes.ts';
import { type StructureOptions, transactDefinition } from './structure-options.ts';
import {
  backupsOption,
  booleanOption,
  entityOf,
  enumOption,
  expiryOptions,
  fieldOf,
  isPseudoColumn,
  readOptions,
} from './table-declarations.ts';
import { Views } from './views.ts';

type Ddl<K extends DdlStatement['kind']> = Extract<DdlStatement, { kind: K }>;

/** The index that CREATE INDEX declares, or undefined if it exists and IF NOT EXISTS allows it. */
type ResolvedIndex = FoundTable & { readonly index: EntityIndex | undefined };

/** Creates and drops caches for {@link Tables}. */
export interface CacheLifecycle {
  create(definition: CacheDefinition): void;
  drop(handle: CacheHandle): void;
}

export class Tables {
  readonly #options: StructureOptions;
  readonly #caches: CacheLifecycle;
  readonly #views: Views;
  /** The changes of a dry run. */
  readonly #noted: DefinitionChange[] | undefined;
  readonly #onColumns: (handle: CacheHandle, stored: StoredCache) => void;
  /** The number of planned indexes, which keeps their names unique. */
  #planned = 0;

  /**
   * `noted` receives the changes. In that case they are not made, and `caches` must make none either. `onColumns` is
   * called with a cache and its new definition.
   */
  constructor(
    options: StructureOptions,
    caches: CacheLifecycle,
    noted?: DefinitionChange[],
    onColumns: (handle: CacheHandle, stored: StoredCache) => void = () => {},
  ) {
    this.#options = options;
    this.#caches = caches;
    this.#noted = noted;
    this.#onColumns = onColumns;
    this.#views = new Views(options, noted);
  }

  /**
   * Runs a statement. `schema` applies to unqualified names; `builtIndex` is the index built for CREATE INDEX. Returns
   * false, and changes nothing, if entries must be converted first.
   */
  run(statement: StructureStatement, schema: string, builtIndex?: string): boolean {
    try {
      this.#checkState(statement);
    } catch (error) {
      if (builtIndex !== undefined) this.#dropBuilt(builtIndex);
      throw error;
    }
    switch (statement.kind) {
      case 'createTable':
        return this.#createTable(statement, schema);
      case 'dropTable':
        this.#dropTable(statement, schema);
        return true;
      case 'addColumns':
        return this.#addColumns(statement, schema);
      case 'dropColumns':
        this.#dropColumns(statement, schema);
        return true;
      case 'createIndex':
        this.#createIndex(statement, schema, builtIndex);
        return true;
      case 'createView':
        this.#createView(statement, schema);
        return true;
      case 'dropView':
        this.#views.drop(statement, this.#schema(statement.view, schema));
        return true;
    }
  }

  /**
   * Plans the index that CREATE INDEX declares. Another thread builds it before the statement runs, because that can
   * take long. Returns undefined if the index exists and IF NOT EXISTS allows it.
   */
  planIndex(statement: Ddl<'createIndex'>, schema: string): PlannedIndex | undefined {
    this.#checkState(statement);
    const entries = this.#entriesOf(statement.table);
    if (entries !== undefined) return this.#planEntryIndex(entries, statement);
    const { handle, entity, index } = this.#resolveIndex(statement, schema);
    if (!index) return undefined;
    // A build interrupted by a restart may have left the index.
    const name = `x${handle.id}_${handle.nextIndex + this.#planned++}`;
    return {
      database: handle.database,
      name,
      table: handle.table,
      sql: `DROP INDEX IF EXISTS ${name}; CREATE INDEX ${name} ON ${handle.table} (${indexColumns(handle.fields, entity, index)})`,
    };
  }

  /**
   * The file of a non-persistent region commits separately from the definition. One of its columns is declared before
   * it gets values, so that no other field can have them if the build ends in between.
   */
  #planEntryIndex(handle: CacheHandle, statement: Ddl<'createIndex'>): PlannedIndex | undefined {
    if (declaredEntryIndex(handle, statement) === undefined) return undefined;
    const reserved = handle.database === DATA_DATABASE ? undefined : withUnusedColumn(handle);
    if (reserved !== undefined) this.#redefine(handle, reserved, () => {});
    return planEntryIndex(this.#options.registry.require(handle.definition.name), statement, this.#options);
  }

  /**
   * Removes the index of DROP INDEX from its definition. Another thread drops the rest in the file, because freeing the
   * pages of a large index can take long. Returns undefined if there is nothing to do.
   */
  removeIndex(statement: Ddl<'dropIndex'>, fallback: string): RemovedIndex | undefined {
    this.#checkState(statement);
    const { name } = statement.name;
    const indexed = statement.name.schema && this.#options.registry.find(statement.name.schema.text);
    const ofEntries = indexed && withoutEntryIndex(indexed, name.text);
    if (indexed !== undefined && ofEntries !== undefined) {
      const { cache, removed } = ofEntries;
      const index = `${indexed.definition.name}.${name.text}`;
      this.#noted?.push({ index, ...placeOfEntries(indexed), change: 'removed' });
      this.#redefine(indexed, cache, () => {});
      return removed;
    }
    // A cache without tables has no schema, but its entries can have indexes.
    const hasNone = indexed !== undefined && !this.#options.registry.hasSchema(indexed.definition.name);
    const found = hasNone ? undefined : this.#findIndex(this.#schema(statement.name, fallback), name.text);
    if (!found) {
      if (statement.ifExists) return undefined;
      throw ddlFailure('DDL_INDEX_NOT_FOUND', name.text);
    }
    const { handle, entity, index } = found;
    const removed = `${handle.schema}.${name.text}`;
    this.#noted?.push({ index: removed, ...placeOf(found), change: 'removed' });
    const placed = handle.indexes.find(
      (each) => each.entity === entity.valueType && (each.name === index.name || each.name.toUpperCase() === name.text),
    );
    const changed = { ...entity, indexes: (entity.indexes ?? []).filter((each) => each !== index) };
    const stored = {
      ...replaceEntity(handle, entity, changed),
      indexes: handle.indexes.filter((each) => each !== placed),
    };
    this.#redefine(handle, stored, () => {});
    return placed && { database: handle.database, name: placed.sqliteName };
  }

  #checkState({ kind }: Pick<DdlStatement, 'kind'>): void {
    const { shared } = this.#options;
    if (shared.isInactive()) throw gridError('INACTIVE');
    if (!shared.isActive())
      throw gridError('READ_ONLY', kind === 'createTable' ? 'start cache operation' : 'cache operation', 'null');
  }

  #schema(name: QualifiedName, fallback: string): string {
    const schema = name.schema?.text ?? fallback;
    if (schema !== PUBLIC_SCHEMA && !this.#options.registry.hasSchema(schema))
      throw ddlFailure('SCHEMA_NOT_FOUND', schema);
    return schema;
  }

  /** Returns the cache whose entries a name means. */
  #entriesOf({ schema, name }: QualifiedName): CacheHandle | undefined {
    if (schema === undefined || name.text !== ENTRIES_TABLE) return undefined;
    const { registry } = this.#options;
    if (registry.findTables(schema.text, name.text).length > 0) return undefined;
    return registry.find(schema.text);
  }

  #find(name: QualifiedName, fallback: string): FoundTable | undefined {
    return this.#options.registry.findTables(this.#schema(name, fallback), name.name.text)[0];
  }

  #createTable(statement: Ddl<'createTable'>, fallback: string): boolean {
    const { registry, rules, defaultCache } = this.#options;
    const schema = this.#schema(statement.table, fallback);
    const name = statement.table.name.text;
    const options = readOptions(statement.parameters);
    const entity = entityOf(statement, schema, name, options);
    if (registry.findTables(schema, name).length > 0 || this.#views.has(schema, name)) {
      if (statement.ifNotExists) return true;
      throw ddlFailure('TABLE_EXISTS', name);
    }
    const ownName = cacheNameOf(schema, name);
    const cacheName = options.get('CACHE_NAME') ?? ownName;
    const existing = registry.find(cacheName);
    if (existing !== undefined && !options.has('CACHE_NAME')) {
      if (statement.ifNotExists) return true;
      throw ddlFailure('TABLE_EXISTS', name, ownName);
    }
    const expiry = expiryOptions(options);
    const changeFeed = booleanOption(options, 'CHANGE_FEED');
    if (existing) {
      if (changeFeed !== undefined) throw ddlFailure('OPTION_OF_NEW_CACHE', 'CHANGE_FEED', cacheName);
      if (expiry.ttlMs !== undefined) throw ddlFailure('OPTION_OF_NEW_CACHE', 'TTLMS', cacheName);
      if (existing.definition.entities.length > 0) throw ddlFailure('CACHE_INDEXED', cacheName);
      if (cacheName === defaultCache) throw ddlFailure('DEFAULT_CACHE_AS_TABLE', cacheName);
      this.#noted?.push({ table: `${schema}.${name}`, cacheName, change: 'created' });
      const declared = withEntity(existing, entity, schema);
      const stored = { ...declared, definition: { ...declared.definition, createdBySql: false } };
      return this.#redefine(existing, stored, (database, changed) => createKeyIndex(database, changed, entity));
    }
    const template = options.get('TEMPLATE');
    const writeMode = enumOption(
      options,
      'WRITE_SYNCHRONIZATION_MODE',
      WRITE_SYNCHRONIZATION_MODES,
      'should be FULL_SYNC, FULL_ASYNC, or PRIMARY_SYNC',
    );
    const atomicity = enumOption(
      options,
      'ATOMICITY',
      ['TRANSACTIONAL', 'ATOMIC'] as const,
      'should be either TRANSACTIONAL, ATOMIC',
    );
    const backups = backupsOption(options);
    const region = options.get('DATA_REGION');
    const group = options.get('CACHE_GROUP');
    const declaration = {
      name: cacheName,
      schema,
      entities: [entity],
      ...(template !== undefined && { template }),
      ...(backups !== undefined && { backups }),
      ...(region !== undefined && { region }),
      ...(group !== undefined && { group }),
      ...(writeMode !== undefined && { writeMode }),
      ...(atomicity !== undefined && { atomicity }),
      ...expiry,
      ...(changeFeed !== undefined && { changeFeed }),
    };
    let definition: CacheDefinition;
    try {
      definition = { ...rules.fromDeclaration(declaration, registry.existing()), createdBySql: true };
    } catch (error) {
      if (error instanceof GridError && error.code === 'TEMPLATE_NOT_FOUND')
        throw ddlFailure('DDL_TEMPLATE_NOT_FOUND', template ?? '');
      throw error instanceof GridError ? rejectedDeclaration(error) : error;
    }
    this.#caches.create(definition);
    this.#noted?.push({ table: `${schema}.${name}`, cacheName, change: 'created' });
    return true;
  }

  #dropTable(statement: Ddl<'dropTable'>, fallback: string): undefined {
    const dropped: FoundTable[] = [];
    for (const name of statement.tables) {
      const found = this.#find(name, fallback);
      if (!found) {
        if (statement.ifExists) continue;
        throw ddlFailure('DDL_TABLE_NOT_FOUND', name.name.text);
      }
      if (!isCreatedBySql(found)) throw ddlFailure('NOT_A_TABLE_OF_SQL', found.handle.definition.name);
      dropped.push(found);
    }
    for (const { handle, entity } of dropped) {
      this.#noted?.push({ ...placeOf({ handle, entity }), change: 'destroyed' });
      this.#caches.drop(handle);
      this.#views.dropViewsOf(handle.schema, tableSqlName(entity));
    }
    return undefined;
  }

  #addColumns(statement: Ddl<'addColumns'>, fallback: string): boolean {
    const found = this.#find(statement.table, fallback);
    if (!found) {
      if (statement.ifTableExists) return true;
      throw ddlFailure('DDL_TABLE_NOT_FOUND', statement.table.name.text);
    }
    const { handle, entity } = found;
    if (isScalarName(entity.valueType)) throw ddlFailure('UNWRAPPED_VALUE', 'add');
    const added: EntityField[] = [];
    for (const column of statement.columns) {
      if (column.default) throw ddlFailure('ADD_COLUMN_DEFAULT', column.name.text);
      const known =
        isPseudoColumn(column.name.text) ||
        entity.fields.some((field) => columnSqlName(entity, field) === column.name.text);
      if (known && statement.ifNotExists && statement.columns.length === 1) return true;
      if (known || added.some((field) => field.name === column.name.text)) {
        throw ddlFailure('COLUMN_EXISTS', column.name.text);
      }
      added.push(fieldOf(column, false));
    }
    for (const { name } of added) this.#noted?.push({ column: name, ...placeOf(found), change: 'added' });
    const changed = { ...entity, fields: [...entity.fields, ...added] };
    const stored = { ...replaceEntity(handle, entity, changed), ...withColumns(handle, changed, added) };
    return this.#redefine(handle, stored, () => {});
  }

  /** Removes columns from the definition. As in Ignite, the objects keep their fields. Numbers are not reused. */
  #dropColumns(statement: Ddl<'dropColumns'>, fallback: string): undefined {
    const found = this.#find(statement.table, fallback);
    if (!found) {
      if (statement.ifTableExists) return undefined;
      throw ddlFailure('TABLE_NOT_FOUND', statement.table.name.text);
    }
    const { handle, entity } = found;
    if (isScalarName(entity.valueType)) throw ddlFailure('UNWRAPPED_VALUE', 'drop');
    const dropped = new Set<string>();
    for (const { text } of statement.columns) {
      const field = entity.fields.find((each) => columnSqlName(entity, each) === text);
      if (!field) {
        if (statement.ifExists) continue;
        throw ddlFailure('COLUMN_NOT_FOUND', text);
      }
      if (entity.keyFields?.includes(field.name)) {
        const isWholeKey = entity.keyFields.length === 1 && isScalarName(entity.keyType);
        throw ddlFailure('KEY_COLUMN_DROP', text, isWholeKey);
      }
      const index = entity.indexes?.find((each) => each.fields.some((one) => one.name === field.name));
      if (index) throw ddlFailure('INDEXED_COLUMN_DROP', text, indexSqlName(entity, index));
      this.#noted?.push({ column: text, ...placeOf(found), change: 'removed' });
      dropped.add(field.name);
    }
    const remaining = entity.fields.filter((field) => !dropped.has(field.name));
    const stored = {
      ...replaceEntity(handle, entity, { ...entity, fields: remaining }),
      fields: withoutColumns(handle.fields, entity, dropped),
    };
    this.#redefine(handle, stored, () => {});
    return undefined;
  }

  /** Records an index on a cache's entries, which the thread that builds it declares. */
  #noteEntryIndex(handle: CacheHandle, statement: Ddl<'createIndex'>): undefined {
    const declared = declaredEntryIndex(handle, statement);
    const index = declared && `${handle.definition.name}.${declared.name}`;
    if (index !== undefined) this.#noted?.push({ index, ...placeOfEntries(handle), change: 'added' });
    return undefined;
  }

  /** Declares the index built after {@link planIndex}. Drops it if the statement fails. */
  #createIndex(statement: Ddl<'createIndex'>, fallback: string, builtIndex: string | undefined): undefined {
    const entries = this.#entriesOf(statement.table);
    if (entries !== undefined) return this.#noteEntryIndex(entries, statement);
    const plan = builtIndex === undefined ? this.planIndex(statement, fallback) : undefined;
    const sqliteName = builtIndex ?? plan?.name;
    let resolved: ResolvedIndex;
    try {
      resolved = this.#resolveIndex(statement, fallback);
    } catch (error) {
      if (builtIndex !== undefined) this.#dropBuilt(builtIndex);
      throw error;
    }
    const { handle, entity, index } = resolved;
    if (sqliteName === undefined) return undefined;
    if (!index) {
      this.#dropBuilt(sqliteName);
      return undefined;
    }
    const added = `${handle.schema}.${index.name ?? ''}`;
    this.#noted?.push({ index: added, ...placeOf(resolved), change: 'added' });
    const placed: PlacedIndex = { entity: entity.valueType, name: index.name ?? '', sqliteName };
    const changed = { ...entity, indexes: [...(entity.indexes ?? []), index] };
    const number = Number(sqliteName.split('_')[1]);
    this.#redefine(
      handle,
      {
        ...replaceEntity(handle, entity, changed),
        indexes: [...handle.indexes, placed],
        nextIndex: Math.max(handle.nextIndex, number + 1),
      },
      (database) => {
        if (plan) database.run(plan.sql);
      },
    );
    return undefined;
  }

  /** Drops a built index after another statement has created an index with its name or dropped the table. */
  #dropBuilt(sqliteName: string): void {
    for (const [, connection] of this.#options.connections.all()) {
      connection.transact((database) => database.run(`DROP INDEX IF EXISTS ${sqliteName}`));
    }
  }

  #resolveIndex(statement: Ddl<'createIndex'>, fallback: string): ResolvedIndex {
    const found = this.#find(statement.table, fallback);
    if (!found) throw ddlFailure('DDL_TABLE_NOT_FOUND', statement.table.name.text);
    if (statement.columns.some(({ path }) => path !== undefined)) throw ddlFailure('INDEX_EXPRESSION');
    if (statement.name !== undefined) this.#schema(statement.name, fallback);
    const { handle, entity } = found;
    const fields = statement.columns.map(({ name, descending }) => {
      const field = entity.fields.find((each) => columnSqlName(entity, each) === name.text);
      if (!field) throw ddlFailure('DDL_COLUMN_NOT_FOUND', name.text);
      return { name: field.name, descending };
    });
    const parts = statement.columns.map((each) => `${each.name.text}_${each.descending ? 'DESC' : 'ASC'}`);
    const generated = `${tableSqlName(entity)}_${parts.join('_')}_IDX`.toLowerCase();
    const name = statement.name?.name.text ?? generated;
    const isOfEntries =
      handle.schema === handle.definition.name &&
      handle.definition.entryIndexes?.some((each) => each.name === name) === true;
    if (isOfEntries || this.#findIndex(handle.schema, name)) {
      if (statement.ifNotExists) return { handle, entity, index: undefined };
      throw ddlFailure('INDEX_EXISTS', name);
    }
    return { handle, entity, index: { name, fields } };
  }

  #findIndex(schema: string, name: string): (FoundTable & { readonly index: EntityIndex }) | undefined {
    for (const handle of this.#options.registry.all()) {
      if (handle.schema !== schema) continue;
      for (const entity of handle.definition.entities) {
        const index = entity.indexes?.find((each) => indexSqlName(entity, each) === name);
        if (index) return { handle, entity, index };
      }
    }
    return undefined;
  }

  #createView(statement: Ddl<'createView'>, fallback: string): undefined {
    const schema = this.#schema(statement.view, fallback);
    const name = statement.view.name.text;
    if (this.#options.registry.findTables(schema, name).length > 0) throw ddlFailure('TABLE_EXISTS', name);
    return this.#views.create(statement, schema);
  }

  /**
   * Changes the table and the definition, in one transaction if both are in the data file. Adds the columns of new
   * fields, unless `planColumns` had them added. Returns false, and changes nothing, if the cache has entries for them.
   */
  #redefine(
    handle: CacheHandle,
    stored: StoredCache,
    alter: (database: Database, stored: StoredCache) => void,
  ): boolean {
    // A declared cache may have more, which does not prevent it from having an index, or one column less.
    if (stored.nextColumn > handle.nextColumn) checkColumnCount(stored, SQL_BOUNDS.tableColumns);
    this.#onColumns(handle, stored);
    if (this.#noted !== undefined) return true;
    if (needsConversion(this.#options, handle, stored)) return false;
    const { connections, shared, releaseStatements } = this.#options;
    releaseStatements(handle);
    const change = (database: Database): void => {
      const [from, to] = [handle.nextColumn, stored.nextColumn];
      if (from < to) addEntryColumns(database, handle.table, { from, to });
      alter(database, stored);
      // A reserved column is not visible anywhere.
      const isRecorded = stored.definition.changeFeed === true && stored.definition !== handle.definition;
      if (isRecorded) recordChanges({ database, prefix: '' }, stored, 'cacheAltered');
    };
    transactDefinition(this.#options, stored.definition, (database) => {
      database
        .query('UPDATE caches SET definition = ?, version = (SELECT max(version) + 1 FROM caches) WHERE id = ?')
        .run(encodeDefinition(stored), handle.id);
      if (handle.database === DATA_DATABASE) change(database);
      else connections.get(handle.database).transact(change);
    });
    shared.definitionsChanged();
    return true;
  }
}

/** Returns the name of the cache that CREATE TABLE creates, unless it names one. */
function cacheNameOf(schema: string, table: string): string {
  return `SQL_${schema}_${table}`;
}

/** Reports whether CREATE TABLE created a table's cache. If nothing records that, only the name tells. */
function isCreatedBySql({ handle: { definition }, entity }: FoundTable): boolean {
  if (entity.fromSql !== true) return false;
  return definition.createdBySql ?? definition.name === cacheNameOf(schemaOf(definition), tableSqlName(entity));
}

/** Returns a table and its cache as a change names them. */
function placeOf({ handle: { definition }, entity }: FoundTable): Pick<DefinitionOfCache, 'table' | 'cacheName'> {
  return { table: `${schemaOf(definition)}.${tableSqlName(entity)}`, cacheName: definition.name };
}
