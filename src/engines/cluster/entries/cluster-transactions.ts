/**
 * Implements transactions over entries of TRANSACTIONAL caches with the thin client's. They are optimistic and
 * serializable: none waits for another, and one that was overtaken runs again.
 */
import { type Clock, randomBytes, sleep } from '../../../base/clock.ts';
import { GridError, gridError } from '../../../base/errors.ts';
import { CLUSTER_BOUNDS } from '../../../base/limits.ts';
import type { MaybePromise } from '../../../base/maybe-promise.ts';
import {
  anyCall,
  type Call,
  type CallKind,
  type CallResult,
  type CallTable,
  type EntryChangeKind,
  type EntryKind,
  type IdempotentCall,
  isOnEntries,
  isReadOfEntries,
} from '../../../grid/calls.ts';
import {
  type CacheDefinition,
  type ClusterState,
  TransactionAborted,
  type TransactionCall,
  type TransactionOptions,
  type TransactionResult,
  type TransactionStep,
  type Transactions,
} from '../../../grid/grid.ts';
import type { IdempotencyKey } from '../../../grid/idempotency.ts';
import { checkSent } from '../../../grid/transaction-results.ts';
import { checkCondition, resultOf } from '../../../grid/transactions.ts';
import { decodeTagged, encodeTagged } from '../../../values/tagged-json.ts';
import type { Value } from '../../../values/value.ts';
import type { Pool } from '../connections/pool.ts';
import { TRANSACTION } from '../operations/transaction-operations.ts';
import { NodeError, toGridError } from '../protocol/status.ts';
import type { IdempotencyRecords, OpenTransaction } from './idempotency-records.ts';

export interface ClusterTransactionsOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly defaultTimeoutMs: number;
  /** Returns the operations on entries as parts of a transaction. */
  entriesIn(transaction: OpenTransaction): CallTable<EntryKind>;
  findCache(name: string): Promise<CacheDefinition | undefined>;
  state(): Promise<ClusterState>;
  readonly kept: IdempotencyRecords;
  /** The configured message interceptor, which the request's handler calls. */
  readonly onSend: ((value: Value) => Value) | undefined;
}

/** Operations that a cluster runs outside transactions, or whose effects are invisible to a transaction. */
const OUTSIDE: ReadonlySet<CallKind> = new Set<EntryKind>(['clear', 'size', 'timeToLive', 'updateTtl']);
/** Shortest and longest pause before a transaction that was overtaken runs again. */
const FIRST_PAUSE_MS = 2;
const MAX_PAUSE_MS = 100;
/** Matches the messages of nodes if another transaction has overtaken a commit: it was rolled back. */
const OVERTAKEN = /conflict|TransactionOptimisticException|optimistic/i;
const TIMED_OUT = /timed out|TransactionTimeoutException/i;

/** A transaction's results, and whether they come from an earlier one. */
interface Outcome {
  readonly results: readonly TransactionResult[];
  readonly replayed: boolean;
}

export class ClusterTransactions implements Transactions {
  readonly #options: ClusterTransactionsOptions;
  #running = 0;

  constructor(options: ClusterTransactionsOptions) {
    this.#options = options;
  }

  async run(steps: readonly TransactionStep[], options: TransactionOptions): Promise<readonly TransactionResult[]> {
    const { once, signal, timeoutMs, rollsBack = false } = options;
    await this.#check(steps);
    const outcome = await this.#runAll(steps, once?.key, timeoutMs, signal, rollsBack);
    if (outcome.replayed) once?.onReplay();
    return outcome.results;
  }

  /** Makes one change, and stores its result in the same transaction. */
  async change<K extends EntryChangeKind>(call: Call<K>, { key, onReplay }: IdempotentCall): Promise<CallResult<K>> {
    try {
      const { results, replayed } = await this.#runAll(
        [{ call: anyCall<EntryKind, K>(call) }],
        key,
        0,
        undefined,
        false,
      );
      if (replayed) onReplay();
      return resultOf(call, results[0]);
    } catch (error) {
      throw error instanceof TransactionAborted ? error.reason : error;
    }
  }

  /** Checks all steps before the first one runs: an operation outside the transaction could not be undone. */
  async #check(steps: readonly TransactionStep[]): Promise<void> {
    for (const [index, { call }] of steps.entries()) {
      const reason = await this.#rejection(call);
      if (reason !== undefined) throw new TransactionAborted(index, reason);
    }
    for (const [index, { call }] of steps.entries()) {
      if (call.kind === 'statement' || !isOnEntries(call) || isReadOfEntries(call.kind)) continue;
      const state = await this.#options.state();
      if (state === 'INACTIVE') throw gridError('INACTIVE');
      if (state === 'ACTIVE') return;
      throw new TransactionAborted(index, gridError('READ_ONLY', 'cache operation', call.cache));
    }
  }

  async #rejection(call: TransactionCall): Promise<GridError | undefined> {
    const inTransactions = 'in a transaction of the cluster';
    if (call.kind === 'statement' || !isOnEntries(call)) {
      const what = call.kind === 'statement' ? 'a statement' : 'a counter';
      return gridError('NOT_SUPPORTED', `${what} ${inTransactions}`, 'only entries take part in it');
    }
    if (OUTSIDE.has(call.kind)) {
      return gridError('NOT_SUPPORTED', `this command ${inTransactions}`, 'nodes run it outside');
    }
    const name = call.cache;
    const cache = await this.#options.findCache(name);
    if (cache === undefined) return gridError('CACHE_NOT_FOUND', name);
    if (cache.atomicity === 'TRANSACTIONAL') return undefined;
    return gridError(
      'NOT_SUPPORTED',
      `an entry of ${name} ${inTransactions}`,
      'the cache is ATOMIC, not TRANSACTIONAL',
    );
  }

  /** Runs the steps until no other transaction overtakes them, or the time limit has passed. */
  async #runAll(
    steps: readonly TransactionStep[],
    key: IdempotencyKey | undefined,
    timeoutMs: number,
    signal: AbortSignal | undefined,
    rollsBack: boolean,
  ): Promise<Outcome> {
    const { clock, defaultTimeoutMs, kept } = this.#options;
    if (this.#running >= CLUSTER_BOUNDS.transactions) throw gridError('OVERLOADED', this.#running);
    this.#running++;
    try {
      if (key !== undefined) await kept.prepare(key);
      const limitMs = timeoutMs > 0 ? timeoutMs : defaultTimeoutMs;
      const deadlineMs = clock.monotonicMs() + limitMs;
      for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(MAX_PAUSE_MS, 2 * pauseMs)) {
        const leftMs = deadlineMs - clock.monotonicMs();
        if (leftMs <= 0) throw gridError('QUERY_TIMEOUT', ` (${limitMs} ms)`);
        const outcome = await this.#attempt(steps, key, Math.ceil(leftMs), signal, rollsBack);
        if (outcome !== undefined) return outcome;
        // Jitter keeps conflicting transactions from conflicting again.
        await sleep(clock, pauseMs * (0.5 + (randomBytes(1)[0] ?? 0) / 256));
      }
    } finally {
      this.#running--;
    }
  }

  /** Runs the steps once. Returns undefined if another transaction has overtaken this one. */
  async #attempt(
    steps: readonly TransactionStep[],
    key: IdempotencyKey | undefined,
    timeoutMs: number,
    signal: AbortSignal | undefined,
    rollsBack: boolean,
  ): Promise<Outcome | undefined> {
    const { pool, entriesIn, kept, onSend } = this.#options;
    const connection = await pool.acquire();
    const id = await pool.callOver(connection, TRANSACTION.start, { timeoutMs }, {});
    const transaction = { connection, id };
    let results: TransactionResult[];
    try {
      const answer = key && (await beforeCommit(() => kept.find(key, transaction)));
      if (answer !== undefined) {
        await this.#rollBack(transaction);
        // The same steps have stored it.
        return { results: decodeTagged(answer) as readonly TransactionResult[], replayed: true };
      }
      results = await runSteps(steps, entriesIn(transaction), signal, onSend);
      if (key !== undefined) await beforeCommit(() => kept.keep(key, encodeTagged(results), transaction));
    } catch (error) {
      await this.#rollBack(transaction);
      if (isOvertaken(error)) return undefined;
      throw error;
    }
    if (rollsBack) {
      await this.#rollBack(transaction);
      return { results, replayed: false };
    }
    return (await this.#commit(transaction)) ? { results, replayed: false } : undefined;
  }

  /** Commits. Returns false if the transaction was rolled back because of a conflicting one. Throws OUTCOME_UNKNOWN. */
  async #commit({ connection, id }: OpenTransaction): Promise<boolean> {
    try {
      await this.#options.pool.callOver(connection, TRANSACTION.end, { id, commits: true });
      return true;
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      if (OVERTAKEN.test(error.message)) return false;
      if (TIMED_OUT.test(error.message)) throw gridError('QUERY_TIMEOUT', '');
      throw gridError('OUTCOME_UNKNOWN', error.message);
    }
  }

  /** Rolls back. A lost connection and the time limit also do so. */
  async #rollBack({ connection, id }: OpenTransaction): Promise<void> {
    try {
      await this.#options.pool.callOver(connection, TRANSACTION.end, { id, commits: false });
    } catch {
      // Nothing has been committed.
    }
  }
}

/** Runs the steps in order. Throws TransactionAborted for the one that fails. */
async function runSteps(
  steps: readonly TransactionStep[],
  entries: CallTable<EntryKind>,
  signal: AbortSignal | undefined,
  onSend: ClusterTransactionsOptions['onSend'],
): Promise<TransactionResult[]> {
  const results: TransactionResult[] = [];
  for (const [index, { call, condition }] of steps.entries()) {
    if (signal?.aborted === true) throw gridError('QUERY_CANCELLED', 'the client went away');
    try {
      const result = await beforeCommit(() => runCall(call, entries));
      checkCondition(condition, result, undefined);
      if (onSend !== undefined) checkSent(result, onSend);
      results.push(result);
    } catch (error) {
      throw error instanceof GridError && !isOvertaken(error) ? new TransactionAborted(index, error) : error;
    }
  }
  return results;
}

async function runCall(call: TransactionCall, entries: CallTable<EntryKind>): Promise<TransactionResult> {
  if (call.kind === 'statement' || !isOnEntries(call)) throw new TypeError('a call that was not checked');
  return runEntryCall(call, entries);
}

function runEntryCall<K extends EntryKind>(call: Call<K>, entries: CallTable<EntryKind>): MaybePromise<CallResult<K>> {
  return entries[call.kind](call);
}

/** Returns an operation's result. Before the commit, a lost connection has changed nothing. */
async function beforeCommit<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof GridError && error.code === 'OUTCOME_UNKNOWN') {
      throw gridError('CLUSTER_UNREACHABLE', `${error.message}; nothing was changed`);
    }
    const known = toGridError(error, {});
    if (known instanceof GridError && TIMED_OUT.test(known.message)) throw gridError('QUERY_TIMEOUT', '');
    throw known;
  }
}

function isOvertaken(error: unknown): boolean {
  return error instanceof GridError && error.code === 'OPERATION_FAILED' && OVERTAKEN.test(error.message);
}
