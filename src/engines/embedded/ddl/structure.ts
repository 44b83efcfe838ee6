/**
 * Changes to definitions and the cluster's state. The writer runs each one alone, after all earlier changes. Each
 * commits separately, and is visible to all threads through shared memory before it resolves.
 */
import type { Database } from 'bun:sqlite';
import { gridError } from '../../../base/errors.ts';
import type { CacheDeclaration } from '../../../grid/declarations.ts';
import type { DefinitionChange } from '../../../grid/definition-changes.ts';
import type { CacheDefinition } from '../../../grid/grid.ts';
import { DATA_DATABASE, databaseOf } from '../storage/databases.ts';
import { encodeDefinition, place, type StoredCache } from '../storage/definitions.ts';
import { checkDiskSpace } from '../storage/disk-space.ts';
import {
  addFeedColumns,
  clearRecorded,
  feedColumnCount,
  feedWidth,
  identifyFeedFile,
  recordChanges,
  recordEvent,
  stopRecording,
} from '../storage/feed-tables.ts';
import { writeSetting } from '../storage/settings.ts';
import type { CacheHandle } from './cache-registry.ts';
import { countFromZero, createTable, dropTables } from './cache-table.ts';
import { contradictionOf, convertUnfit, redeclareCache } from './declared-caches.ts';
import { DestroyedCaches } from './destroyed-caches.ts';
import { DroppedTables } from './dropped-tables.ts';
import { SpareTables } from './spare-tables.ts';
import { stageCache, swapCache } from './staged-cache.ts';
import { changedEntity, needsConversion, storedOf } from './stored-caches.ts';
import type {
  PlannedColumns,
  PlannedConversion,
  PlannedIndex,
  RemovedIndex,
  StagedCache,
  StructureChanges,
} from './structure-changes.ts';
import { type StructureOptions, transactDefinition } from './structure-options.ts';
import { Tables } from './tables.ts';

type RequestOf<N extends keyof StructureChanges> = StructureChanges[N]['request'];

/** This thread adds columns to an empty table if their number times the resulting number of columns is at most this. */
const COLUMNS_AT_ONCE = 500;

/** How long columns are added to the change feed in one step, in ms. Adding one can take longer. */
const WIDENING_MS = 2;

export class Structure {
  readonly #options: StructureOptions;
  readonly #tables: Tables;
  readonly #spares: SpareTables;
  readonly #dropped: DroppedTables;
  readonly #destroyed: DestroyedCaches;
  /** The databases of staged tables by id. */
  readonly #staged = new Map<number, number>();

  constructor(options: StructureOptions) {
    this.#options = options;
    this.#spares = new SpareTables(options.connections);
    this.#destroyed = new DestroyedCaches(options.shared);
    this.#dropped = new DroppedTables(options, (id) => this.#destroyed.add(id));
    this.#tables = new Tables(options, {
      create: (definition) => this.#create(definition),
      drop: (handle) => this.#drop(handle),
    });
  }

  createCache({ name, request, isDry }: RequestOf<'createCache'>): boolean {
    const { shared, registry, rules } = this.#options;
    if (shared.isInactive()) throw gridError('INACTIVE');
    if (registry.find(name)) return false;
    if (!shared.isActive()) throw gridError('READ_ONLY', 'start cache operation', name);
    const definition = rules.fromRequest(name, request, registry.existing());
    if (isDry !== true) this.#create(definition);
    return true;
  }

  defineCache({ definition }: RequestOf<'defineCache'>): boolean {
    const { shared, registry } = this.#options;
    if (shared.isInactive()) throw gridError('INACTIVE');
    if (registry.find(definition.name)) return false;
    if (!shared.isActive()) throw gridError('READ_ONLY', 'start cache operation', definition.name);
    this.#create(definition);
    return true;
  }

  /**
   * Creates the configured caches and the default cache if they do not exist, in any state, and changes those that the
   * configuration declares differently. Throws CACHE_DECLARED_OTHERWISE for changes that the entries prevent. Returns
   * log messages about entries that do not fit.
   */
  declare(declarations: readonly CacheDeclaration[]): readonly string[] {
    const { registry, rules, defaultCache } = this.#options;
    const all = declarations.some(({ name }) => name === defaultCache)
      ? declarations
      : [...declarations, { name: defaultCache, schema: 'PUBLIC' }];
    const unfit = [...registry.all()].flatMap((handle) => convertUnfit(this.#options, handle));
    for (const declaration of all) {
      const handle = registry.find(declaration.name);
      if (handle === undefined) this.#create(rules.fromDeclaration(declaration, registry.existing()));
      else if (declarations.includes(declaration)) unfit.push(...this.#redeclare(handle, declaration));
    }
    return unfit;
  }

  /** Changes an existing cache to match the configuration. A cache without entries is recreated. */
  #redeclare(handle: CacheHandle, declaration: CacheDeclaration): readonly string[] {
    const { registry, rules } = this.#options;
    const { name } = declaration;
    const others = [...registry.existing()].filter((each) => each.name !== name);
    const declared = rules.redeclared(declaration, others);
    const contradiction = contradictionOf(handle.definition, declared);
    let unfit: readonly string[] = [];
    if (contradiction === undefined) unfit = redeclareCache(this.#options, handle, declared);
    else if (this.#hasEntries(handle)) {
      const { what, stored, declared: wanted } = contradiction;
      throw gridError('CACHE_DECLARED_OTHERWISE', name, what, stored, wanted);
    } else {
      this.#drop(handle);
      this.#create(declared);
    }
    const isRecorded = declaration.changeFeed ?? declared.changeFeed;
    if (isRecorded === undefined || !this.#options.shared.isActive()) return unfit;
    while (!this.recordCache({ name, isRecorded }));
    return unfit;
  }

  destroyCache({ name }: RequestOf<'destroyCache'>): undefined {
    const { shared, registry, releaseStatements, defaultCache } = this.#options;
    if (shared.isInactive()) throw gridError('INACTIVE');
    if (!shared.isActive()) throw gridError('READ_ONLY', 'dynamic destroy cache operation', name);
    const handle = registry.find(name);
    if (!handle) return undefined;
    releaseStatements(handle);
    if (name === defaultCache) {
      this.#empty(handle);
      return undefined;
    }
    this.#drop(handle);
    return undefined;
  }

  stageCache(request: RequestOf<'stageCache'>): StagedCache {
    const staged = stageCache(this.#options, request);
    this.#staged.set(staged.id, this.#options.registry.require(request.name).database);
    return staged;
  }

  swapCache(request: RequestOf<'swapCache'>): boolean {
    const former = this.#options.registry.require(request.name).id;
    const isSwapped = swapCache(this.#options, request);
    if (isSwapped) {
      this.#destroyed.add(former);
      this.#staged.delete(request.staged.id);
    }
    return isSwapped;
  }

  dropStaged({ id: only }: RequestOf<'dropStaged'>): undefined {
    for (const [id, database] of this.#staged) {
      if (only !== null && only !== id) continue;
      this.#staged.delete(id);
      this.#dropped.addStaged({ id, database });
    }
    return undefined;
  }

  /** Runs a DDL statement. Returns false if entries must be converted first. */
  runDdl({ statement, schema, builtIndex }: RequestOf<'runDdl'>): boolean {
    return this.#tables.run(statement, schema, builtIndex);
  }

  previewDdl({ statement, schema }: RequestOf<'previewDdl'>): readonly DefinitionChange[] {
    const changes: DefinitionChange[] = [];
    const create = (definition: CacheDefinition): void => void this.#checkCreation(definition);
    const tables = new Tables(this.#options, { create, drop() {} }, changes);
    if (statement.kind === 'createIndex') checkDiskSpace(this.#options.shared);
    if (statement.kind === 'dropIndex') tables.removeIndex(statement, schema);
    else tables.run(statement, schema);
    return changes;
  }

  /**
   * Another thread adds the columns before the statement runs. For each of them, SQLite checks all rows of the table,
   * and reads the table's definition again.
   */
  planColumns({ statement, schema }: RequestOf<'planColumns'>): PlannedColumns | undefined {
    let planned: PlannedColumns | undefined;
    const plan = (handle: CacheHandle, stored: StoredCache): void => {
      const { database, table, nextColumn: from } = handle;
      const { nextColumn: to } = stored;
      const feedFields = this.#feedFields(database, stored);
      const conversion = this.#planConversion(handle, stored);
      const isQuick = (to - from) * to <= COLUMNS_AT_ONCE && conversion === undefined;
      if (conversion !== undefined || (from < to && (feedFields > 0 || !isQuick))) {
        planned = { database, table, from, to, feedFields, ...(conversion && { conversion }) };
      }
    };
    const create = (definition: CacheDefinition): void => {
      const database = this.#checkCreation(definition);
      const feedFields = this.#feedFields(database, place(0, 0, 0, definition));
      if (feedFields > 0) planned = { database, table: '', from: 0, to: 0, feedFields };
    };
    new Tables(this.#options, { create, drop() {} }, [], plan).run(statement, schema);
    if (planned !== undefined) checkDiskSpace(this.#options.shared);
    return planned;
  }

  /** Returns the number of fields for which a cache needs columns in the change feed, or 0 if it has enough. */
  #feedFields(number: number, cache: Pick<StoredCache, 'definition' | 'fields'>): number {
    const file = this.#options.connections.find(number);
    if (cache.definition.changeFeed !== true || file === undefined) return 0;
    const count = feedColumnCount(cache);
    return count > feedWidth(file) ? count : 0;
  }

  /** Plans the conversion of a cache with entries that gets an entity or fields. Stores the names of its types. */
  #planConversion(handle: CacheHandle, stored: StoredCache): PlannedConversion | undefined {
    if (!needsConversion(this.#options, handle, stored)) return undefined;
    const entity = changedEntity(handle, stored);
    let version = 0;
    transactDefinition(this.#options, stored.definition, (database) => {
      const row = database.query<{ version: bigint }, [number]>('SELECT version FROM caches WHERE id = ?');
      version = Number(row.get(handle.id)?.version);
    });
    this.#options.log('info', `Converting the entries of the cache ${handle.definition.name}`);
    const definition = encodeDefinition(stored);
    return { cache: handle.definition.name, version, valueType: entity.valueType, definition };
  }

  planIndex({ statement, schema }: RequestOf<'planIndex'>): PlannedIndex | undefined {
    checkDiskSpace(this.#options.shared);
    return this.#tables.planIndex(statement, schema);
  }

  removeIndex({ statement, schema }: RequestOf<'removeIndex'>): RemovedIndex | undefined {
    return this.#tables.removeIndex(statement, schema);
  }

  setState({ state, force }: RequestOf<'setState'>): undefined {
    const { shared, connections, releaseStatements } = this.#options;
    const current = shared.clusterState;
    if (current === state) return undefined;
    if (state === 'INACTIVE' && !force) this.#checkLoss();
    connections.data.transact((database) => writeSetting(database, 'clusterState', state));
    if (current === 'INACTIVE') this.openTemporary();
    shared.clusterState = state;
    if (state === 'INACTIVE') {
      releaseStatements();
      this.#options.onRegionsEnd();
      this.#dropped.regionsEnded();
      for (const [id, database] of this.#staged) if (database !== DATA_DATABASE) this.#staged.delete(id);
      connections.closeTemporary();
      shared.advanceEpoch();
    }
    return undefined;
  }

  /** Opens the files of non-persistent regions, with empty tables for caches that were not restored. */
  openTemporary(): void {
    const { connections, registry } = this.#options;
    connections.openTemporary((database, number) => {
      const tables = database.query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
      const restored = new Set(tables.map(({ name }) => name));
      for (const cache of registry.all()) {
        if (cache.database !== number || restored.has(cache.table)) continue;
        createTable(database, cache);
        record(database, cache, 'cacheCreated');
      }
      identifyFeedFile(database, true);
    });
  }

  /** Removes some of the remains of destroyed caches. Returns false if nothing is left to do. */
  removeDropped(): boolean {
    const { shared, registry } = this.#options;
    return !shared.isInactive() && this.#dropped.removePart(registry.count());
  }

  #drop(handle: CacheHandle): void {
    const { shared, registry, releaseStatements, connections } = this.#options;
    releaseStatements(handle);
    const isSmall = this.#dropped.isSmall(handle, registry.count());
    connections.data.transact((database) => {
      database
        .query('UPDATE caches SET live = 0, version = (SELECT max(version) + 1 FROM caches) WHERE id = ?')
        .run(handle.id);
      if (handle.database === DATA_DATABASE) {
        recordDestroyed(database, handle);
        if (isSmall) dropTables(database, [handle.id]);
      }
      this.#destroyed.removeOldest(database);
    });
    shared.definitionsChanged();
    if (!isSmall) this.#dropped.add(handle);
    if (handle.database !== DATA_DATABASE && (isSmall || handle.definition.changeFeed === true)) {
      connections.get(handle.database).transact((database) => {
        recordDestroyed(database, handle);
        if (isSmall) dropTables(database, [handle.id]);
      });
    }
    if (isSmall) this.#destroyed.add(handle.id);
  }

  /**
   * Starts or stops recording a cache's changes. Returns false if it has only added some of the columns that the feed
   * needs: adding all of them in one step can take long.
   */
  recordCache({ name, isRecorded }: RequestOf<'recordCache'>): boolean {
    const { connections, shared, registry, clock } = this.#options;
    if (shared.isInactive()) throw gridError('INACTIVE');
    if (!shared.isActive()) throw gridError('READ_ONLY', 'cache operation', name);
    const handle = registry.require(name);
    if ((handle.definition.changeFeed === true) === isRecorded) return true;
    if (isRecorded) checkDiskSpace(shared);
    const target = connections.get(handle.database);
    const count = isRecorded ? feedColumnCount(handle) : 0;
    if (feedWidth(target) < count) {
      const endMs = clock.monotonicMs() + WIDENING_MS;
      target.transact(() => addFeedColumns(target, count, () => clock.monotonicMs() < endMs));
      return false;
    }
    const { changeFeed: _, ...definition } = handle.definition;
    const stored: StoredCache = {
      ...storedOf(handle),
      definition: isRecorded ? { ...definition, changeFeed: true } : definition,
    };
    this.#options.releaseStatements(handle);
    connections.data.transact((database) => {
      database
        .query('UPDATE caches SET definition = ?, version = (SELECT max(version) + 1 FROM caches) WHERE id = ?')
        .run(encodeDefinition(stored), handle.id);
      const change = (): void => {
        if (isRecorded) recordChanges(target, stored, 'feedStarted');
        else {
          recordEvent(target, handle.id, 'feedEnded');
          stopRecording(target, handle.id);
        }
      };
      if (handle.database === DATA_DATABASE) change();
      else target.transact(change);
    });
    shared.definitionsChanged();
    return true;
  }

  #empty(handle: CacheHandle): void {
    const { connections, metrics } = this.#options;
    connections.get(handle.database).transact((database) => {
      const remove = () => database.run(`DELETE FROM ${handle.table}`);
      if (handle.definition.changeFeed === true) clearRecorded({ database, prefix: '' }, handle, remove);
      else remove();
      database.run('UPDATE entry_counts SET entries = 0 WHERE cache = ?', [handle.id]);
    });
    metrics.reset(handle.slot);
  }

  /** Returns the database number for a new cache. */
  #checkCreation({ region }: CacheDefinition): number {
    checkDiskSpace(this.#options.shared);
    return databaseOf(this.#options.connections.files, region);
  }

  #create(definition: CacheDefinition): void {
    const { connections, shared, metrics, registry, clock } = this.#options;
    const number = this.#checkCreation(definition);
    const slot = registry.freeSlot();
    const createdMs = Math.floor(clock.nowMs());
    const spare = number === DATA_DATABASE ? this.#spares.take(definition, registry.count()) : undefined;
    try {
      transactDefinition(this.#options, definition, (database) => {
        if (spare !== undefined) {
          const cache = place(spare, slot, createdMs, definition);
          claimSpare(database, cache);
          record(database, cache, 'cacheCreated');
          return;
        }
        const cache = insertCache(database, definition, slot, createdMs);
        const create = (file: Database): void => {
          createTable(file, cache);
          record(file, cache, 'cacheCreated');
        };
        if (number === DATA_DATABASE) create(database);
        else connections.find(number)?.transact(create);
      });
    } catch (error) {
      if (spare !== undefined) this.#spares.putBack(definition, spare);
      throw error;
    }
    metrics.reset(slot);
    shared.definitionsChanged();
  }

  #checkLoss(): void {
    const { registry } = this.#options;
    const lost: string[] = [];
    for (const handle of registry.all()) {
      if (handle.database !== DATA_DATABASE && this.#hasEntries(handle)) lost.push(handle.definition.name);
    }
    if (lost.length > 0) throw gridError('DEACTIVATION_STOPPED', lost);
  }

  /** Reports whether a cache has entries that have not expired. One whose file is gone has none. */
  #hasEntries({ database, table }: CacheHandle): boolean {
    const { connections, clock } = this.#options;
    const live = connections
      .find(database)
      ?.database.query(`SELECT 1 FROM ${table} WHERE exp IS NULL OR exp > ? LIMIT 1`)
      .get(clock.nowMs());
    return live !== undefined && live !== null;
  }
}

/** Records a new cache's changes, if its definition says so. */
function record(database: Database, cache: StoredCache, operation: 'cacheCreated'): void {
  if (cache.definition.changeFeed === true) recordChanges({ database, prefix: '' }, cache, operation);
}

/** Records the end of a cache. Its rows may be removed later, which is not a change. */
function recordDestroyed(database: Database, { id, definition }: CacheHandle): void {
  if (definition.changeFeed !== true) return;
  const target = { database, prefix: '' };
  recordEvent(target, id, 'cacheDestroyed');
  stopRecording(target, id);
}

function insertCache(database: Database, definition: CacheDefinition, slot: number, createdMs: number): StoredCache {
  const inserted = database
    .query<{ id: bigint }, [string, number, number]>(
      `INSERT INTO caches (name, slot, created, version, live, definition)
      SELECT ?, ?, ?, coalesce(max(version), 0) + 1, 1, '' FROM caches RETURNING id`,
    )
    .get(definition.name, slot, createdMs);
  const cache = place(Number(inserted?.id), slot, createdMs, definition);
  database.query('UPDATE caches SET definition = ? WHERE id = ?').run(encodeDefinition(cache), cache.id);
  return cache;
}

/** Makes a spare table a cache's table. */
function claimSpare(database: Database, cache: StoredCache): void {
  database
    .query(
      `UPDATE caches SET name = ?, slot = ?, created = ?, live = 1, definition = ?,
        version = (SELECT max(version) + 1 FROM caches) WHERE id = ?`,
    )
    .run(cache.definition.name, cache.slot, cache.createdMs, encodeDefinition(cache), cache.id);
  countFromZero(database, cache.id);
}
