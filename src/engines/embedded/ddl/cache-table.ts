/** Creates a cache's entry table (ARCHITECTURE.md) and its indexes. */
import type { Database } from 'bun:sqlite';
import { SQL_BOUNDS } from '../../../base/limits.ts';
import type { EntityIndex, EntryIndex, QueryEntity } from '../../../grid/grid.ts';
import { createDeadlineIndex } from '../storage/deadline-index.ts';
import { indexName, NO_ENTITY, placesOf, type StoredCache, tableName } from '../storage/definitions.ts';
import { ddlFailure } from './ddl-failures.ts';

/** Throws SQL if a cache's entities need more than `most` columns. */
export function checkColumnCount({ nextColumn }: Pick<StoredCache, 'nextColumn'>, most: number): void {
  if (nextColumn - 1 > most) throw ddlFailure('TABLE_COLUMNS', most);
}

export function createTable(database: Database, cache: StoredCache): void {
  checkColumnCount(cache, SQL_BOUNDS.cacheColumns);
  const columns = cache.fields.flatMap(({ place }) => (typeof place === 'number' ? [place] : []));
  createEntryTable(database, cache.id, columns, cache.definition.ttlMs !== undefined);
  for (const entity of cache.definition.entities) {
    createKeyIndex(database, cache, entity);
    for (const index of entity.indexes ?? []) createIndex(database, cache, entity, index);
  }
  for (const index of cache.definition.entryIndexes ?? []) createEntryIndex(database, cache, index);
  countFromZero(database, cache.id);
}

/** Creates the entry table with an id, with columns for fields, and the index of deadlines if it will have any. */
export function createEntryTable(
  database: Database,
  id: number,
  columns: readonly number[],
  hasDeadlines: boolean,
): void {
  const table = tableName(id);
  const fields = columns.map((column) => `,f${column} ANY`).join('');
  // Kept short: each change of SQLite's schema reads the pages with the definitions of all tables. A key is never NULL.
  database.run(
    `CREATE TABLE ${table}(kt INT,k ANY,vt INT NOT NULL,v ANY,exp INT${fields},PRIMARY KEY(k,kt))STRICT,WITHOUT ROWID`,
  );
  if (hasDeadlines) createDeadlineIndex({ database, prefix: '' }, table);
}

/**
 * Adds columns to an entry table, from the number `from` up to but not including `to`, while `goesOn` returns true.
 * Skips existing ones, which an interrupted statement may have left. Returns the number of the next column, or `to` if
 * there is no such table.
 */
export function addEntryColumns(
  database: Database,
  table: string,
  { from, to }: { readonly from: number; readonly to: number },
  goesOn: () => boolean = () => true,
): number {
  const names = database.query<{ name: string }, [string]>('SELECT name FROM pragma_table_info(?)').all(table);
  if (names.length === 0) return to;
  const known = new Set(names.map(({ name }) => name));
  for (let number = from; number < to; number++) {
    if (number > from && !goesOn()) return number;
    if (!known.has(`f${number}`)) database.run(`ALTER TABLE ${table} ADD COLUMN f${number} ANY`);
  }
  return to;
}

/** Stores a new, empty table's number of entries. */
export function countFromZero(database: Database, id: number): void {
  database.run('INSERT OR REPLACE INTO entry_counts VALUES (?, 0)', [id]);
}

/** Whether a cache's table has indexes besides the deadline index. */
export function needsIndexes(cache: StoredCache): boolean {
  return cache.indexes.length > 0 || cache.definition.entities.some((each) => keyColumns(cache, each).length > 1);
}

/** Drops the tables of caches. */
export function dropTables(database: Database, ids: readonly number[]): void {
  database.run(`DELETE FROM entry_counts WHERE cache IN (${ids.join()})`);
  for (const id of ids) database.run(`DROP TABLE IF EXISTS ${tableName(id)}`);
}

/**
 * Creates the index of a composite key. `k` only finds whole keys; with this index, joins on the first key columns also
 * find rows. A key of one column needs none.
 */
export function createKeyIndex(database: Database, cache: StoredCache, entity: QueryEntity, prefix = ''): void {
  const columns = keyColumns(cache, entity);
  if (columns.length < 2) return;
  const table = tableName(cache.id);
  database.run(
    `CREATE INDEX IF NOT EXISTS ${prefix}${table}_key_${columns.join('_')} ON ${table} (${columns.join(', ')})`,
  );
}

/** Returns the columns of a key's fields. */
function keyColumns(cache: StoredCache, entity: QueryEntity): string[] {
  const places = placesOf(cache.fields, entity);
  return (entity.keyFields ?? []).flatMap((field) => {
    const place = places.get(field);
    return typeof place === 'number' ? [`f${place}`] : [];
  });
}

/** Creates an index of an entity under its name in `cache.indexes`. */
export function createIndex(database: Database, cache: StoredCache, entity: QueryEntity, index: EntityIndex): void {
  const name = indexName(entity, index);
  const placed = cache.indexes.find((each) => each.entity === entity.valueType && each.name === name);
  if (!placed) throw new Error(`index ${name} has no place`);
  const columns = indexColumns(cache.fields, entity, index);
  const unique = index.unique ? 'UNIQUE ' : '';
  database.run(`CREATE ${unique}INDEX ${placed.sqliteName} ON ${tableName(cache.id)} (${columns})`);
}

function createEntryIndex(database: Database, cache: StoredCache, { name, descending }: EntryIndex): void {
  const placed = cache.indexes.find((each) => each.entity === NO_ENTITY && each.name === name);
  const field = cache.fields.find((each) => each.path !== undefined && each.field === name);
  if (placed === undefined || typeof field?.place !== 'number') throw new Error(`index ${name} has no place`);
  database.run(entryIndexSql(placed.sqliteName, tableName(cache.id), field.place, descending === true));
}

/** Returns SQLite's statement that creates the index on a path's column. */
export function entryIndexSql(name: string, table: string, column: number, descending: boolean): string {
  return `CREATE INDEX ${name} ON ${table} (f${column}${descending ? ' DESC' : ''}, exp)`;
}

/** Types of the columns that indexes include: they are small and save looking up the row. */
const INCLUDED = new Set<string>(['boolean', 'byte', 'short', 'integer', 'long', 'float', 'double', 'decimal', 'date']);
/** Maximum number of included columns. More would enlarge the index more than they save. */
const MAX_INCLUDED = 4;

/**
 * Returns the columns of an index in the file. After the declared columns it includes the columns that every statement
 * needs (type and deadline) and the first small columns of the table: counts and sums over a range of the index then
 * read no row. A unique index cannot include any.
 */
export function indexColumns(fields: StoredCache['fields'], entity: QueryEntity, index: EntityIndex): string {
  const places = placesOf(fields, entity);
  const storageValueOf = (field: string): string => columnOf(places.get(field), field);
  const declared = index.fields.map(({ name }) => storageValueOf(name));
  const terms = index.fields.map(({ name, descending }) => `${storageValueOf(name)}${descending ? ' DESC' : ''}`);
  if (index.unique) return terms.join(', ');
  const included = entity.fields
    .filter(({ type }) => type.kind === 'scalar' && INCLUDED.has(type.type))
    .map(({ name }) => storageValueOf(name))
    .filter((storageValue) => storageValue !== 'k' && !declared.includes(storageValue));
  return [...terms, 'vt', 'exp', ...included.slice(0, MAX_INCLUDED)].join(', ');
}

function columnOf(place: 'key' | 'value' | number | undefined, field: string): string {
  if (place === 'key' || field === '_KEY') return 'k';
  if (place === 'value' || field === '_VAL') return 'v';
  if (place === undefined) throw new Error(`field ${field} has no place`);
  return `f${place}`;
}
