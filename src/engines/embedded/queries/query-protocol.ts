/** Messages between HTTP threads, query threads and the thread that owns the data. Plain data only. */
import type { Column, FieldsQuery, RowFormat, ScanQuery, TypeQuery } from '../../../grid/grid.ts';
import type { ServiceInfo } from '../system-views/service-info.ts';

/** A query as it is sent: without the signal, with the ticket by which it can be cancelled. */
export type SentQuery = (Omit<FieldsQuery, 'signal'> | Omit<TypeQuery, 'signal'> | Omit<ScanQuery, 'signal'>) & {
  readonly ticket: number;
  /** Wall-clock time at which it was sent, in ms: the wait for a thread counts towards the time limit. */
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

/** A page, or one chunk of a big one. */
export interface PageChunk {
  readonly queryId: number;
  readonly columns: readonly Column[];
  readonly text: string;
  /** Whether the page has further chunks, which `more` returns. */
  readonly more: boolean;
  /** Whether the query has ended; valid when `more` is false. */
  readonly last: boolean;
  readonly rowCount: number;
}

/** Answered by a query thread. */
export type QueryMethods = {
  /** Null: another thread, which the query was sent to as well, has begun it. */
  readonly execute: { readonly request: SentQuery; readonly response: PageChunk | null };
  readonly fetch: { readonly request: FetchRequest; readonly response: PageChunk };
  readonly more: { readonly request: ChunkRequest; readonly response: PageChunk };
  readonly close: { readonly request: { readonly queryId: number; readonly owner: string }; readonly response: null };
};

/** Answered by the owner of the data. */
export type WriteLockMethods = {
  /** Resolves when the thread alone may write. */
  readonly acquireWriteLock: { readonly request: null; readonly response: null };
  /** Numbers of the databases that were committed to. */
  readonly releaseWriteLock: { readonly request: readonly number[]; readonly response: null };
};

/** A statement that took long, as it is logged: it contains no value that a client sent. */
export interface SlowStatement {
  readonly text: string;
  readonly user: string;
  /** Time in which it had its thread, in ms. */
  readonly timeMs: number;
  /** What it reads without need, and what would help; undefined when nothing was found. */
  readonly advice: string | undefined;
}

/** What only the service knows of its process. */
export type InfoMethods = {
  /** Asked for statements that name a view of the service. */
  readonly serviceInfo: { readonly request: null; readonly response: ServiceInfo };
};

/** Told to the owner of the data. */
export type ReportMethods = {
  readonly slowStatement: { readonly request: SlowStatement; readonly response: null };
};

/** Query ids carry the number of their thread in their last part. */
export const THREADS_PER_ID = 16;

export function threadOfQuery(queryId: number): number {
  return queryId % THREADS_PER_ID;
}
