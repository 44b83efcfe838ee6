/**
 * Runs transactions in the process for changes, on its writable connection, while no other thread writes. All changes
 * of a transaction are in one database file, because a commit over two files is not atomic.
 */
import { GridError, gridError } from '../../../../base/errors.ts';
import { isOnEntries, isReadOfEntries } from '../../../../grid/calls.ts';
import { boundedFor, type StatementBudget } from '../../../../grid/statement-budget.ts';
import { checkSent, sizeOfResult } from '../../../../grid/transaction-results.ts';
import {
  checkCondition,
  TransactionAborted,
  type TransactionCall,
  type TransactionStep,
} from '../../../../grid/transactions.ts';
import type { SharedQueryState } from '../../shared/shared-query-state.ts';
import {
  isRows,
  type PlainResult,
  type RecordedResults,
  type StepResult,
  shownTransaction,
  type TicketedTransaction,
  type TransactionEnd,
} from '../../shared/statement-protocol.ts';
import { findResults, insertResults } from '../../shared/transaction-records.ts';
import { DATA_DATABASE } from '../../storage/databases.ts';
import type { SpaceUse } from '../../storage/disk-space.ts';
import { storageFailure } from '../../storage/storage-failures.ts';
import { whileLocked } from '../../storage/write-transactions.ts';
import type { EngineThread } from '../../thread/engine-thread.ts';
import type { ChangeRunner } from '../change-runner.ts';
import type { SqlConnection } from '../sql-connection.ts';
import { StatementWatch } from '../statement-watch.ts';
import type { DataLocation, TransactionEntries } from './transaction-entries.ts';
import {
  countOfChange,
  type StepStatement,
  type TransactionStatementOptions,
  TransactionStatements,
} from './transaction-statements.ts';

export interface TransactionRunnerOptions extends TransactionStatementOptions {
  readonly changes: ChangeRunner;
  readonly queryState: SharedQueryState;
  /** Index of this thread among the statement processes. */
  readonly index: number;
  readonly budget: StatementBudget;
  readonly requestCheckpoint: () => void;
}

/** The databases of a transaction. */
interface Plan {
  /** The databases that it reads or changes. */
  readonly databases: ReadonlySet<number>;
  /** The one that it changes, or undefined if it only reads. */
  readonly changed: number | undefined;
  /** Its effect on the space, or undefined if it removes by key. */
  readonly space: SpaceUse | undefined;
}

/** Results, and whether they come from an earlier run. */
interface TransactionResults extends RecordedResults {
  readonly replayed: boolean;
}

/** How a transaction runs. */
interface RunOptions {
  readonly queryId: number;
  readonly once: TicketedTransaction['once'];
  readonly rollsBack: boolean;
}

/** A step's result with the number of changed or returned rows. */
interface Done {
  readonly result: StepResult;
  readonly rows: bigint | undefined;
}

export class TransactionRunner {
  readonly #options: TransactionRunnerOptions;
  readonly #thread: EngineThread;
  readonly #statements: TransactionStatements;

  constructor(options: TransactionRunnerOptions) {
    this.#options = options;
    this.#thread = options.thread;
    this.#statements = new TransactionStatements(options);
  }

  /**
   * Runs the steps or, with a key, returns the stored results of an earlier run. Throws errors of the whole
   * transaction; a step's error is part of its end.
   */
  async run(transaction: TicketedTransaction, queryId: number): Promise<TransactionEnd> {
    const { queryState, index, budget } = this.#options;
    if (this.#thread.shared.isInactive()) throw gridError('INACTIVE');
    const { ticket, sentAtMs, timeoutMs, tenant } = transaction;
    const { clock } = this.#thread;
    const waitedMs = clock.nowMs() - sentAtMs;
    const shown = { ...shownTransaction(transaction), id: queryId };
    const entry = queryState.beginStatement(index, shown, ticket, waitedMs);
    const start = { index, ticket, limitMs: timeoutMs, waitedMs, entry };
    try {
      const watch = new StatementWatch(clock, queryState, boundedFor(budget, tenant), start);
      return await this.#run(transaction, queryId, watch);
    } catch (error) {
      if (!(error instanceof TransactionAborted)) throw error;
      const { code, message, parameter, position, remedy } = error.reason;
      return { step: error.step, code, message, parameter, position, remedy };
    } finally {
      entry?.end();
    }
  }

  async #run(
    { steps, once, rollsBack = false }: TicketedTransaction,
    queryId: number,
    watch: StatementWatch,
  ): Promise<TransactionResults> {
    const prepared = steps.map((step, index) => attempt(index, () => this.#prepare(step.call)));
    let end: TransactionResults = { queryId, results: [], replayed: false };
    const done = (results: readonly StepResult[]): void => {
      end = { queryId, results, replayed: false };
    };
    if (!steps.some(({ call }, index) => changes(call, prepared[index]))) {
      // Reads share a snapshot without the write lock.
      this.#transact(steps, prepared, { queryId, once: undefined, rollsBack }, watch, done);
      return end;
    }
    const transact = (): void => {
      const recorded = once && findResults(this.#thread, once);
      if (recorded === undefined) this.#transact(steps, prepared, { queryId, once, rollsBack }, watch, done);
      else end = { ...recorded, replayed: true };
    };
    await whileLocked(this.#thread.shared, 'statement', transact, watch.check);
    this.#options.requestCheckpoint();
    return end;
  }

  #prepare(call: TransactionCall): StepStatement | undefined {
    return call.kind === 'statement' ? this.#statements.prepare(call.query) : undefined;
  }

  /** Runs the transaction and returns its results. */
  #transact(
    steps: readonly TransactionStep[],
    prepared: ReadonlyArray<StepStatement | undefined>,
    { queryId, once, rollsBack }: RunOptions,
    watch: StatementWatch,
    done: (results: readonly StepResult[]) => void,
  ): void {
    const connection = this.#options.changes.connection();
    const entries = this.#options.changes.entries;
    const current = steps.map(({ call }, index) =>
      attempt(index, () => {
        const statement = prepared[index];
        return call.kind === 'statement' && statement ? this.#statements.current(statement, call.query) : undefined;
      }),
    );
    const plan = this.#plan(steps, current, entries);
    connection.attach(plan.databases);
    const { changed, space } = plan;
    // The names are in the data file: as part of this transaction they would be a commit over two files.
    const storesNames = changed !== undefined && changed !== DATA_DATABASE;
    if (storesNames && !rollsBack)
      for (const { call } of steps) if (call.kind !== 'statement') entries.storeTypeNames(call);
    const run = (): readonly StepResult[] => {
      watch.use(connection.guarded);
      const results = watch[changed === undefined ? 'run' : 'runLocked'](() =>
        this.#runAll(steps, current, connection, entries, watch),
      );
      if (rollsBack || changed === undefined) return results;
      if (once !== undefined) {
        const { idempotencyAnswerCharacters } = this.#thread.limits;
        insertResults(entries.target(changed), once.key, { queryId, results }, idempotencyAnswerCharacters);
      }
      watch.beginCommit();
      entries.writeCounts(changed);
      return results;
    };
    try {
      const { transactions } = connection;
      const { databases } = plan;
      const results =
        changed === undefined
          ? transactions.read(databases, run)
          : transactions.run(changed, run, { databases, rollsBack, space });
      if (rollsBack) entries.rolledBack();
      else entries.committed();
      done(results);
    } catch (error) {
      entries.rolledBack();
      throw error instanceof GridError || error instanceof TransactionAborted
        ? error
        : storageFailure(error, this.#regionOf(changed));
    } finally {
      watch.use(undefined);
    }
  }

  /** Runs the steps in order. Throws TransactionAborted for one that fails, or whose result is too large. */
  #runAll(
    steps: readonly TransactionStep[],
    statements: ReadonlyArray<StepStatement | undefined>,
    connection: SqlConnection,
    entries: TransactionEntries,
    watch: StatementWatch,
  ): StepResult[] {
    const limit = this.#thread.limits.batchResponseCharacters;
    const { onSend } = this.#options;
    let size = 0;
    return steps.map((step, index) =>
      attempt(index, () => {
        const result = ended(watch, () => this.#step(step, statements[index], connection, entries, watch));
        if (onSend !== undefined) checkSent(isRows(result) ? result.rows : result, onSend);
        size += sizeOfResult(result);
        if (size > limit)
          throw gridError('LIMIT_EXCEEDED', 'batch response characters', limit, size, 'batchResponseCharacters');
        return result;
      }),
    );
  }

  /** Checks the state and the caches of all steps before the first one runs. */
  #plan(
    steps: readonly TransactionStep[],
    statements: ReadonlyArray<StepStatement | undefined>,
    entries: TransactionEntries,
  ): Plan {
    const databases = new Set<number>();
    let changed: DataLocation | undefined;
    let space: SpaceUse | undefined;
    for (const [index, { call }] of steps.entries()) {
      attempt(index, () => {
        const statement = statements[index];
        const places = this.#placesOf(call, statement, entries);
        for (const { database } of places) databases.add(database);
        const [target] = places;
        if (target === undefined || !changes(call, statement)) return;
        changed ??= target;
        if (changed.database !== target.database) throw gridError('BATCH_REGIONS', changed.region, target.region);
        if (!removes(call, statement)) space = 'adds';
        else if (call.kind === 'statement') space ??= 'removes';
      });
    }
    return { databases, changed: changed?.database, space };
  }

  /** Returns where a call reads or writes, with the place that it changes first. */
  #placesOf(
    call: TransactionCall,
    statement: StepStatement | undefined,
    entries: TransactionEntries,
  ): readonly DataLocation[] {
    if (call.kind !== 'statement') return [entries.placeOf(call)];
    if (statement?.kind === 'change') this.#statements.checkState(statement, call.query);
    return statement === undefined ? [] : this.#statements.placesOf(statement);
  }

  #step(
    { call, condition }: TransactionStep,
    statement: StepStatement | undefined,
    connection: SqlConnection,
    entries: TransactionEntries,
    watch: StatementWatch,
  ): StepResult {
    watch.poll();
    const { result, rows } =
      call.kind === 'statement' && statement !== undefined
        ? this.#statement(call, statement, connection, entries, watch)
        : { result: this.#entry(call, entries), rows: undefined };
    checkCondition(condition, isRows(result) ? null : result, rows);
    return result;
  }

  #entry(call: TransactionCall, entries: TransactionEntries): PlainResult {
    if (call.kind === 'statement') throw new TypeError('a statement that was not prepared');
    try {
      return entries.run(call);
    } catch (error) {
      throw storageFailure(error, this.#regionOf(entries.placeOf(call).database));
    }
  }

  #statement(
    { query }: Extract<TransactionCall, { kind: 'statement' }>,
    statement: StepStatement,
    connection: SqlConnection,
    entries: TransactionEntries,
    watch: StatementWatch,
  ): Done {
    const { clock } = this.#thread;
    const startMs = clock.monotonicMs();
    let rows: number | undefined;
    try {
      if (statement.kind === 'query') {
        const result = this.#statements.rows(statement, query, connection, watch);
        rows = result.rowCount;
        return { result, rows: BigInt(rows) };
      }
      const { updated, addedRows } = this.#statements.change(
        statement,
        query,
        connection,
        watch,
        entries.ofStatement(statement),
      );
      rows = Number(updated);
      entries.countStatement(statement.target.cache, updated, addedRows);
      if (addedRows > 0) connection.checkRegionSize(this.#thread.regions.get(statement.target.region));
      return { result: countOfChange(statement, query, updated), rows: updated };
    } finally {
      const durationMs = clock.monotonicMs() - startMs;
      const { schema } = statement;
      const startedAtMs = clock.nowMs() - durationMs;
      const failed = rows === undefined;
      this.#options.queryState.history.note({
        schema,
        sql: query.sql,
        failed,
        startedAtMs,
        durationMs,
        rows: rows ?? 0,
      });
    }
  }

  #regionOf(database: number | undefined) {
    return database === undefined ? undefined : this.#thread.reads.files.temporaryRegions[database - 1];
  }
}

/** Reports whether a step changes anything. */
function changes(call: TransactionCall, statement: StepStatement | undefined): boolean {
  if (call.kind === 'statement') return statement?.kind === 'change';
  return !isOnEntries(call) || !isReadOfEntries(call.kind);
}

/** Reports whether a step only removes. */
function removes(call: TransactionCall, statement: StepStatement | undefined): boolean {
  if (call.kind === 'statement') return statement?.kind === 'change' && statement.change === 'delete';
  return REMOVING.has(call.kind);
}

const REMOVING: ReadonlySet<string> = new Set(['remove', 'getAndRemove', 'removeIfEquals', 'removeAll', 'clear']);

/** Runs a step. If the statement's budget ended it, throws the budget's error, which the step itself cannot know. */
function ended<T>(watch: StatementWatch, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw watch.endOf(error);
  }
}

/** Runs part of a step. Throws TransactionAborted for its errors. */
function attempt<T>(index: number, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw error instanceof GridError ? new TransactionAborted(index, error) : error;
  }
}
