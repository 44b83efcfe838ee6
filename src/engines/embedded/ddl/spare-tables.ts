/**
 * Entry tables created in advance. SQLite reads the definitions of all tables again on every connection after each
 * CREATE TABLE, and searches all of them to add one. With many caches, tables are therefore created many at a time, and
 * a new cache takes one of them, which changes one row. A spare table has a row in `caches` that is not live, so it
 * survives a restart. bench/RESULTS-SCALE.md shows what a table costs without them.
 */
import { place, type StoredCache } from '../storage/definitions.ts';
import type { WriteConnections } from '../storage/write-connections.ts';
import { createEntryTable, needsIndexes } from './cache-table.ts';

/** The value of `live` for a spare table; 0 is a destroyed or staged cache, 1 a cache. */
const SPARE = 2;
/** With fewer caches, creating a table takes less time than a request. */
const MIN_CACHES = 128;
/** Spare tables created in one step: a fraction of the caches, because the shared cost grows with their number. */
const CACHES_PER_SPARE = 32;
const MAX_AT_ONCE = 64;
/** Tables with more columns are created one by one: each takes long, both to create and for each connection to read. */
const MAX_COLUMNS = 64;
/** Added to a spare table's number of columns if it has the deadline index. */
const WITH_DEADLINES = 1_000;

/** Returns how many tables to create or drop in one step, given the number of caches. */
export function tablesAtOnce(caches: number): number {
  return caches < MIN_CACHES ? 1 : Math.min(MAX_AT_ONCE, Math.floor(caches / CACHES_PER_SPARE));
}

export class SpareTables {
  readonly #connections: WriteConnections;
  /** Ids by kind of table, or undefined until read. */
  #ids: Map<number, number[]> | undefined;

  constructor(connections: WriteConnections) {
    this.#connections = connections;
  }

  /**
   * Returns the id of a spare table for a cache, creating spare tables if none is left. Returns undefined if the cache
   * needs a new table: with few caches, and for tables with indexes or many columns.
   */
  take(definition: StoredCache['definition'], caches: number): number | undefined {
    if (caches < MIN_CACHES) return undefined;
    const cache = place(0, 0, 0, definition);
    if (needsIndexes(cache)) return undefined;
    if (cache.nextColumn - 1 > MAX_COLUMNS) return undefined;
    const kind = kindOf(definition);
    const ids = this.#of(kind);
    if (ids.length === 0) this.#fill(kind, tablesAtOnce(caches), ids);
    return ids.shift();
  }

  /** Keeps a table whose cache could not be created. */
  putBack(definition: StoredCache['definition'], id: number): void {
    this.#of(kindOf(definition)).unshift(id);
  }

  #of(kind: number): number[] {
    this.#ids ??= this.#read();
    let ids = this.#ids.get(kind);
    if (ids === undefined) {
      ids = [];
      this.#ids.set(kind, ids);
    }
    return ids;
  }

  #read(): Map<number, number[]> {
    const found = new Map<number, number[]>();
    const rows = this.#connections.data.database
      .query<{ id: bigint; slot: bigint }, [number]>('SELECT id, slot FROM caches WHERE live = ? ORDER BY id')
      .all(SPARE);
    for (const { id, slot } of rows) found.set(Number(slot), [...(found.get(Number(slot)) ?? []), Number(id)]);
    return found;
  }

  #fill(kind: number, count: number, ids: number[]): void {
    const hasDeadlines = kind >= WITH_DEADLINES;
    const length = hasDeadlines ? kind - WITH_DEADLINES : kind;
    const columns = Array.from({ length }, (_, index) => index + 1);
    const created = this.#connections.data.transact((database) => {
      // Until a cache takes the table, `slot` is its kind.
      const insert = database.query<{ id: bigint }, [number, number]>(
        `INSERT INTO caches (name, slot, created, version, live, definition) VALUES ('', ?, 0, 0, ?, '') RETURNING id`,
      );
      // All rows first: SQLite prepares the statement again after each change of its schema.
      const inserted = Array.from({ length: count }, () => Number(insert.get(kind, SPARE)?.id));
      for (const id of inserted) createEntryTable(database, id, columns, hasDeadlines);
      return inserted;
    });
    ids.push(...created);
  }
}

/** Returns the kind of a cache's table: the number of its columns, and whether it has the index of deadlines. */
function kindOf(definition: StoredCache['definition']): number {
  const columns = place(0, 0, 0, definition).nextColumn - 1;
  return definition.ttlMs === undefined ? columns : columns + WITH_DEADLINES;
}
