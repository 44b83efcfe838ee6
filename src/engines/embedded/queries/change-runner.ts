/**
 * Changes and definitions that are not the writer's own: they take long, so they run in a query thread while the writer
 * waits and everybody reads on.
 */
import type { Clock } from '../../../base/clock.ts';
import { fail, GridError } from '../../../base/errors.ts';
import { sqlFailure } from '../../../sql/types/sql-errors.ts';
import type { Value } from '../../../values/value.ts';
import { attachedName } from '../catalog/attached-name.ts';
import type { EngineCatalog } from '../catalog/engine-catalog.ts';
import type { StructureStatement } from '../ddl/structure-changes.ts';
import type { StatementGuard } from '../native/statement-guard.ts';
import { runChange } from '../sql/run-change.ts';
import type { PreparedChange, PreparedDdl } from '../sql/statement.ts';
import { DATA_DATABASE, databaseOf, databasePath, openForWriting } from '../storage/databases.ts';
import { storageFailure } from '../storage/storage-failures.ts';
import type { EngineThread } from '../thread/engine-thread.ts';
import type { ChangeChannel } from '../writer/changes.ts';
import type { SentQuery } from './query-protocol.ts';
import type { SharedQueryState } from './shared-query-state.ts';
import { environmentOf, type SqlConnection } from './sql-connection.ts';
import { statementFailure } from './sql-failures.ts';
import type { StatementWatch } from './statement-watch.ts';
import type { Statistics } from './statistics.ts';
import type { ExclusiveWriteLock } from './write-lock.ts';

export interface ChangeRunnerOptions {
  readonly thread: EngineThread;
  readonly clock: Clock;
  readonly queryState: SharedQueryState;
  readonly changes: ChangeChannel;
  readonly writeLock: ExclusiveWriteLock;
  readonly catalog: EngineCatalog;
  readonly statistics: Statistics;
  /** Ends statements below SQL; undefined: they poll. */
  readonly guard: StatementGuard | undefined;
  /** Opens a connection that may write. */
  readonly open: () => SqlConnection;
}

type Fields = Extract<SentQuery, { kind: 'fields' }>;

const SORTING_KIB = 16 * 1024;
const CHECKPOINT_TRIES = 10;
const CHECKPOINT_PAUSE_MS = 20;

export class ChangeRunner {
  readonly #options: ChangeRunnerOptions;
  #writing: SqlConnection | undefined;

  constructor(options: ChangeRunnerOptions) {
    this.#options = options;
  }

  /** Runs the change, all or nothing; gives the number of rows that it changed. */
  async change(prepared: PreparedChange, query: Fields, watch: StatementWatch): Promise<bigint> {
    const { thread, clock, writeLock, statistics } = this.#options;
    checkChange(thread, prepared, query.sql, query.args);
    statistics.noteUse(prepared.tables);
    let updated = 0n;
    await writeLock.with(watch.check, () => {
      const number = databaseOf(thread.reads.files, prepared.target.region);
      updated = this.#runChange(prepared, query, watch, number);
      return [number];
    });
    const { slot } = thread.registry.require(prepared.target.cache);
    thread.metrics.countWrites(slot, Number(updated), clock.nowMs());
    // Nobody waits for this; the writer would have to do it between the changes of clients otherwise.
    void this.checkpoint();
    return updated;
  }

  /** Carries out a definition. */
  async define({ statement, schema, text }: PreparedDdl, watch: StatementWatch): Promise<void> {
    const { changes, thread, catalog } = this.#options;
    switch (statement.kind) {
      case 'createUser':
      case 'alterUser':
      case 'dropUser':
        throw fail('SECURITY_DISABLED');
      case 'killQuery':
        throw statementFailure(sqlFailure('KILL_QUERY'), text);
      case 'truncate':
        throw statementFailure(sqlFailure('STATEMENT_UNSUPPORTED', text), text);
      case 'setLogging': {
        const { name, schema: own } = statement.table;
        if (!statement.ifTableExists && catalog.find(own?.text ?? schema, name.text) === undefined) {
          throw statementFailure(sqlFailure('ALTERED_TABLE_NOT_FOUND', name.text), text);
        }
        break;
      }
      case 'analyze':
        await this.#options.statistics.analyze(
          statement.tables.map(({ schema: own, name }) => [own?.text ?? schema, name.text] as const),
          watch,
        );
        break;
      case 'createIndex':
        await this.#createIndex(statement, schema, watch);
        return;
      default:
        await changes.submit('runDdl', { statement: statement satisfies StructureStatement, schema });
        return;
    }
    // The writer checks the state before it changes a definition. Afterwards the change has been made, whatever the
    // state is by now; these statements change none.
    if (thread.shared.isInactive()) throw fail('INACTIVE');
  }

  /** Moves committed pages from the write-ahead logs into the files, as far as readers let it, in this thread. */
  async checkpoint(): Promise<void> {
    const { clock, thread } = this.#options;
    for (let tries = 0; tries < CHECKPOINT_TRIES; tries++) {
      if (this.#writing === undefined && thread.shared.isInactive()) return;
      try {
        // Every database that is attached, and never waiting for a reader.
        const rows = this.#connection()
          .database.query<{ log: bigint; checkpointed: bigint }, []>('PRAGMA wal_checkpoint(PASSIVE)')
          .all();
        if (rows.every(({ log, checkpointed }) => log === checkpointed)) return;
      } catch {
        // The log stays, and the changes in it are safe; the writer tries again and reports.
        return;
      }
      await new Promise<void>((resolve) => clock.after(CHECKPOINT_PAUSE_MS, resolve));
    }
  }

  /** Lets go of the connection, before files disappear. */
  release(): void {
    this.#writing?.close();
    this.#writing = undefined;
  }

  #runChange(prepared: PreparedChange, query: Fields, watch: StatementWatch, number: number): bigint {
    const { thread, clock } = this.#options;
    const connection = this.#connection();
    const { register, statements, database } = connection;
    connection.attach(prepared.tables.map((table) => databaseOf(thread.reads.files, table.region)));
    register.context.environment = environmentOf(clock, query.owner, prepared.schema);
    register.context.poll = watch.poll;
    const region = thread.regions.get(prepared.target.region);
    database.run('BEGIN IMMEDIATE');
    try {
      watch.use(connection.guarded);
      const result = watch.runLocked(() =>
        runChange(prepared, query.args, clock.nowMs(), { register, statement: (sql) => statements.get(sql) }),
      );
      watch.use(undefined);
      if (result.addedRows !== 0) {
        const counts = number === DATA_DATABASE ? 'entry_counts' : `${attachedName(number)}.entry_counts`;
        const { id } = thread.registry.require(prepared.target.cache);
        database.run(`UPDATE ${counts} SET entries = entries + ? WHERE cache = ?`, [result.addedRows, id]);
      }
      // Files of non-persistent regions are bounded by SQLite itself.
      if (result.addedRows > 0 && region?.persistent === true && region.maxSizeBytes !== undefined) {
        if (usedBytes(connection) > region.maxSizeBytes) throw fail('REGION_FULL', region.name, region.maxSizeBytes);
      }
      database.run('COMMIT');
      return result.updated;
    } catch (error) {
      if (database.inTransaction) database.run('ROLLBACK');
      throw statementFailure(storageFailure(error, region), query.sql);
    }
  }

  /** The index is made here; the writer only adds it to the definition. */
  async #createIndex(
    statement: Extract<PreparedDdl['statement'], { kind: 'createIndex' }>,
    schema: string,
    watch: StatementWatch,
  ): Promise<void> {
    const { changes, writeLock, thread, statistics } = this.#options;
    const plan = await changes.submit('planIndex', { statement, schema });
    if (plan === undefined) return;
    await writeLock.with(watch.check, () => {
      const database = openForWriting(
        databasePath(thread.reads.files, plan.database, thread.shared.epoch()),
        plan.database === DATA_DATABASE,
      );
      try {
        // Sorting goes to a file, in runs of this size.
        database.run(`PRAGMA temp_store = FILE; PRAGMA cache_size = -${SORTING_KIB}`);
        const guarded = this.#options.guard?.attach(database);
        watch.use(guarded);
        try {
          watch.run(() => {
            database.run(plan.sql);
            statistics.run(database, plan.table);
          });
        } finally {
          watch.use(undefined);
          guarded?.close();
        }
      } catch (error) {
        throw statementFailure(error, plan.sql);
      } finally {
        database.close(true);
      }
      return [plan.database];
    });
    await changes.submit('runDdl', { statement, schema, builtIndex: plan.name });
    void this.checkpoint();
  }

  #connection(): SqlConnection {
    const { thread, queryState, open } = this.#options;
    const { epoch, statistics } = this.#writing ?? {};
    if (epoch !== thread.shared.epoch() || statistics !== queryState.statisticsVersion()) this.release();
    this.#writing ??= open();
    return this.#writing;
  }
}

/** Refuses a change by the cluster's state, with Ignite's text (docs/spec/ignite-cluster.md 2.1). */
export function checkChange(thread: EngineThread, prepared: PreparedChange, sql: string, args: readonly Value[]): void {
  if (thread.shared.isInactive()) throw fail('INACTIVE');
  if (thread.shared.isActive()) return;
  throw new GridError(
    'READ_ONLY',
    `Failed to execute DML statement. Cluster in read-only mode [stmt=${sql}, params=${args.length}, ` +
      `table=${prepared.target.name}]`,
  );
}

function usedBytes({ database }: SqlConnection): number {
  const row = database
    .query<{ used: bigint }, []>(
      `SELECT (page_count - freelist_count) * page_size AS used
      FROM pragma_page_count, pragma_freelist_count, pragma_page_size`,
    )
    .get();
  return Number(row?.used ?? 0n);
}
