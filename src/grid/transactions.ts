/** The port's transactions: several calls that take effect together or not at all. */
import { type GridError, gridError } from '../base/errors.ts';
import type { Tenant } from '../base/shares.ts';
import type { Call, CallKind, CallResult, EntryKind, IdempotentCall } from './calls.ts';
import { dataOf, type FieldsQueryData, type Owner, type QueryPage } from './queries.ts';

/** A statement inside a transaction. */
export type StatementQuery = FieldsQueryData;

/** A call by key inside a transaction. */
export type KeyedCall = Call<EntryKind | 'addToCounter'>;

/** A call inside a transaction. A statement returns all its rows, up to its page size. */
export type TransactionCall = KeyedCall | { readonly kind: 'statement'; readonly query: StatementQuery };

/**
 * A call with the condition under which the transaction continues: a result other than false, or that number of
 * changed or returned rows.
 */
export interface TransactionStep {
  readonly call: TransactionCall;
  readonly condition?: { readonly kind: 'notFalse' } | { readonly kind: 'rows'; readonly count: bigint };
}

/** The result of a call by key. */
export type KeyedResult = CallResult<KeyedCall['kind']> | null;

export type TransactionResult = KeyedResult | QueryPage;

export interface TransactionOptions {
  readonly owner: Owner;
  readonly tenant: Tenant;
  /** 0 means the engine's default. */
  readonly timeoutMs: number;
  /** Rolls the transaction back when the client disconnects. */
  readonly signal: AbortSignal;
  /** Ends the transaction without its changes: the results are those that it would have had. */
  readonly rollsBack?: boolean;
  /** Runs the transaction at most once. */
  readonly once?: IdempotentCall;
}

/** Several calls as one transaction. */
export interface Transactions {
  /**
   * Runs the steps in order as one serializable transaction, and returns their results when its changes are durable and
   * visible: either all of them or, if it rejects, none. With a key, the same commit stores the results, unless no step
   * changes anything. Throws TransactionAborted, QUERY_CANCELLED, WRITE_LOCK_TIME, OUTCOME_UNKNOWN,
   * IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_KEY_IN_USE and IDEMPOTENCY_FULL.
   */
  run(steps: readonly TransactionStep[], options: TransactionOptions): Promise<readonly TransactionResult[]>;
}

/** Thrown if a step of a transaction fails, or its condition is not met. Nothing has been changed. */
export class TransactionAborted extends Error {
  /** Index of the step. */
  readonly step: number;
  readonly reason: GridError;

  constructor(step: number, reason: GridError) {
    super(reason.message, { cause: reason });
    this.name = 'TransactionAborted';
    this.step = step;
    this.reason = reason;
  }
}

/** Returns a call as part of a transaction, with its statements' signal. Throws BATCH_COMMAND. */
export function transactionCall(call: Call): TransactionCall {
  if (call.kind === 'counterTimeToLive' || call.kind === 'persistCounter') {
    throw gridError('BATCH_COMMAND', 'The deadline of a counter', 'a transaction reads and changes none');
  }
  if (call.kind !== 'statement') return call;
  return { kind: 'statement', query: dataOf(call.query) };
}

/** Returns the result of a call that was a step. A transaction returns for each call what its kind declares. */
export function resultOf<K extends CallKind>(_call: Call<K>, result: TransactionResult | undefined): CallResult<K> {
  return result as CallResult<K>;
}

/** Throws BATCH_CONDITION unless the result meets the condition. `rows` is the number of changed or returned rows. */
export function checkCondition(
  condition: TransactionStep['condition'],
  result: TransactionResult,
  rows: bigint | undefined,
): void {
  if (condition === undefined) return;
  if (condition.kind === 'notFalse') {
    if (result === false) throw gridError('BATCH_CONDITION', 'its result is false');
  } else if (rows !== condition.count) {
    throw gridError('BATCH_CONDITION', `rows=${rows ?? 'none'}, expectedRows=${condition.count}`);
  }
}

/** Runs a statement as a separate transaction, at most once. */
export async function statementOnce(
  transactions: Transactions,
  call: Call<'statement'>,
  once: IdempotentCall,
): Promise<QueryPage> {
  const query = dataOf(call.query);
  const { owner, timeoutMs = 0, tenant = { key: owner, isAdministrator: false }, pageSize } = query;
  const signal = call.query.sender?.signal() ?? new AbortController().signal;
  const step = { call: { kind: 'statement', query: { ...query, pageSize: Math.max(1, pageSize) } } } as const;
  try {
    const [page] = await transactions.run([step], { owner, tenant, timeoutMs, signal, once });
    return resultOf(call, page);
  } catch (error) {
    throw error instanceof TransactionAborted ? error.reason : error;
  }
}
