/**
 * What ends a statement before it is done: its client went away, its query was closed, the process stops, or its time
 * is
 * over. Only the time in which the statement has its thread counts: a client may read a big page slowly.
 */
import type { Clock } from '../../../base/clock.ts';
import { fail } from '../../../base/errors.ts';
import type { QueryBoard } from './query-board.ts';

export class StatementWatch {
  readonly #clock: Clock;
  readonly #board: QueryBoard;
  readonly #limitMs: number;
  #ticket: number;
  #leftMs: number;
  #resumedMs: number | undefined;
  #deadlineMs = Number.POSITIVE_INFINITY;
  #usedMs = 0;
  readonly #begunMs: number;

  /** `limitMs` is the most time for each page; 0: any. */
  constructor(clock: Clock, board: QueryBoard, ticket: number, limitMs: number) {
    this.#clock = clock;
    this.#board = board;
    this.#limitMs = limitMs > 0 ? limitMs : Number.POSITIVE_INFINITY;
    this.#ticket = ticket;
    this.#leftMs = this.#limitMs;
    this.#begunMs = clock.monotonicMs();
  }

  get ticket(): number {
    return this.#ticket;
  }

  /** Time in which the statement had its thread. */
  get usedMs(): number {
    return this.#usedMs;
  }

  /** A page begins, with all of its time. */
  beginPage(ticket: number): void {
    this.#ticket = ticket;
    this.#leftMs = this.#limitMs;
  }

  /** Runs `action` on the statement's time. Refuses QUERY_CANCELLED. */
  run<T>(action: () => T): T {
    const begunMs = this.#clock.monotonicMs();
    this.#resumedMs = begunMs;
    this.#deadlineMs = begunMs + this.#leftMs;
    try {
      this.poll();
      return action();
    } finally {
      const tookMs = this.#clock.monotonicMs() - begunMs;
      this.#usedMs += tookMs;
      this.#leftMs -= tookMs;
      this.#resumedMs = undefined;
    }
  }

  /** Called again and again by the statement; refuses QUERY_CANCELLED. */
  readonly poll = (): void => {
    // Rows are also read when nobody waits for them, to free their snapshot.
    if (this.#resumedMs === undefined) return;
    if (this.#board.isCancelled(this.#ticket)) throw cancelled();
    if (this.#clock.monotonicMs() > this.#deadlineMs) throw timedOut();
  };

  /** For a statement that waits for its turn: the waiting counts. Refuses QUERY_CANCELLED. */
  readonly check = (): void => {
    if (this.#board.isCancelled(this.#ticket)) throw cancelled();
    if (this.#clock.monotonicMs() > this.#begunMs + this.#limitMs) throw timedOut();
  };
}

function cancelled(): Error {
  return fail('QUERY_CANCELLED', 'the client went away or the query was closed');
}

function timedOut(): Error {
  return fail('QUERY_CANCELLED', 'the time limit is over');
}
