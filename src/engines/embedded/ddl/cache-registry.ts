/**
 * The caches as a thread knows them. When the version in shared memory changes, the registry reads the rows of the
 * table `caches` with a higher version: every change of a definition increments it, and a destroyed cache keeps its row
 * until the next startup, or until many others are destroyed.
 */
import type { Database } from 'bun:sqlite';
import { type ExistingCaches, missingCache } from '../../../grid/cache-rules.ts';
import { entityOfType } from '../../../grid/entity-types.ts';
import type { CacheDefinition, QueryEntity } from '../../../grid/grid.ts';
import { namedTables } from '../../../grid/table-names.ts';
import { databaseOf, prepare, type ReadConnections } from '../storage/databases.ts';
import { decodeDefinition, type StoredCache, tableName } from '../storage/definitions.ts';
import { codecOf } from '../storage/row-codec.ts';
import type { SharedState } from '../storage/shared-state.ts';
import { reading } from '../storage/storage-failures.ts';
import type { TypeNames, ValueCodec } from '../storage/value-storage.ts';
import { PUBLIC_SCHEMA, schemaOf } from './sql-names.ts';
import { type IndexedTable, TableIndex } from './table-index.ts';

/** A cache as operations use it. A changed or recreated cache has a new handle. */
export interface CacheHandle extends StoredCache {
  readonly table: string;
  /** The schema of its tables, and of unqualified names in statements over it. */
  readonly schema: string;
  /** Number of its database. */
  readonly database: number;
  readonly codec: ValueCodec;
}

/** A table of a cache as statements find it. */
export type FoundTable = IndexedTable<CacheHandle>;

interface CacheRow {
  readonly id: bigint;
  readonly name: string;
  readonly slot: bigint;
  readonly created: bigint;
  readonly version: bigint;
  readonly live: bigint;
  readonly definition: string;
}

const CHANGED =
  'SELECT id, name, slot, created, version, live, definition FROM caches WHERE version > ? ORDER BY version';

export class CacheRegistry {
  readonly #reads: ReadConnections;
  readonly #shared: SharedState;
  readonly #names: TypeNames;
  readonly #caches = new Map<string, CacheHandle>();
  readonly #tables = new TableIndex<CacheHandle>();
  readonly #slots = new Set<number>();
  /** All slots below this number are taken. */
  #fullSlots = 0;
  /** In order of creation, or undefined until all of them are needed. */
  #sorted: readonly CacheHandle[] | undefined;
  readonly #recorded = new Set<CacheHandle>();
  /** Entities by type name and by type name in lower case, or undefined until needed. */
  #types: ReadonlyMap<string, QueryEntity> | undefined;
  #sharedVersion = -1;
  #lastVersion = -1n;

  constructor(reads: ReadConnections, shared: SharedState, names: TypeNames) {
    this.#reads = reads;
    this.#shared = shared;
    this.#names = names;
  }

  find(name: string): CacheHandle | undefined {
    this.#refresh();
    return this.#caches.get(name);
  }

  /** Returns the cache. Throws CACHE_NOT_FOUND and CACHE_IS_SYSTEM. */
  require(name: string): CacheHandle {
    const handle = this.find(name);
    if (!handle) throw missingCache(name, this.cacheOfTable(name));
    return handle;
  }

  /** Returns the cache of the table that a written name means, for errors, or undefined if it means none. */
  cacheOfTable(written: string): string | undefined {
    for (const { schema = PUBLIC_SCHEMA, name } of namedTables(written)) {
      const found = this.findTables(schema, name).at(-1);
      if (found !== undefined) return found.handle.definition.name;
    }
    return undefined;
  }

  /** Returns how many entries of all caches did not fit their tables at startup. */
  unfitEntries(): number {
    const counts = this.all().flatMap(({ unfit = {} }) => Object.values(unfit));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** Returns all caches in order of creation. */
  all(): readonly CacheHandle[] {
    this.#refresh();
    this.#sorted ??= [...this.#caches.values()].sort(byCreation);
    return this.#sorted;
  }

  /** Returns the number of caches. */
  count(): number {
    this.#refresh();
    return this.#caches.size;
  }

  /** Returns the caches whose changes are recorded. */
  recorded(): Iterable<CacheHandle> {
    this.#refresh();
    return this.#recorded;
  }

  definitions(): CacheDefinition[] {
    return this.all().map((each) => each.definition);
  }

  /** Returns all caches for the rules, which rarely need more than their number. */
  existing(): ExistingCaches {
    return { length: this.count(), [Symbol.iterator]: () => this.definitions()[Symbol.iterator]() };
  }

  /** Returns the schema's tables with that name: one, unless declarations give two caches the same table. */
  findTables(schema: string, name: string): readonly FoundTable[] {
    return this.#current().find(schema, name);
  }

  /** Whether a cache has the schema, with or without tables. */
  hasSchema(schema: string): boolean {
    return this.#current().hasSchema(schema);
  }

  /** Returns the schemas with tables. */
  schemas(): Iterable<string> {
    return this.#current().schemas();
  }

  /** Returns the lowest unused slot of shared memory. */
  freeSlot(): number {
    this.#current();
    while (this.#slots.has(this.#fullSlots)) this.#fullSlots++;
    return this.#fullSlots;
  }

  #current(): TableIndex<CacheHandle> {
    this.#refresh();
    return this.#tables;
  }

  /** Reads what has changed. */
  #refresh(): void {
    if (this.#sharedVersion !== this.#shared.definitionsVersion()) reading(() => this.#reload());
  }

  /**
   * Returns the entity of a value or key type in a cache, or in any cache if undefined. An exact match takes precedence
   * over one that ignores case.
   */
  findEntity(typeName: string, cache: string | undefined): QueryEntity | undefined {
    const all = this.all();
    if (cache !== undefined) return entityOfType(this.#caches.get(cache)?.definition.entities ?? [], typeName);
    this.#types ??= typesOf(all);
    return this.#types.get(typeName) ?? this.#types.get(typeName.toLowerCase());
  }

  #reload(): void {
    // Loaded before the rows, so that a concurrent change causes another reload.
    const sharedVersion = this.#shared.definitionsVersion();
    const database = this.#reads.latest();
    let isTyped = false;
    const remove = (handle: CacheHandle | undefined): void => {
      if (handle === undefined) return;
      isTyped ||= handle.definition.entities.length > 0;
      this.#sorted = undefined;
      this.#caches.delete(handle.definition.name);
      this.#recorded.delete(handle);
      this.#tables.remove(handle);
      this.#slots.delete(handle.slot);
      this.#fullSlots = Math.min(this.#fullSlots, handle.slot);
    };
    const known = this.#lastVersion;
    const changed = database.query<CacheRow, [bigint]>(CHANGED).all(known);
    // Loaded after the rows: anything they lack is then counted.
    if (known >= 0n && this.#shared.forgottenVersion() > known) {
      const live = liveIds(database);
      for (const handle of [...this.#caches.values()]) if (!live.has(handle.id)) remove(handle);
    }
    for (const row of changed) {
      this.#lastVersion = row.version;
      const id = Number(row.id);
      const former = this.#caches.get(row.name);
      if (row.live === 1n) {
        const handle = this.#handle(row, id);
        remove(former);
        this.#sorted = undefined;
        this.#caches.set(row.name, handle);
        this.#tables.add(handle);
        this.#slots.add(handle.slot);
        if (handle.definition.changeFeed === true) this.#recorded.add(handle);
        isTyped ||= handle.definition.entities.length > 0;
      } else if (former?.id === id) remove(former);
    }
    if (isTyped) this.#types = undefined;
    this.#sharedVersion = sharedVersion;
  }

  #handle(row: CacheRow, id: number): CacheHandle {
    const stored = decodeDefinition(row.definition);
    return {
      ...stored,
      id,
      slot: Number(row.slot),
      createdMs: Number(row.created),
      table: tableName(id),
      schema: schemaOf(stored.definition),
      database: databaseOf(this.#reads.files, stored.definition.region),
      codec: codecOf(stored.definition, stored.fields, this.#names),
    };
  }
}

function liveIds(database: Database): ReadonlySet<number> {
  using statement = prepare<{ id: bigint }>(database, 'SELECT id FROM caches WHERE live = 1');
  return new Set(statement.all().map(({ id }) => Number(id)));
}

/** A spare table's id can be lower than older caches' ids. */
function byCreation(left: CacheHandle, right: CacheHandle): number {
  return left.createdMs - right.createdMs || left.id - right.id;
}

/** Indexes entities by type name and, if it is unused, by the lower-case name. The first cache with a type wins. */
function typesOf(caches: readonly CacheHandle[]): ReadonlyMap<string, QueryEntity> {
  const types = new Map<string, QueryEntity>();
  const entities = caches.flatMap(({ definition }) => definition.entities);
  const add = (name: string, entity: QueryEntity): void => {
    if (!types.has(name)) types.set(name, entity);
  };
  for (const entity of entities) {
    add(entity.valueType, entity);
    add(entity.keyType, entity);
  }
  for (const entity of entities) {
    add(entity.valueType.toLowerCase(), entity);
    add(entity.keyType.toLowerCase(), entity);
  }
  return types;
}
