/**
 * The tables of destroyed caches. Dropping one takes time proportional to its pages and, as every change of SQLite's
 * schema, to the number of all tables. So a table is emptied a few rows at a time between clients' changes, and empty
 * tables are dropped many at a time. The next startup drops the rest.
 */
import type { Database } from 'bun:sqlite';
import type { Clock } from '../../../base/clock.ts';
import { DATA_DATABASE } from '../storage/databases.ts';
import { tableName } from '../storage/definitions.ts';
import type { WriteConnections } from '../storage/write-connections.ts';
import type { CacheHandle } from './cache-registry.ts';
import { dropTables } from './cache-table.ts';
import { tablesAtOnce } from './spare-tables.ts';

/** Time after which a part of the rows commits, because clients' changes wait in the meantime. */
const PART_MS = 2;
const ROWS_PER_STATEMENT = 256;
/** A table with at most this many rows is dropped immediately while there are few caches. */
const FEW_ROWS = 2_000;

interface DroppedTable {
  readonly id: number;
  /** Number of its database. */
  readonly database: number;
}

interface DroppedTablesOptions {
  readonly connections: WriteConnections;
  readonly clock: Clock;
}

export class DroppedTables {
  readonly #connections: WriteConnections;
  readonly #clock: Clock;
  readonly #onDropped: (id: number) => void;
  #filled: DroppedTable[] = [];
  #empty: DroppedTable[] = [];

  /** `onDropped` is called with the id of each cache whose table is gone. */
  constructor({ connections, clock }: DroppedTablesOptions, onDropped: (id: number) => void) {
    this.#connections = connections;
    this.#clock = clock;
    this.#onDropped = onDropped;
  }

  /** Whether to drop a cache's table immediately, given the number of caches. */
  isSmall({ id, database }: CacheHandle, caches: number): boolean {
    return tablesAtOnce(caches) === 1 && this.#rowsOf({ id, database }) <= FEW_ROWS;
  }

  /** Adds the table of a destroyed cache. */
  add({ id, database }: CacheHandle): void {
    // Even removing no rows takes a transaction.
    const tables = this.#rowsOf({ id, database }) === 0 ? this.#empty : this.#filled;
    tables.push({ id, database });
  }

  /** Adds a table whose rows were not counted. */
  addStaged(table: DroppedTable): void {
    this.#filled.push(table);
  }

  #rowsOf({ id, database }: DroppedTable): number {
    const counts = this.#connections
      .get(database)
      .database.query<{ entries: bigint }, [number]>('SELECT entries FROM entry_counts WHERE cache = ?')
      .get(id);
    return Number(counts?.entries ?? 0n);
  }

  /** Forgets the tables of non-persistent regions, whose files are removed. */
  regionsEnded(): void {
    const persists = ({ database }: DroppedTable): boolean => database === DATA_DATABASE;
    for (const each of [...this.#filled, ...this.#empty]) if (!persists(each)) this.#onDropped(each.id);
    this.#filled = this.#filled.filter(persists);
    this.#empty = this.#empty.filter(persists);
  }

  /**
   * Removes some rows or, if many tables are empty relative to the number of caches, those tables. Returns false if
   * nothing is left to do.
   */
  removePart(caches: number): boolean {
    const [first] = this.#filled;
    if (first === undefined) {
      const atOnce = tablesAtOnce(caches);
      if (this.#empty.length < atOnce) return false;
      this.#drop(this.#empty.splice(0, atOnce));
      return true;
    }
    const connection = this.#connections.get(first.database);
    const isEmpty = connection.transact((database) => this.#empties(database, first));
    if (isEmpty) {
      this.#filled.shift();
      this.#empty.push(first);
    }
    return true;
  }

  /** Removes rows for a limited time. Returns true when none is left. */
  #empties(database: Database, { id }: DroppedTable): boolean {
    const table = tableName(id);
    using remove = database.prepare(
      `DELETE FROM ${table} WHERE (k, kt) IN (SELECT k, kt FROM ${table} LIMIT ${ROWS_PER_STATEMENT})`,
    );
    const endMs = this.#clock.monotonicMs() + PART_MS;
    do {
      if (remove.run().changes < ROWS_PER_STATEMENT) return true;
    } while (this.#clock.monotonicMs() < endMs);
    return false;
  }

  #drop(dropped: readonly DroppedTable[]): void {
    for (const number of new Set(dropped.map(({ database }) => database))) {
      this.#connections.get(number).transact((database) => {
        dropTables(
          database,
          dropped.filter((each) => each.database === number).map(({ id }) => id),
        );
      });
    }
    for (const { id } of dropped) this.#onDropped(id);
  }
}
