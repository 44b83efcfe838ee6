/**
 * What ends a statement before it is done: its client went away, its query was closed, the process stops, its time is
 * over, or it takes more than it may. Only the time in which the statement has its thread counts: a client may read a
 * big page slowly.
 */
import { SQLiteError } from 'bun:sqlite';
import type { Clock } from '../../../base/clock.ts';
import { fail } from '../../../base/errors.ts';
import type { GuardedConnection } from '../native/statement-guard.ts';
import { MAX_WAIT_MS } from './query-protocol.ts';
import type { SharedQueryState } from './shared-query-state.ts';

/** What one statement may take. */
export interface StatementBudget {
  /** Time for each page where the request does not say, in ms; 0: any. */
  readonly timeMs: number;
  /** Most time that a request may ask for, in ms; 0: any. */
  readonly maxTimeMs: number;
  /** Bytes; 0: any. */
  readonly memoryBytes: number;
  /** Bytes written to temporary files; 0: any. */
  readonly diskBytes: number;
  /** Time that it may hold the write lock, in ms; 0: any. */
  readonly writeLockMs: number;
}

/** Time limit of a statement whose request asks for `asked` ms (0: it does not say); 0: none. */
export function timeLimitMs({ timeMs, maxTimeMs }: StatementBudget, asked: number): number {
  const wanted = asked > 0 ? asked : timeMs;
  if (maxTimeMs === 0) return wanted;
  return wanted === 0 ? maxTimeMs : Math.min(wanted, maxTimeMs);
}

/** A statement is not ended for less: the process may have grown by others. */
const LEAST_MEMORY_BYTES = 16 * 1024 * 1024;

/** How a statement begins. */
export interface WatchStart {
  /** Number by which the statement can be cancelled. */
  readonly ticket: number;
  /** Time limit of the request for each page, in ms; 0: the setting applies. */
  readonly limitMs: number;
  /** Time for which the statement waited for its thread, in ms. */
  readonly waitedMs: number;
}

export class StatementWatch {
  readonly #clock: Clock;
  readonly #queryState: SharedQueryState;
  readonly #budget: StatementBudget;
  readonly #limitMs: number;
  #ticket: number;
  #leftMs: number;
  #resumedMs: number | undefined;
  #deadlineMs = Number.POSITIVE_INFINITY;
  #usedMs = 0;
  #hasRun = false;
  #grownBytes = 0;
  #connection: GuardedConnection | undefined;
  #writesUntilMs = Number.POSITIVE_INFINITY;
  readonly #begunMs: number;

  constructor(clock: Clock, queryState: SharedQueryState, budget: StatementBudget, start: WatchStart) {
    this.#clock = clock;
    this.#queryState = queryState;
    this.#budget = budget;
    const limitMs = timeLimitMs(budget, start.limitMs);
    this.#limitMs = limitMs > 0 ? limitMs : Number.POSITIVE_INFINITY;
    this.#ticket = start.ticket;
    this.#leftMs = this.#limitMs;
    // The wall clock may have been set meanwhile.
    this.#begunMs = clock.monotonicMs() - Math.max(0, Math.min(start.waitedMs, MAX_WAIT_MS));
  }

  get ticket(): number {
    return this.#ticket;
  }

  /** Time in which the statement had its thread. */
  get usedMs(): number {
    return this.#usedMs;
  }

  /** A page begins, with all of its time and memory. */
  beginPage(ticket: number): void {
    this.#ticket = ticket;
    this.#leftMs = this.#limitMs;
    this.#grownBytes = 0;
  }

  /** From now on the statement runs on this connection; undefined: it is not guarded, and the statement polls. */
  use(connection: GuardedConnection | undefined): void {
    this.#connection = connection;
  }

  /** Runs `action` on the statement's time. Throws QUERY_CANCELLED, QUERY_MEMORY, QUERY_DISK. */
  run<T>(action: () => T): T {
    const begunMs = this.#clock.monotonicMs();
    if (!this.#hasRun) {
      // The first page also pays for the wait for a thread and for the write lock.
      this.#hasRun = true;
      this.#leftMs -= begunMs - this.#begunMs;
    }
    this.#resumedMs = begunMs;
    this.#deadlineMs = begunMs + this.#leftMs;
    const connection = this.#connection;
    try {
      this.#arm(connection, this.#leftMs);
      this.poll();
      return action();
    } catch (error) {
      throw this.#endOf(error, connection);
    } finally {
      if (connection !== undefined) {
        connection.end();
        this.#grownBytes += connection.guard.grownBytes;
      }
      const tookMs = this.#clock.monotonicMs() - begunMs;
      this.#usedMs += tookMs;
      this.#leftMs -= tookMs;
      this.#resumedMs = undefined;
    }
  }

  /** The same for an action that holds the write lock; throws WRITE_LOCK_TIME too. */
  runLocked<T>(action: () => T): T {
    const { writeLockMs } = this.#budget;
    if (writeLockMs > 0) this.#writesUntilMs = this.#clock.monotonicMs() + writeLockMs;
    try {
      return this.run(action);
    } finally {
      this.#writesUntilMs = Number.POSITIVE_INFINITY;
    }
  }

  /** Called again and again by the statement; throws what ends it. */
  readonly poll = (): void => {
    // Rows are also read when nobody waits for them, to free their snapshot.
    if (this.#resumedMs === undefined) return;
    if (this.#queryState.isCancelled(this.#ticket)) throw cancelled();
    const nowMs = this.#clock.monotonicMs();
    if (nowMs > this.#deadlineMs) throw timedOut();
    if (nowMs > this.#writesUntilMs) throw this.#lockTimeOver();
  };

  /** For a statement that waits for its turn: the waiting counts. Throws QUERY_CANCELLED. */
  readonly check = (): void => {
    if (this.#queryState.isCancelled(this.#ticket)) throw cancelled();
    if (this.#clock.monotonicMs() > this.#begunMs + this.#limitMs) throw timedOut();
  };

  #arm(connection: GuardedConnection | undefined, leftMs: number): void {
    const { memoryBytes, diskBytes } = this.#budget;
    const isWriting = this.#writesUntilMs !== Number.POSITIVE_INFINITY;
    connection?.begin({
      timeMs: Math.min(leftMs, this.#writesUntilMs - this.#clock.monotonicMs()),
      memoryBytes: memoryBytes > 0 ? Math.max(LEAST_MEMORY_BYTES, memoryBytes - this.#grownBytes) : 0,
      // What a change writes is the change itself.
      diskBytes: isWriting ? 0 : diskBytes,
      cancelOffset: this.#queryState.cancelOffset(this.#ticket),
      cancelValue: this.#queryState.cancelValue(this.#ticket),
    });
  }

  /** Why the statement ended, where the guard ended it; else the error itself. */
  #endOf(error: unknown, connection: GuardedConnection | undefined): unknown {
    const reason = connection?.guard.reason;
    const { memoryBytes, diskBytes } = this.#budget;
    switch (reason) {
      case 'cancelled':
        return cancelled();
      case 'time':
        return this.#clock.monotonicMs() >= this.#writesUntilMs ? this.#lockTimeOver() : timedOut();
      case 'memory':
        return fail('QUERY_MEMORY', memoryBytes);
      case 'disk':
        return fail('QUERY_DISK', diskBytes);
      case undefined:
        return isOutOfSpace(error) ? fail('QUERY_MEMORY', memoryBytes) : error;
    }
  }

  #lockTimeOver(): Error {
    return fail('WRITE_LOCK_TIME', this.#budget.writeLockMs);
  }
}

/** Whether SQLite refused to make a text, or got no memory for it. */
function isOutOfSpace(error: unknown): boolean {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return cause instanceof SQLiteError && (cause.code === 'SQLITE_TOOBIG' || cause.code === 'SQLITE_NOMEM');
}

function cancelled(): Error {
  return fail('QUERY_CANCELLED', 'the client went away or the query was closed');
}

function timedOut(): Error {
  return fail('QUERY_CANCELLED', 'the time limit is over');
}
