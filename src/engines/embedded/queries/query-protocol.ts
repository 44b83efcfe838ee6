/** What HTTP threads ask query threads, and what query threads ask the owner of the data. Plain data only. */
import type { Column, FieldsQuery, RowFormat, ScanQuery, TypeQuery } from '../../../grid/grid.ts';

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

/** A page or the next piece of a big one. */
export interface PagePiece {
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
  readonly execute: { readonly question: SentQuery; readonly answer: PagePiece };
  readonly fetch: { readonly question: FetchQuestion; readonly answer: PagePiece };
  readonly more: {
    readonly question: { readonly queryId: number; readonly owner: string };
    readonly answer: PagePiece;
  };
  readonly close: { readonly question: { readonly queryId: number; readonly owner: string }; readonly answer: null };
};

/** Answered by the owner of the data. */
export type LeaseServices = {
  /** Resolves when the thread alone may write. */
  readonly beginLease: { readonly question: null; readonly answer: null };
  /** Numbers of the databases that were committed to. */
  readonly endLease: { readonly question: readonly number[]; readonly answer: null };
};

/** Query ids carry the number of their thread in their last part. */
export const THREADS_PER_ID = 16;

export function threadOfQuery(queryId: number): number {
  return queryId % THREADS_PER_ID;
}

const TICKETS = 1024;

/**
 * Cancelling reaches a thread that is inside SQLite through shared memory: a statement compares its ticket with the
 * cell that the ticket falls on, every few rows.
 */
export class Tickets {
  readonly memory: SharedArrayBuffer;
  readonly #cells: Int32Array;

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer((TICKETS + 1) * Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#cells = new Int32Array(memory);
  }

  /** A ticket that no running statement has. */
  next(): number {
    return (Atomics.add(this.#cells, TICKETS, 1) + 1) & 0x3fffffff;
  }

  cancel(ticket: number): void {
    Atomics.store(this.#cells, ticket % TICKETS, ticket + 1);
  }

  isCancelled(ticket: number): boolean {
    return Atomics.load(this.#cells, ticket % TICKETS) === ticket + 1;
  }
}
