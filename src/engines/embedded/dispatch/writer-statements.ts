/** Runs changes by key in the writer's batches, on the writer's connections. */
import type { Database } from 'bun:sqlite';
import type { Clock } from '../../../base/clock.ts';
import { sqlFailure } from '../../../base/sql-errors.ts';
import { EngineCatalog } from '../catalog/engine-catalog.ts';
import { checkChange } from '../shared/change-state.ts';
import { checkGranted } from '../shared/granted-tables.ts';
import { PreparedStatements } from '../shared/prepared-statements.ts';
import { statementFailure } from '../shared/sql-failures.ts';
import { statementEntries } from '../shared/statement-entries.ts';
import { runChange } from '../sql/run-change.ts';
import type { PreparedChange } from '../sql/statement.ts';
import { StatementCache } from '../sql/statement-cache.ts';
import type { EngineThread } from '../thread/engine-thread.ts';
import type { SentStatement } from '../writer/changes.ts';
import type { EntryWriters } from '../writer/entry-writers.ts';
import type { StatementExecutor, StatementResult } from '../writer/executors.ts';

export class WriterStatements implements StatementExecutor {
  readonly #thread: EngineThread;
  readonly #clock: Clock;
  readonly #cache: PreparedStatements;
  readonly #prepared = new WeakMap<SentStatement, PreparedChange>();
  readonly #connections = new Map<Database, StatementCache>();

  constructor(thread: EngineThread, clock: Clock) {
    this.#thread = thread;
    this.#clock = clock;
    this.#cache = new PreparedStatements(new EngineCatalog(thread, () => [], 'plain'));
  }

  /** Prepares the change. Throws PERMISSION_DENIED, and READ_ONLY or INACTIVE depending on the cluster's state. */
  prepare(statement: SentStatement): PreparedChange {
    const { sql, schema, args, user, grant } = statement;
    const prepared = this.#cache.get(sql, schema, args);
    if (grant !== undefined) checkGranted(prepared, grant, user);
    // A definition may have changed since the request's thread prepared the statement.
    if (prepared.kind !== 'change' || !prepared.byKey) {
      throw statementFailure(sqlFailure('TABLES_CHANGED'), sql);
    }
    checkChange(this.#thread, prepared, sql, args);
    this.#prepared.set(statement, prepared);
    return prepared;
  }

  prepared(statement: SentStatement): PreparedChange {
    const prepared = this.#prepared.get(statement);
    if (prepared === undefined) throw new TypeError('a statement that was not prepared');
    return prepared;
  }

  /**
   * Runs the change atomically, inside the transaction that the writer began on `database`. `failure` is the client's
   * error for a change that is nevertheless committed.
   */
  run(statement: SentStatement, prepared: PreparedChange, database: Database, entries: EntryWriters): StatementResult {
    const statements = this.#statements(database);
    const nowMs = this.#clock.nowMs();
    statements.setEnvironment(nowMs, statement.user, statement.schema);
    const changes = statementEntries(this.#thread, prepared, entries);
    const several = prepared.steps.length > 1 || changes !== undefined;
    if (several) database.run('SAVEPOINT statement');
    try {
      const result = runChange(prepared, statement.args, nowMs, undefined, statements, undefined, changes);
      if (several) database.run('RELEASE statement');
      if (result.failure === undefined) return result;
      return { ...result, failure: statementFailure(result.failure, statement.sql) };
    } catch (error) {
      if (several && database.inTransaction) database.run('ROLLBACK TO statement; RELEASE statement');
      changes?.rolledBack();
      if (several) entries.partRolledBack();
      throw statementFailure(error, statement.sql);
    }
  }

  /** Finalizes every statement, before files are removed. */
  release(): void {
    for (const statements of this.#connections.values()) statements.finalize();
    this.#connections.clear();
  }

  #statements(database: Database): StatementCache {
    const known = this.#connections.get(database);
    if (known !== undefined) return known;
    const created = new StatementCache(database);
    this.#connections.set(database, created);
    return created;
  }
}
