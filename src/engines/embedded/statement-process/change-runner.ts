/**
 * Runs changes in a statement process, because they may take long. The writer waits in the meantime; reads continue.
 */
import type { Clock } from '../../../base/clock.ts';
import type { EngineCatalog } from '../catalog/engine-catalog.ts';
import type { StatementGuard } from '../native/statement-guard.ts';
import { checkChange } from '../shared/change-state.ts';
import type { SharedQueryState } from '../shared/shared-query-state.ts';
import { statementFailure } from '../shared/sql-failures.ts';
import type { SentQuery } from '../shared/statement-protocol.ts';
import { type ChangeResult, type Freeing, runChange } from '../sql/run-change.ts';
import type { PreparedChange } from '../sql/statement.ts';
import { type WriteTransactions, whileLocked } from '../storage/write-transactions.ts';
import type { EngineThread } from '../thread/engine-thread.ts';
import type { ChangeChannel } from '../writer/changes.ts';
import type { SqlConnection } from './sql-connection.ts';
import type { StatementWatch } from './statement-watch.ts';
import type { Statistics } from './statistics.ts';
import { TransactionEntries } from './transactions/transaction-entries.ts';

export interface ChangeRunnerOptions {
  readonly thread: EngineThread;
  readonly clock: Clock;
  readonly queryState: SharedQueryState;
  readonly changes: ChangeChannel;
  readonly catalog: EngineCatalog;
  readonly statistics: Statistics;
  /** Interrupts statements inside SQLite; if undefined, they end with their process. */
  readonly guard: StatementGuard | undefined;
  /** Opens a writable connection. */
  readonly open: () => SqlConnection;
  /** Called for a cache whose entries expire, with the earliest time. */
  readonly onExpiry: (cache: string, atMs: number) => void;
  /** Asks the service to checkpoint the logs. */
  readonly requestCheckpoint: () => void;
}

type Fields = Extract<SentQuery, { kind: 'fields' }>;

export class ChangeRunner {
  readonly #options: ChangeRunnerOptions;
  #writing: SqlConnection | undefined;
  #entries: TransactionEntries | undefined;

  constructor(options: ChangeRunnerOptions) {
    this.#options = options;
  }

  /** Runs the change atomically. Returns the number of changed rows. */
  async change(prepared: PreparedChange, query: Fields, watch: StatementWatch): Promise<bigint> {
    const { thread, clock, statistics, requestCheckpoint } = this.#options;
    checkChange(thread, prepared, query.sql, query.args);
    statistics.noteUse(prepared.tables);
    // Nothing that can fail may follow the commit: the client would believe that nothing was changed.
    const { slot } = thread.registry.require(prepared.target.cache);
    let updated = 0n;
    let failure: unknown;
    const run = (): void => {
      ({ updated, failure } = this.#runChange(prepared, query, watch, prepared.target.database));
    };
    await whileLocked(thread.shared, 'statement', run, watch.check);
    thread.metrics.countWrites(slot, Number(updated), clock.nowMs());
    requestCheckpoint();
    if (failure !== undefined) throw statementFailure(failure, query.sql);
    return updated;
  }

  /** Closes the connection, before files are removed. */
  release(): void {
    if (this.#writing === undefined) return;
    this.#entries?.release();
    this.#writing.close();
    this.#writing = undefined;
  }

  #runChange(prepared: PreparedChange, query: Fields, watch: StatementWatch, number: number): ChangeResult {
    const { thread, clock } = this.#options;
    const connection = this.connection();
    const { register, statements, transactions } = connection;
    const databases = prepared.tables.map(({ database }) => database);
    connection.attach(databases);
    statements.setEnvironment(clock.nowMs(), query.owner, prepared.schema);
    register.context.poll = watch.poll;
    const region = thread.regions.get(prepared.target.region);
    const entries = prepared.target.entries === undefined ? undefined : this.entries;
    const change = (): ChangeResult => {
      watch.use(connection.guarded);
      const freeing = freeingOf(thread, prepared, transactions);
      const result = watch.runLocked(() =>
        runChange(prepared, query.args, clock.nowMs(), query, statements, freeing, entries?.ofStatement(prepared)),
      );
      watch.use(undefined);
      if (result.addedRows !== 0) {
        connection.addEntries(number, thread.registry.require(prepared.target.cache).id, result.addedRows);
      }
      if (result.addedRows > 0) connection.checkRegionSize(region);
      watch.beginCommit();
      return result;
    };
    try {
      const space = prepared.change === 'delete' ? 'removes' : 'adds';
      const result = transactions.run(number, change, { databases, space });
      entries?.committed();
      return result;
    } catch (error) {
      entries?.rolledBack();
      throw statementFailure(error, query.sql, region);
    } finally {
      statements.finalizeLong();
    }
  }

  /** The entries of caches, as transactions change them on the connection. */
  get entries(): TransactionEntries {
    const { thread, changes, onExpiry } = this.#options;
    this.#entries ??= new TransactionEntries(thread, () => this.connection(), changes, onExpiry);
    return this.#entries;
  }

  /** Returns the writable connection, reopened if its files or statistics have changed. */
  connection(): SqlConnection {
    const { thread, queryState, open } = this.#options;
    const { epoch, statistics } = this.#writing ?? {};
    if (epoch !== thread.shared.epoch() || statistics !== queryState.statisticsVersion()) this.release();
    this.#writing ??= open();
    return this.#writing;
  }
}

/**
 * Returns a function that runs the part of a change that empties its table in one step, or undefined if its rows must
 * be removed one by one, because each removal is recorded.
 */
export function freeingOf(
  { registry }: EngineThread,
  { target }: PreparedChange,
  transactions: WriteTransactions,
): Freeing | undefined {
  if (registry.require(target.cache).definition.changeFeed === true) return undefined;
  return (action) => transactions.free(action);
}
