/** Messages between HTTP threads, statement processes and the process that owns the data. Plain data only. */
import type { ErrorCode, ErrorDetails } from '../../../base/errors.ts';
import { SQL_BOUNDS } from '../../../base/limits.ts';
import type { RpcChannel } from '../../../base/rpc-channel.ts';
import type { Tenant } from '../../../base/shares.ts';
import type { Column, RowFormat, TransactionOptions, TransactionStep } from '../../../grid/grid.ts';
import type { IdempotencyKey } from '../../../grid/idempotency.ts';
import type { QueryData } from '../../../grid/queries.ts';
import { boundedFor, type TimeBudget, timeLimitMs } from '../../../grid/statement-budget.ts';
import type { KeyedResult } from '../../../grid/transactions.ts';
import { analyze } from '../../../sql/analysis/analysis.ts';
import type { Value } from '../../../values/value.ts';
import type { ServiceInfo } from '../system-views/service-info.ts';
import type { RecordPositions } from '../writer/changes.ts';
import type { ImportMethods } from './import-protocol.ts';
import type { RunningStatement } from './running-statements.ts';

/** A query as a message: without the signal, but with a ticket that can be cancelled. */
export type SentQuery = QueryData & {
  readonly ticket: number;
  /** Wall-clock time at which it was sent, in ms, because the wait for a process counts towards the time limit. */
  readonly sentAtMs: number;
};

export interface FetchRequest {
  readonly queryId: number;
  readonly pageSize: number;
  readonly owner: string;
  readonly format: RowFormat;
  readonly ticket: number;
}

/** Requests the next chunk of the page that was begun under the ticket. */
export interface ChunkRequest {
  readonly queryId: number;
  readonly owner: string;
  readonly ticket: number;
}

/** A transaction with a ticket that can be cancelled. */
export interface TicketedTransaction extends Omit<TransactionOptions, 'signal' | 'once'> {
  readonly steps: readonly TransactionStep[];
  /** With a key, the transaction runs once; it looks for a result after the positions. */
  readonly once: (RecordPositions & { readonly key: IdempotencyKey }) | undefined;
  readonly ticket: number;
  readonly sentAtMs: number;
}

/** The rows of a statement in a transaction: JSON, or their values if the request's process converts them. */
export interface StepRows {
  readonly columns: readonly Column[];
  readonly rows: string | ReadonlyArray<readonly Value[]>;
  readonly rowCount: number;
}

/** The result of an operation on entries or counters. */
export type PlainResult = KeyedResult;

/** The result of a step; a statement returns its rows. */
export type StepResult = PlainResult | StepRows;

/** Reports whether a result is the rows of a statement. */
export function isRows(result: StepResult): result is StepRows {
  return typeof result === 'object' && result !== null && 'rowCount' in result;
}

/** The results of a transaction. */
export interface RecordedResults {
  /** The id of the statement's pages. */
  readonly queryId: number;
  readonly results: readonly StepResult[];
}

/** The end of a transaction: its results, or the step that ended it and its error. */
export type TransactionEnd = (RecordedResults & { readonly replayed: boolean }) | FailedStep;

/** The step that ended a transaction. */
interface FailedStep extends ErrorDetails {
  readonly step: number;
  readonly code: ErrorCode;
  readonly message: string;
}

/** Returns the text in SYS.SQL_QUERIES for a transaction. */
export function shownTransaction({ steps, owner, sentAtMs }: TicketedTransaction): Omit<RunningStatement, 'id'> {
  return {
    kind: 'sql',
    text: `BATCH (${steps.length} commands)`,
    detail: '',
    owner,
    startedAtMs: sentAtMs,
    pageSize: 0,
  };
}

/** A page, or one chunk of a large one. */
export interface PageChunk {
  readonly queryId: number;
  readonly columns: readonly Column[];
  readonly text: string;
  /** True if the page has more chunks, which `more` returns. */
  readonly more: boolean;
  /** True if the query has ended; valid only if `more` is false. */
  readonly last: boolean;
  readonly rowCount: number;
}

/** The methods that a statement process serves. */
export type StatementMethods = ImportMethods & {
  /** Returns null if another process to which the query was sent has claimed it. */
  readonly execute: { readonly request: SentQuery; readonly response: PageChunk | null };
  /** Returns null if its client has claimed it after waiting too long. */
  readonly transact: { readonly request: TicketedTransaction; readonly response: TransactionEnd | null };
  readonly fetch: { readonly request: FetchRequest; readonly response: PageChunk };
  readonly more: { readonly request: ChunkRequest; readonly response: PageChunk };
  readonly close: { readonly request: { readonly queryId: number; readonly owner: string }; readonly response: null };
};

export type StatementChannel = RpcChannel<StatementMethods, Record<string, never>>;

/** The channels to the statement processes. Opening one starts its process. */
export interface StatementProcesses {
  channel(index: number): Promise<StatementChannel>;
}

/** The reason in a killed statement's error. */
export const KILLED = 'it was killed';

/** The reason in the error of a statement whose time limit has passed. */
export const TIME_OVER = 'the time limit is over';

/** Returns whose share of processes and cursors a query uses. */
export function tenantOf({ tenant, owner }: Pick<SentQuery, 'tenant' | 'owner'>): Tenant {
  return tenant ?? { key: owner, isAdministrator: false };
}

/**
 * Returns a budget with the time limits that apply to a query. There is no longest limit for administrators, for the
 * creation of an index, which cannot be done in parts, and for an export, which reads a whole table.
 */
export function withTimesOf<B extends TimeBudget>(budget: B, query: SentQuery): B {
  if (query.export !== undefined) return { ...budget, timeMs: 0, maxTimeMs: 0 };
  const unbounded = { ...budget, maxTimeMs: 0 };
  const timeoutMs = query.timeoutMs ?? 0;
  if (timeLimitMs(budget, timeoutMs) === timeLimitMs(unbounded, timeoutMs)) return budget;
  return createsIndex(query) ? unbounded : boundedFor(budget, tenantOf(query));
}

function createsIndex(query: SentQuery): boolean {
  return query.kind === 'fields' && analyze(query.sql).kind === 'createIndex';
}

/** A slow statement for the log. It contains no value that a client sent. */
export interface SlowStatement {
  readonly text: string;
  readonly user: string;
  /** Time spent on its process, in ms. */
  readonly timeMs: number;
  /** Full scans that an index would avoid, and the index, or undefined if there are none. */
  readonly advice: string | undefined;
}

/** Returns data about the process that only the service has. */
export type InfoMethods = {
  /** Called for statements that read a view of the service's data. */
  readonly serviceInfo: { readonly request: null; readonly response: ServiceInfo };
};

/** Reports to the writer's thread. */
export type ReportMethods = {
  /** An import has stored entries that expire, the first of them at this time. */
  readonly expectExpiry: {
    readonly request: { readonly cache: string; readonly atMs: number };
    readonly response: null;
  };
  readonly slowStatement: { readonly request: SlowStatement; readonly response: null };
  /** A cursor of this user was closed to make room for one of a user with fewer. */
  readonly cursorEvicted: { readonly request: { readonly user: string }; readonly response: null };
  /** Asks for another process to close a holder's cursor. */
  readonly evictCursor: { readonly request: { readonly holder: string }; readonly response: null };
};

/** A query id modulo this number is the index of its process. */
export const PROCESSES_PER_ID = 32;

export function processOfQuery(queryId: number): number {
  return queryId % PROCESSES_PER_ID;
}

/** Reports whether a statement's text is long enough that its tokens and trees may take much memory. */
export function isLongText(query: SentQuery): boolean {
  return query.kind !== 'scan' && query.sql.length > SQL_BOUNDS.longCharacters;
}
