/** What HTTP threads ask query threads, and what query threads ask the owner of the data. Plain data only. */
import type { Column, FieldsQuery, RowFormat, ScanQuery, TypeQuery } from '../../../grid/grid.ts';
import type { ServiceInfo } from '../system-views/service-info.ts';

/** A query as it travels: without the signal, with a ticket by which it can be cancelled. */
export type SentQuery = (Omit<FieldsQuery, 'signal'> | Omit<TypeQuery, 'signal'> | Omit<ScanQuery, 'signal'>) & {
  readonly ticket: number;
};

export interface FetchQuestion {
  readonly queryId: number;
  readonly pageSize: number;
  readonly owner: string;
  readonly format: RowFormat;
  readonly ticket: number;
}

/** Asks for the next piece of the page that was begun under the ticket. */
export interface ChunkRequest {
  readonly queryId: number;
  readonly owner: string;
  readonly ticket: number;
}

/** A page or the next piece of a big one. */
export interface PageChunk {
  readonly queryId: number;
  readonly columns: readonly Column[];
  readonly text: string;
  /** True: the page goes on, ask with `more`. */
  readonly more: boolean;
  /** Of the page when `more` is false. */
  readonly last: boolean;
  readonly rowCount: number;
}

/** Answered by a query thread. */
export type QueryServices = {
  /** Null: another thread, which the query was sent to as well, has begun it. */
  readonly execute: { readonly question: SentQuery; readonly answer: PageChunk | null };
  readonly fetch: { readonly question: FetchQuestion; readonly answer: PageChunk };
  readonly more: { readonly question: ChunkRequest; readonly answer: PageChunk };
  readonly close: { readonly question: { readonly queryId: number; readonly owner: string }; readonly answer: null };
};

/** Answered by the owner of the data. */
export type WriteLockMethods = {
  /** Resolves when the thread alone may write. */
  readonly acquireWriteLock: { readonly question: null; readonly answer: null };
  /** Numbers of the databases that were committed to. */
  readonly releaseWriteLock: { readonly question: readonly number[]; readonly answer: null };
};

/** A statement that took long, as it is logged: no value that a client sent stands in it. */
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
  readonly serviceInfo: { readonly question: null; readonly answer: ServiceInfo };
};

/** Told to the owner of the data. */
export type ReportServices = {
  readonly slowStatement: { readonly question: SlowStatement; readonly answer: null };
};

/** Query ids carry the number of their thread in their last part. */
export const THREADS_PER_ID = 16;

export function threadOfQuery(queryId: number): number {
  return queryId % THREADS_PER_ID;
}
