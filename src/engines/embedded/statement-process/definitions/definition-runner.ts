/**
 * Runs definitions in a statement process. The parts that may take long are done here, before the writer
 * changes a definition.
 */
import type { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { gridError } from '../../../../base/errors.ts';
import { sqlFailure } from '../../../../base/sql-errors.ts';
import { addEntryColumns } from '../../ddl/cache-table.ts';
import type { PlannedColumns, PlannedConversion, PlannedIndex, RemovedIndex } from '../../ddl/structure-changes.ts';
import { logLimiter } from '../../native/log-frames.ts';
import { checkSetLogging, definitionOf, quickDefinition } from '../../shared/definitions.ts';
import { statementFailure } from '../../shared/sql-failures.ts';
import type { PreparedDdl } from '../../sql/statement.ts';
import { DATA_DATABASE, databasePath, openWithoutCheckpoints } from '../../storage/databases.ts';
import { checkDiskSpace, TransactionSpace } from '../../storage/disk-space.ts';
import { addFeedColumns } from '../../storage/feed-tables.ts';
import { WriteTransactions, whileLocked } from '../../storage/write-transactions.ts';
import type { ChangeRunnerOptions } from '../change-runner.ts';
import type { StatementWatch } from '../statement-watch.ts';
import { convertCache } from './cache-conversion.ts';
import { buildEntryIndex } from './entry-index.ts';

/** Size of one sorting run while building an index. */
const SORTING_KIB = 16 * 1024;
/** How long columns are added before others may write, in ms. Adding one can take longer. */
const ADDING_MS = 20;

/** Maximum number of values of a dropped index removed in one step. */
const CLEARED_ROWS = 200;

/** How fast a slow disk frees an index's pages, which are at most the whole file. */
const FREED_BYTES_PER_MS = 1_000;

type ColumnsStatement = Extract<PreparedDdl['statement'], { kind: 'createTable' | 'addColumns' }>;

export class DefinitionRunner {
  readonly #options: ChangeRunnerOptions;

  constructor(options: ChangeRunnerOptions) {
    this.#options = options;
  }

  /** Runs a DDL statement; with `asIgnite`, handles as Ignite does what svc rejects or improves. */
  async run(prepared: PreparedDdl, asIgnite: boolean, watch: StatementWatch): Promise<void> {
    const { schema, text } = prepared;
    const { changes, thread, catalog } = this.#options;
    const statement = definitionOf(prepared, asIgnite);
    switch (statement.kind) {
      case 'createUser':
      case 'alterUser':
      case 'dropUser':
        throw gridError('SECURITY_DISABLED');
      case 'killQuery':
        // The thread that received the request runs it, unless its text is too long to be analysed there.
        throw statementFailure(sqlFailure('STATEMENT_UNSUPPORTED', text), text);
      case 'truncate':
        throw statementFailure(sqlFailure('STATEMENT_UNSUPPORTED', text), text);
      case 'setLogging':
        checkSetLogging(statement, prepared, catalog);
        break;
      case 'analyze':
        await this.#options.statistics.analyze(
          statement.tables.map(({ schema: own, name }) => [own?.text ?? schema, name.text] as const),
          watch,
        );
        break;
      case 'alterIfExists':
        break;
      case 'createIndex':
        await this.#createIndex(statement, schema, watch);
        return;
      case 'dropIndex':
        await this.#dropIndex(statement, schema, watch);
        return;
      case 'createTable':
      case 'addColumns':
        // False: the definition has changed, or entries have been added.
        while (!(await this.#declare(statement, schema, watch)));
        return;
      case 'dropTable':
      case 'dropColumns':
      case 'createView':
      case 'dropView':
        watch.beginCommit();
        await changes.submit('runDdl', { statement, schema });
        return;
    }
    // The writer checks the cluster's state for statements that change definitions. The others reach this line.
    if (thread.shared.isInactive()) throw gridError('INACTIVE');
  }

  /**
   * Builds the index here; the writer only adds it to the definition. The statement's time limit bounds the build, not
   * the write-lock limit, because an index cannot be built in parts.
   */
  async #createIndex(
    statement: Extract<PreparedDdl['statement'], { kind: 'createIndex' }>,
    schema: string,
    watch: StatementWatch,
  ): Promise<void> {
    const { thread, changes, statistics, queryState } = this.#options;
    const plan = await changes.submit('planIndex', { statement, schema });
    if (plan === undefined) return;
    if (plan.entries !== undefined) {
      // False: the definition has changed.
      if (!(await this.#indexEntries(plan, plan.entries, watch))) await this.#createIndex(statement, schema, watch);
      return;
    }
    const build = (): void => {
      this.#alter(plan.database, plan.sql, watch, (database) => {
        watch.run(() => {
          database.run(plan.sql);
          statistics.compute(database, plan.table);
        });
        watch.beginCommit();
      });
      queryState.statisticsChanged();
    };
    await whileLocked(thread.shared, 'statement', build, watch.check);
    await changes.submit('runDdl', { statement, schema, builtIndex: plan.name });
    this.#options.requestCheckpoint();
  }

  /**
   * Builds an index on a path and changes the definition. Returns false, and changes nothing, if the
   * definition has changed.
   */
  async #indexEntries(
    plan: PlannedIndex,
    entries: NonNullable<PlannedIndex['entries']>,
    watch: StatementWatch,
  ): Promise<boolean> {
    const { thread, open, requestCheckpoint, queryState } = this.#options;
    const build = (): boolean => {
      checkDiskSpace(thread.shared, plan.database);
      if (plan.database !== DATA_DATABASE && thread.shared.isInactive()) throw gridError('INACTIVE');
      const connection = open();
      try {
        return buildEntryIndex(thread, connection, plan, entries, watch);
      } catch (error) {
        throw statementFailure(error, plan.sql);
      } finally {
        connection.close();
      }
    };
    const isBuilt = await whileLocked(thread.shared, 'statement', build, watch.check);
    queryState.statisticsChanged();
    requestCheckpoint();
    return isBuilt;
  }

  /** Declares a table or columns. Returns false, having declared nothing, if it must be planned again. */
  async #declare(statement: ColumnsStatement, schema: string, watch: StatementWatch): Promise<boolean> {
    const plan = await this.#addColumns(statement, schema, watch);
    if (plan?.conversion !== undefined) return this.#convert(plan, plan.conversion, watch);
    watch.beginCommit();
    return this.#options.changes.submit('runDdl', { statement, schema });
  }

  /**
   * Converts a cache's entries to rows of the table, and changes its definition in the same transaction. The
   * statement's time limit bounds it, not the write-lock limit, because it cannot be done in parts.
   */
  async #convert({ database }: PlannedColumns, plan: PlannedConversion, watch: StatementWatch): Promise<boolean> {
    const { thread, open, requestCheckpoint } = this.#options;
    const convert = (): boolean => {
      checkDiskSpace(thread.shared, database);
      if (database !== DATA_DATABASE && thread.shared.isInactive()) throw gridError('INACTIVE');
      const connection = open();
      try {
        return convertCache(thread, connection, plan, watch);
      } catch (error) {
        throw statementFailure(error, `ALTER TABLE ${plan.cache}`);
      } finally {
        connection.close();
      }
    };
    const isConverted = await whileLocked(thread.shared, 'statement', convert, watch.check);
    requestCheckpoint();
    return isConverted;
  }

  /**
   * Adds the columns that the statement needs to its cache's table and to the change feed; the writer then changes the
   * definition. Returns the plan, or undefined if there is none. No row has values in them yet, so the lock can be
   * released from time to time for clients' changes.
   */
  async #addColumns(
    statement: ColumnsStatement,
    schema: string,
    watch: StatementWatch,
  ): Promise<PlannedColumns | undefined> {
    if (quickDefinition(statement) !== undefined) return undefined;
    const { thread, changes, clock } = this.#options;
    const plan = await changes.submit('planColumns', { statement, schema });
    if (plan === undefined) return undefined;
    let { from } = plan;
    const { to, feedFields } = plan;
    let isFeedReady = feedFields === 0;
    while (from < to || !isFeedReady) {
      const add = (): void => {
        const endMs = clock.monotonicMs() + ADDING_MS;
        const goesOn = (): boolean => clock.monotonicMs() < endMs;
        this.#alter(plan.database, `ALTER TABLE ${plan.table}`, watch, (database) =>
          watch.run(() => {
            if (from < to) from = addEntryColumns(database, plan.table, { from, to }, goesOn);
            else isFeedReady = addFeedColumns({ database, prefix: '' }, feedFields, goesOn);
          }),
        );
      };
      await whileLocked(thread.shared, 'statement', add, watch.check);
    }
    this.#options.requestCheckpoint();
    return plan;
  }

  /**
   * Changes a database file's schema in a transaction of a separate connection, while the caller holds the write lock.
   * `sql` is for errors.
   */
  #alter(number: number, sql: string, watch: StatementWatch, action: (database: Database) => void): void {
    const { thread, guard } = this.#options;
    if (number !== DATA_DATABASE && thread.shared.isInactive()) throw gridError('INACTIVE');
    const path = databasePath(thread.reads.files, number, thread.shared.epoch());
    const database = openWithoutCheckpoints(path, number === DATA_DATABASE);
    try {
      const guarded = guard?.attach(database);
      watch.use(guarded);
      // A sort spills to a file in runs of this size.
      database.run(`PRAGMA temp_store = FILE; PRAGMA cache_size = -${SORTING_KIB}`);
      try {
        const space = new TransactionSpace(database, thread.reads, guarded && logLimiter(database));
        const transactions = new WriteTransactions(database, number, thread.shared, space);
        transactions.run(number, () => action(database), { space: 'adds' });
      } finally {
        watch.use(undefined);
        guarded?.close();
      }
    } catch (error) {
      throw statementFailure(error, sql);
    } finally {
      database.close(true);
    }
  }

  /**
   * Removes part of the stored values of a path's column, found through its index. Returns whether nothing is left:
   * clients' changes continue between the parts.
   */
  #clearValues(
    { database: number, name }: RemovedIndex,
    { table, column }: NonNullable<RemovedIndex['values']>,
    watch: StatementWatch,
  ): Promise<boolean> {
    const { thread, clock } = this.#options;
    const sql = `UPDATE ${table} SET ${column} = NULL WHERE (k, kt) IN
      (SELECT k, kt FROM ${table} INDEXED BY ${name} WHERE ${column} IS NOT NULL LIMIT ${CLEARED_ROWS})`;
    return whileLocked(thread.shared, 'statement', () => {
      if (number !== DATA_DATABASE && thread.shared.isInactive()) return true;
      const path = databasePath(thread.reads.files, number, thread.shared.epoch());
      const database = openWithoutCheckpoints(path, number === DATA_DATABASE);
      try {
        const clear = (): boolean => {
          // Its cache may have been destroyed, or its region emptied, since the previous part.
          const isThere = database.query('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name) !== null;
          if (!isThere) return true;
          const endMs = clock.monotonicMs() + ADDING_MS;
          while (clock.monotonicMs() < endMs) if (database.run(sql).changes < CLEARED_ROWS) return true;
          return false;
        };
        const transactions = new WriteTransactions(database, number, thread.shared);
        return watch.finish(() => transactions.run(number, clear), statSync(path).size / FREED_BYTES_PER_MS);
      } finally {
        database.close(true);
      }
    });
  }

  /**
   * Drops the index here, after the writer has removed it from its definition: freeing the pages of a large index takes
   * long. The next startup drops it if this process ends before.
   */
  async #dropIndex(
    statement: Extract<PreparedDdl['statement'], { kind: 'dropIndex' }>,
    schema: string,
    watch: StatementWatch,
  ): Promise<void> {
    const { changes, thread } = this.#options;
    watch.check();
    watch.beginCommit();
    const removed = await changes.submit('removeIndex', { statement, schema });
    if (removed === undefined) return;
    // The index is gone for every client, so nothing may end the statement from here on.
    while (removed.values !== undefined && !(await this.#clearValues(removed, removed.values, watch)));
    await whileLocked(thread.shared, 'statement', () => {
      const { database: number, name } = removed;
      if (number !== DATA_DATABASE && thread.shared.isInactive()) return;
      const path = databasePath(thread.reads.files, number, thread.shared.epoch());
      const database = openWithoutCheckpoints(path, number === DATA_DATABASE);
      try {
        const drop = () => database.run(`DROP INDEX IF EXISTS ${name}`);
        const limitMs = statSync(path).size / FREED_BYTES_PER_MS;
        watch.finish(() => new WriteTransactions(database, number, thread.shared).run(number, drop), limitMs);
      } finally {
        database.close(true);
      }
    });
    this.#options.requestCheckpoint();
  }
}
