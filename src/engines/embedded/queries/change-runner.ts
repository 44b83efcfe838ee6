/**
 * Runs changes and definitions in a query thread, because they may take long. The writer waits meanwhile; reads
 * continue.
 */
import type { Clock } from '../../../base/clock.ts';
import { fail } from '../../../base/errors.ts';
import type { Region } from '../../../grid/cache-rules.ts';
import type { DdlStatement } from '../../../sql/syntax/ast.ts';
import { sqlFailure } from '../../../sql/types/sql-errors.ts';
import type { Value } from '../../../values/value.ts';
import { attachedName } from '../catalog/attached-name.ts';
import type { EngineCatalog } from '../catalog/engine-catalog.ts';
import type { StatementGuard } from '../native/statement-guard.ts';
import { type ChangeResult, runChange } from '../sql/run-change.ts';
import type { PreparedChange, PreparedDdl } from '../sql/statement.ts';
import {
  DATA_DATABASE,
  databaseOf,
  databasePath,
  openForWriting,
  rollBack,
  WRITERS_WAIT_MS,
} from '../storage/databases.ts';
import { checkDiskSpace } from '../storage/disk-space.ts';
import type { ExclusiveWriteLock } from '../storage/exclusive-write-lock.ts';
import { usedBytes } from '../storage/region-space.ts';
import { storageFailure } from '../storage/storage-failures.ts';
import type { EngineThread } from '../thread/engine-thread.ts';
import type { ChangeChannel } from '../writer/changes.ts';
import type { SentQuery } from './query-protocol.ts';
import type { SharedQueryState } from './shared-query-state.ts';
import { environmentOf, type SqlConnection } from './sql-connection.ts';
import { statementFailure } from './sql-failures.ts';
import type { StatementWatch } from './statement-watch.ts';
import type { Statistics } from './statistics.ts';

export interface ChangeRunnerOptions {
  readonly thread: EngineThread;
  readonly clock: Clock;
  readonly queryState: SharedQueryState;
  readonly changes: ChangeChannel;
  readonly writeLock: ExclusiveWriteLock;
  readonly catalog: EngineCatalog;
  readonly statistics: Statistics;
  /** Interrupts statements inside SQLite; undefined: statements poll. */
  readonly guard: StatementGuard | undefined;
  /** Opens a writable connection. */
  readonly open: () => SqlConnection;
}

/** Ignite drops the first of several tables, whether or not the others exist. */
function asIgniteDefines(statement: DdlStatement): DdlStatement {
  return statement.kind === 'dropTable' ? { ...statement, tables: statement.tables.slice(0, 1) } : statement;
}

/** Returns the statement to run. Throws for one that svc rejects, or with `asIgnite` Ignite. */
export function definitionOf({ statement, text, rejected }: PreparedDdl, asIgnite: boolean): DdlStatement {
  if (!asIgnite) {
    if (rejected !== undefined) throw statementFailure(rejected, text);
    return statement;
  }
  if (statement.kind === 'createView' && (statement.ifNotExists || statement.columns.length > 0))
    throw statementFailure(sqlFailure('STATEMENT_UNSUPPORTED', text), text);
  return asIgniteDefines(statement);
}

/** Checks ALTER TABLE with LOGGING or NOLOGGING, which has no other effect. Throws SQL if there is no such table. */
export function checkSetLogging(
  { table, ifTableExists }: Extract<DdlStatement, { kind: 'setLogging' }>,
  { schema, text }: PreparedDdl,
  catalog: EngineCatalog,
): void {
  if (ifTableExists || catalog.find(table.schema?.text ?? schema, table.name.text) !== undefined) return;
  throw statementFailure(sqlFailure('DDL_TABLE_NOT_FOUND', table.name.text), text);
}

type Fields = Extract<SentQuery, { kind: 'fields' }>;

/** Size of one sorting run while an index is built. */
const SORTING_KIB = 16 * 1024;
/** Attempts of a checkpoint, and the pause between two: a reader may hold its snapshot for a moment. */
const CHECKPOINT_TRIES = 10;
const CHECKPOINT_PAUSE_MS = 20;

export class ChangeRunner {
  readonly #options: ChangeRunnerOptions;
  #writing: SqlConnection | undefined;
  /** Called before the connection is closed. */
  onClose: () => void = () => {};

  constructor(options: ChangeRunnerOptions) {
    this.#options = options;
  }

  /** Runs the change atomically. Returns the number of changed rows. */
  async change(prepared: PreparedChange, query: Fields, watch: StatementWatch): Promise<bigint> {
    const { thread, clock, writeLock, statistics } = this.#options;
    checkChange(thread, prepared, query.sql, query.args);
    statistics.noteUse(prepared.tables);
    // Nothing that can fail may follow the commit: the client would believe that nothing was changed.
    const { slot } = thread.registry.require(prepared.target.cache);
    let updated = 0n;
    let failure: unknown;
    await writeLock.with(watch.check, () => {
      const number = databaseOf(thread.reads.files, prepared.target.region);
      if (number === DATA_DATABASE && prepared.change !== 'delete') checkDiskSpace(thread.shared);
      ({ updated, failure } = this.#runChange(prepared, query, watch, number));
      return [number];
    });
    thread.metrics.countWrites(slot, Number(updated), clock.nowMs());
    // Nothing waits for this. Without it the writer would have to checkpoint between the changes of clients.
    void this.checkpoint();
    if (failure !== undefined) throw statementFailure(failure, query.sql);
    return updated;
  }

  /** Runs a DDL statement; with `asIgnite` as Ignite does what svc rejects or does better. */
  async define(prepared: PreparedDdl, asIgnite: boolean, watch: StatementWatch): Promise<void> {
    const { schema, text } = prepared;
    const { changes, thread, catalog } = this.#options;
    const statement = definitionOf(prepared, asIgnite);
    switch (statement.kind) {
      case 'createUser':
      case 'alterUser':
      case 'dropUser':
        throw fail('SECURITY_DISABLED');
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
      case 'dropTable':
      case 'addColumns':
      case 'dropColumns':
      case 'createView':
      case 'dropView':
        watch.beginCommit();
        await changes.submit('runDdl', { statement, schema });
        return;
    }
    // The writer checks the cluster's state for statements that change definitions. The others reach this line.
    if (thread.shared.isInactive()) throw fail('INACTIVE');
  }

  /** Checkpoints the write-ahead logs from this thread, as far as readers permit. */
  async checkpoint(): Promise<void> {
    const { clock, thread } = this.#options;
    for (let tries = 0; tries < CHECKPOINT_TRIES; tries++) {
      if (this.#writing === undefined && thread.shared.isInactive()) return;
      try {
        // PASSIVE covers every attached database and never waits for a reader.
        const rows = this.connection()
          .database.query<{ log: bigint; checkpointed: bigint }, []>('PRAGMA wal_checkpoint(PASSIVE)')
          .all();
        if (rows.every(({ log, checkpointed }) => log === checkpointed)) return;
      } catch {
        // The changes are safe in the log. The writer tries again, and reports failures.
        return;
      }
      await new Promise<void>((resolve) => clock.after(CHECKPOINT_PAUSE_MS, resolve));
    }
  }

  /**
   * Writes the write-ahead logs back as far as what reads from them permits, then waits `waitMs` for that to end, and
   * empties them; for 0 it does not. Nothing may be written meanwhile. Returns whether the logs are empty.
   */
  writeLogsBack(waitMs: number): boolean {
    const { thread } = this.#options;
    const connection = this.connection();
    const { temporaryRegions } = thread.reads.files;
    if (!thread.shared.isInactive()) connection.attach(temporaryRegions.map((_, index) => index + 1));
    const { database } = connection;
    database.run(`PRAGMA busy_timeout = ${waitMs}`);
    try {
      const mode = waitMs === 0 ? 'PASSIVE' : 'TRUNCATE';
      const [result] = database.query<{ busy: bigint }, []>(`PRAGMA wal_checkpoint(${mode})`).all();
      return waitMs > 0 && result?.busy === 0n;
    } catch {
      // The changes are safe in the log. The writer tries again, and reports failures.
      return false;
    } finally {
      database.run(`PRAGMA busy_timeout = ${WRITERS_WAIT_MS}`);
    }
  }

  /** Closes the connection, before files are removed. */
  release(): void {
    if (this.#writing === undefined) return;
    this.onClose();
    this.#writing.close();
    this.#writing = undefined;
  }

  #runChange(prepared: PreparedChange, query: Fields, watch: StatementWatch, number: number): ChangeResult {
    const { thread, clock } = this.#options;
    const connection = this.connection();
    const { register, statements, database } = connection;
    const databases = prepared.tables.map((table) => databaseOf(thread.reads.files, table.region));
    connection.attach(databases);
    register.context.environment = environmentOf(clock, query.owner, prepared.schema);
    register.context.poll = watch.poll;
    const region = thread.regions.get(prepared.target.region);
    database.run('BEGIN IMMEDIATE');
    try {
      connection.readSchema([number, ...databases]);
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
      if (result.addedRows > 0) checkRegionSize(connection, region);
      watch.beginCommit();
      database.run('COMMIT');
      return result;
    } catch (error) {
      rollBack(database);
      throw statementFailure(storageFailure(error, region), query.sql);
    } finally {
      statements.finalizeLong();
    }
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
    const { changes, writeLock, thread, statistics, queryState } = this.#options;
    const plan = await changes.submit('planIndex', { statement, schema });
    if (plan === undefined) return;
    await writeLock.with(watch.check, () => {
      const database = openForWriting(
        databasePath(thread.reads.files, plan.database, thread.shared.epoch()),
        plan.database === DATA_DATABASE,
      );
      try {
        // The sort spills to a file in runs of this size.
        database.run(`PRAGMA temp_store = FILE; PRAGMA cache_size = -${SORTING_KIB}`);
        const guarded = this.#options.guard?.attach(database);
        watch.use(guarded);
        try {
          watch.run(() => {
            database.run('BEGIN IMMEDIATE');
            database.run(plan.sql);
            statistics.compute(database, plan.table);
          });
          watch.beginCommit();
          database.run('COMMIT');
          queryState.statisticsChanged();
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

  /**
   * Drops the index here, after the writer has removed it from its definition: freeing the pages of an index over 10^6
   * rows takes 25 ms. The next start drops it if this process ends before.
   */
  async #dropIndex(
    statement: Extract<PreparedDdl['statement'], { kind: 'dropIndex' }>,
    schema: string,
    watch: StatementWatch,
  ): Promise<void> {
    const { changes, writeLock, thread } = this.#options;
    watch.check();
    const removed = await changes.submit('removeIndex', { statement, schema });
    if (removed === undefined) return;
    // The index is gone for every client, so nothing may end the statement from here on.
    await writeLock.with(
      () => {},
      () => {
        const isPersistent = removed.database === DATA_DATABASE;
        if (!isPersistent && thread.shared.isInactive()) return [];
        const path = databasePath(thread.reads.files, removed.database, thread.shared.epoch());
        const database = openForWriting(path, isPersistent);
        try {
          database.run(`DROP INDEX IF EXISTS ${removed.name}`);
        } finally {
          database.close(true);
        }
        return [removed.database];
      },
    );
    void this.checkpoint();
  }

  /** Returns the writable connection, opened again if its files or statistics have changed. */
  connection(): SqlConnection {
    const { thread, queryState, open } = this.#options;
    const { epoch, statistics } = this.#writing ?? {};
    if (epoch !== thread.shared.epoch() || statistics !== queryState.statisticsVersion()) this.release();
    this.#writing ??= open();
    return this.#writing;
  }
}

/** Throws INACTIVE or READ_ONLY depending on the state, with Ignite's text (docs/spec/ignite-cluster.md 2.1). */
export function checkChange(thread: EngineThread, prepared: PreparedChange, sql: string, args: readonly Value[]): void {
  if (thread.shared.isInactive()) throw fail('INACTIVE');
  if (thread.shared.isActive()) return;
  throw fail('READ_ONLY_STATEMENT', sql, args.length, prepared.target.name);
}

/**
 * Throws REGION_FULL when the data file exceeds the bound of a persistent region. SQLite itself bounds the files of the
 * others (max_page_count).
 */
export function checkRegionSize(connection: SqlConnection, region: Region | undefined): void {
  if (region?.persistent !== true || region.maxSizeBytes === undefined) return;
  if (usedBytes(connection.database) > region.maxSizeBytes) throw fail('REGION_FULL', region.name, region.maxSizeBytes);
}
