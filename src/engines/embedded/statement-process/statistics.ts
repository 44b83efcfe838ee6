/**
 * Maintains SQLite's statistics, from which it chooses join orders and indexes. A table is analysed when an index is
 * created on it, on ANALYZE, and when a statement uses it after its row count has changed by a factor.
 */
import type { Database } from 'bun:sqlite';
import { sqlFailure } from '../../../base/sql-errors.ts';
import type { EngineCatalog } from '../catalog/engine-catalog.ts';
import type { CacheHandle } from '../ddl/cache-registry.ts';
import type { StatementGuard } from '../native/statement-guard.ts';
import type { SharedQueryState } from '../shared/shared-query-state.ts';
import { statementFailure } from '../shared/sql-failures.ts';
import type { EntryTable } from '../sql/entry-table.ts';
import { DATA_DATABASE, databasePath, openWithoutCheckpoints, prepare } from '../storage/databases.ts';
import { WriteTransactions, whileLocked } from '../storage/write-transactions.ts';
import type { EngineThread } from '../thread/engine-thread.ts';
import type { StatementWatch } from './statement-watch.ts';

export interface StatisticsOptions {
  readonly thread: EngineThread;
  readonly queryState: SharedQueryState;
  readonly catalog: EngineCatalog;
  /** Interrupts statements inside SQLite; if undefined, they end with their process. */
  readonly guard: StatementGuard | undefined;
  /**
   * Asks the process for changes to analyse a table: a process that reads must not write. If undefined, this
   * thread does it.
   */
  readonly analyzeElsewhere?: ((table: AnalyzedTable) => Promise<unknown>) | undefined;
}

/** A table by its names. */
export type AnalyzedTable = Pick<EntryTable, 'schema' | 'name'>;

/** Maximum number of rows of an index that ANALYZE samples, so it takes milliseconds for a table of any size. */
const SAMPLE_ROWS = 1_000;
/** With fewer rows, any plan is good enough. */
const MIN_ROWS = 500;
/** Statistics are stale if the row count has grown or shrunk by this factor. */
const FACTOR = 4;

export class Statistics {
  readonly #options: StatisticsOptions;
  /** Row counts at the last analysis by physical table name, as of {@link #version}. */
  readonly #analysed = new Map<string, number>();
  readonly #underWay = new Set<string>();
  #version = -1;
  #last: Promise<void> = Promise.resolve();

  constructor(options: StatisticsOptions) {
    this.#options = options;
  }

  /** Records that a statement uses tables. Analyses those with stale statistics in the background. */
  noteUse(tables: readonly EntryTable[]): void {
    const { thread, queryState } = this.#options;
    if (tables.length === 0 || !thread.shared.isActive()) return;
    if (this.#version !== queryState.statisticsVersion()) {
      this.#version = queryState.statisticsVersion();
      this.#analysed.clear();
    }
    for (const table of tables) {
      const rows = this.#rowsOf(table);
      const known = this.#analysedRows(table);
      if (Math.max(rows, known) < MIN_ROWS || (rows < known * FACTOR && rows * FACTOR > known)) continue;
      const id = table.cache;
      if (this.#underWay.has(id)) continue;
      this.#underWay.add(id);
      const { schema, name } = table;
      const { analyzeElsewhere } = this.#options;
      const analysis = (analyzeElsewhere?.({ schema, name }) ?? this.analyzeInBackground({ schema, name }))
        // The statement runs with the old statistics; the next use tries again.
        .catch(() => {})
        .finally(() => this.#underWay.delete(id));
      // No statement waits for the process for changes, which may be inside a long one.
      if (analyzeElsewhere === undefined) this.#last = Promise.all([this.#last, analysis]).then(() => {});
    }
  }

  /** Resolves when no analysis of this thread is pending. */
  get settled(): Promise<void> {
    return this.#last;
  }

  /**
   * Analyses tables by schema and name within the time limit and the write-lock limit of `watch`. Throws
   * SQL_OBJECT_NOT_FOUND, QUERY_CANCELLED, WRITE_LOCK_TIME.
   */
  async analyze(names: ReadonlyArray<readonly [schema: string, table: string]>, watch: StatementWatch): Promise<void> {
    const { thread, guard } = this.#options;
    for (const [schema, name] of names) {
      const handle = this.#handleOf(schema, name);
      if (handle === undefined) {
        throw statementFailure(sqlFailure('ANALYZED_TABLE_NOT_FOUND', schema, name), `ANALYZE ${name}`);
      }
      const analyze = (): void => {
        const database = this.#open(handle.database);
        const guarded = guard?.attach(database);
        try {
          watch.use(guarded);
          this.#transact(handle, database, () => watch.runLocked(() => this.run(database, handle.table)));
        } catch (error) {
          throw statementFailure(error, `ANALYZE ${name}`);
        } finally {
          watch.use(undefined);
          guarded?.close();
          database.close(true);
        }
      };
      await whileLocked(thread.shared, 'statement', analyze, watch.check);
    }
  }

  #transact({ database: number }: CacheHandle, database: Database, action: () => void): void {
    new WriteTransactions(database, number, this.#options.thread.shared).run(number, action);
  }

  /**
   * Analyses a table, unless another thread holds the write lock: this thread's next statement would otherwise also
   * wait. The size of the sample bounds the time.
   */
  async analyzeInBackground({ schema, name }: AnalyzedTable): Promise<void> {
    const handle = this.#handleOf(schema, name);
    if (handle === undefined) return;
    const { shared, clock } = this.#options.thread;
    await new Promise<void>((resolve) => clock.endOfTick(resolve));
    if (shared.isFileGone()) return;
    shared.writeLock.tryHold('statement', () => {
      const database = this.#open(handle.database);
      try {
        this.#transact(handle, database, () => this.run(database, handle.table));
      } finally {
        database.close(true);
      }
    });
  }

  #handleOf(schema: string, name: string): CacheHandle | undefined {
    const { catalog } = this.#options;
    return catalog.tables().find(({ table }) => table.schema === schema && table.name === name)?.handle;
  }

  /** Opens a writable connection to a database file. */
  #open(number: number): Database {
    const { thread } = this.#options;
    return openWithoutCheckpoints(
      databasePath(thread.reads.files, number, thread.shared.epoch()),
      number === DATA_DATABASE,
    );
  }

  /** Analyses an entry table on a writable connection to its file. */
  run(database: Database, table: string): void {
    this.compute(database, table);
    this.#options.queryState.statisticsChanged();
  }

  /** Analyses an entry table inside a transaction, after which the caller announces the change. */
  compute(database: Database, table: string): void {
    database.run(`PRAGMA analysis_limit = ${SAMPLE_ROWS}`);
    database.run(`ANALYZE ${table}`);
  }

  #rowsOf(table: EntryTable): number {
    const { thread } = this.#options;
    const handle = thread.registry.find(table.cache);
    if (handle === undefined) return 0;
    const row = this.#read<{ entries: bigint }>(
      handle.database,
      'SELECT entries FROM entry_counts WHERE cache = ?',
      handle.id,
    );
    return Number(row?.entries ?? 0n);
  }

  #analysedRows(table: EntryTable): number {
    const known = this.#analysed.get(table.physical);
    if (known !== undefined) return known;
    const number = table.database;
    const exists = this.#read(number, "SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat1' AND type = ?", 'table');
    const name = table.physical.split('.').at(-1) ?? '';
    // The first number of each index is its row count; the index of expiring entries only contains those.
    const row =
      exists === null
        ? null
        : this.#read<{ entries: bigint | null }>(
            number,
            'SELECT max(CAST(stat AS INTEGER)) AS entries FROM sqlite_stat1 WHERE tbl = ?',
            name,
          );
    const rows = Number(row?.entries ?? 0n);
    this.#analysed.set(table.physical, rows);
    return rows;
  }

  #read<R>(number: number, sql: string, parameter: string | number): R | null {
    const connection = this.#options.thread.reads.get(number);
    connection.refresh();
    using statement = prepare<R>(connection.database, sql);
    return statement.get(parameter);
  }
}
