/**
 * Cancels a statement when its client disconnects, its query is closed, the process stops, its time limit passes, or it
 * exceeds its budget. The wait for a process and the time on the process count towards the limit; the time that the
 * client takes to read a page does not.
 */

import { SQLiteError } from 'bun:sqlite';
import type { Clock } from '../../../base/clock.ts';
import { gridError } from '../../../base/errors.ts';
import { TransactionAborted } from '../../../grid/grid.ts';
import { addResultBytes, checkMemoryBytes, type StatementBudget, timeLimitMs } from '../../../grid/statement-budget.ts';
import type { StatementEnd } from '../../../grid/statement-report.ts';
import type { GuardedConnection } from '../native/statement-guard.ts';
import { MIN_GROWTH_BYTES } from '../shared/resident-memory.ts';
import type { RunningEntry } from '../shared/running-statements.ts';
import type { SharedQueryState } from '../shared/shared-query-state.ts';
import { KILLED } from '../shared/statement-protocol.ts';

/** Shorter runs are not asked how much they have written. */
const TEMPORARY_MS = 50;

/** The state of a statement when it begins. */
export interface WatchStart {
  /** Index of the statement process. */
  readonly index: number;
  /** Number with which the statement can be cancelled. */
  readonly ticket: number;
  /** Time limit of the request for each page, in ms; 0 to use the setting. */
  readonly limitMs: number;
  /** How long the statement waited for its process, in ms. */
  readonly waitedMs: number;
  /** The state of the statement that other processes see, or undefined for none. */
  readonly entry: RunningEntry | undefined;
}

export class StatementWatch {
  readonly #clock: Clock;
  readonly #queryState: SharedQueryState;
  readonly #budget: StatementBudget;
  #isRow = false;
  readonly #limitMs: number;
  readonly #index: number;
  #ticket: number;
  #leftMs: number;
  #resumedMs: number | undefined;
  #deadlineMs = Number.POSITIVE_INFINITY;
  #usedMs = 0;
  #usedCpuMs = 0;
  #hasRun = false;
  #grownBytes = 0;
  #resultBytes = 0;
  #rows = 0;
  #connection: GuardedConnection | undefined;
  #writesUntilMs = Number.POSITIVE_INFINITY;
  readonly #begunMs: number;
  readonly #entry: RunningEntry | undefined;
  #temporaryBytes = 0;
  #isCounted = false;

  constructor(clock: Clock, queryState: SharedQueryState, budget: StatementBudget, start: WatchStart) {
    this.#clock = clock;
    this.#queryState = queryState;
    this.#budget = budget;
    const limitMs = timeLimitMs(budget, start.limitMs);
    this.#limitMs = limitMs > 0 ? limitMs : Number.POSITIVE_INFINITY;
    this.#index = start.index;
    this.#ticket = start.ticket;
    this.#entry = start.entry;
    this.#leftMs = this.#limitMs;
    // The wall clock may have been set in the meantime.
    this.#begunMs = clock.monotonicMs() - Math.max(0, Math.min(start.waitedMs, this.#limitMs));
  }

  get ticket(): number {
    return this.#ticket;
  }

  /** Time that the statement has spent on its process, in ms. */
  get usedMs(): number {
    return this.#usedMs;
  }

  /** Processor time used so far, in ms. */
  get usedCpuMs(): number {
    return this.#usedCpuMs;
  }

  /** Number of rows that the statement has returned. */
  get rows(): number {
    return this.#rows;
  }

  /** Begins a page with the full time limit and memory budget. */
  beginPage(ticket: number): void {
    this.#ticket = ticket;
    this.#entry?.setTicket(ticket);
    this.#leftMs = this.#limitMs;
    this.#grownBytes = 0;
  }

  /** Continues a page in another slice, with the rest of its time limit and the full memory budget. */
  resume(): void {
    this.#grownBytes = 0;
  }

  /** Counts rows that the statement returns. Throws QUERY_RESULT_BYTES. */
  countResult(rows: number, text: string): void {
    this.#rows += rows;
    this.#entry?.addRows(rows);
    try {
      this.#resultBytes = addResultBytes(this.#budget, this.#resultBytes, text);
    } catch (error) {
      this.#count('result');
      throw error;
    }
  }

  /** Shows how many entries a definition has converted, of how many. */
  setProgress(convertedRows: number, rowsToConvert: number): void {
    this.#entry?.setProgress(convertedRows, rowsToConvert);
  }

  /** Sets the connection on which the statement runs; undefined if nothing interrupts it there. */
  use(connection: GuardedConnection | undefined): void {
    this.#connection = connection;
  }

  /** Runs `action` within the statement's budget. Throws QUERY_CANCELLED, QUERY_TIMEOUT, QUERY_MEMORY, QUERY_DISK. */
  run<T>(action: () => T): T {
    const startMs = this.#clock.monotonicMs();
    const startCpuMs = this.#clock.threadCpuMs();
    if (!this.#hasRun) {
      // The first page also pays for the wait for a process and for the write lock.
      this.#hasRun = true;
      this.#leftMs -= startMs - this.#begunMs;
    }
    this.#resumedMs = startMs;
    this.#deadlineMs = startMs + this.#leftMs;
    const connection = this.#connection;
    // If it does not end by itself then, it is ended with its process.
    const lockMs = this.#writesUntilMs - startMs;
    this.#queryState.beginRun(this.#index, this.#ticket, Math.min(this.#leftMs, lockMs));
    this.#entry?.setState('running');
    try {
      this.#arm(connection, this.#leftMs);
      this.poll();
      return action();
    } catch (error) {
      throw error instanceof TransactionAborted ? error : this.endOf(error);
    } finally {
      this.#queryState.endRun(this.#index);
      const durationMs = this.#clock.monotonicMs() - startMs;
      this.#usedMs += durationMs;
      this.#usedCpuMs += this.#clock.threadCpuMs() - startCpuMs;
      if (connection !== undefined) this.#endRun(connection, durationMs);
      this.#entry?.setUsage(this.#usedMs, this.#grownBytes, this.#temporaryBytes);
      this.#entry?.setState('idle');
      this.#leftMs -= durationMs;
      this.#resumedMs = undefined;
    }
  }

  /** Runs an action that holds the write lock. Also throws WRITE_LOCK_TIME. */
  runLocked<T>(action: () => T): T {
    const { writeLockMs } = this.#budget;
    if (writeLockMs > 0) this.#writesUntilMs = this.#clock.monotonicMs() + writeLockMs;
    try {
      return this.run(action);
    } finally {
      this.#writesUntilMs = Number.POSITIVE_INFINITY;
    }
  }

  /**
   * Called repeatedly by functions and rows in JavaScript, which cannot be interrupted. Throws QUERY_CANCELLED,
   * QUERY_TIMEOUT or WRITE_LOCK_TIME to end the statement.
   */
  readonly poll = (): void => {
    // Moving rows off their snapshot does not count towards the statement's time.
    if (this.#resumedMs === undefined) return;
    if (this.#connection?.guard.reason !== undefined) throw this.endOf(undefined);
    if (this.#isCancelled()) throw this.#cancelled();
    const nowMs = this.#clock.monotonicMs();
    if (nowMs > this.#deadlineMs) throw this.#timedOut();
    if (nowMs > this.#writesUntilMs) throw this.#lockTimeOver();
  };

  /**
   * Does not measure the statement's memory. For a query by key, before it runs: it reads one row, whose size
   * SQLite bounds.
   */
  allowRow(): void {
    this.#isRow = true;
  }

  /** Throws QUERY_MEMORY if the statement may not use this many bytes. */
  readonly checkMemory = (bytes: number): void => {
    try {
      checkMemoryBytes(this.#budget, bytes);
    } catch (error) {
      this.#count('memory');
      throw error;
    }
  };

  /** Called repeatedly while the statement waits for the write lock. Throws QUERY_CANCELLED, QUERY_TIMEOUT. */
  readonly check = (): void => {
    this.#entry?.setState('waitingForLock');
    if (this.#isCancelled()) throw this.#cancelled();
    if (this.#clock.monotonicMs() > this.#begunMs + this.#limitMs) throw this.#timedOut();
  };

  #isCancelled(): boolean {
    return this.#entry?.isKilled === true || this.#queryState.isCancelled(this.#ticket);
  }

  #endRun(connection: GuardedConnection, tookMs: number): void {
    const { usage } = connection.guard;
    // This takes a system call, and a short run writes nothing worth showing.
    if (tookMs >= TEMPORARY_MS) this.#temporaryBytes = usage.temporaryBytes();
    connection.end();
    this.#grownBytes += usage.grownBytes;
  }

  #arm(connection: GuardedConnection | undefined, leftMs: number): void {
    const { memoryBytes, totalMemoryBytes, diskBytes } = this.#budget;
    const isWriting = this.#writesUntilMs !== Number.POSITIVE_INFINITY;
    const ownBytes = memoryBytes > 0 ? memoryBytes : totalMemoryBytes > 0 ? Number.MAX_SAFE_INTEGER : 0;
    connection?.begin({
      timeMs: Math.min(leftMs, this.#writesUntilMs - this.#clock.monotonicMs()),
      memoryBytes: ownBytes > 0 && !this.#isRow ? Math.max(MIN_GROWTH_BYTES, ownBytes - this.#grownBytes) : 0,
      // A change writes its own pages, which are not temporary.
      diskBytes: isWriting ? 0 : diskBytes,
      cancelOffset: this.#queryState.cancelOffset(this.#ticket),
      cancelValue: this.#queryState.cancelValue(this.#ticket),
    });
  }

  /** Called before a commit, after which the statement can no longer be cancelled. Throws QUERY_CANCELLED. */
  beginCommit(): void {
    if (!this.#queryState.beginCommit(this.#ticket, this.#index)) throw this.#timedOut();
  }

  /** Runs the part of a commit that has begun, limited only by the commit's time limit, or a longer one. */
  finish<T>(action: () => T, limitMs: number): T {
    this.#queryState.beginRun(this.#index, this.#ticket, limitMs);
    try {
      return action();
    } finally {
      this.#queryState.endRun(this.#index);
    }
  }

  /** Returns the error for the guard's interruption of the current run, if there was one, otherwise `error`. */
  endOf(error: unknown): unknown {
    const reason = this.#connection?.guard.reason;
    const { diskBytes } = this.#budget;
    switch (reason) {
      case 'cancelled':
        return this.#cancelled();
      case 'time':
        return this.#clock.monotonicMs() >= this.#writesUntilMs ? this.#lockTimeOver() : this.#timedOut();
      case 'memory':
        return this.#memoryOver();
      case 'disk':
        this.#count('disk');
        return gridError('QUERY_DISK', diskBytes);
      case undefined:
        return isOutOfSpace(error) ? this.#memoryOver() : error;
    }
  }

  #lockTimeOver(): Error {
    this.#count('lock');
    return gridError('WRITE_LOCK_TIME', this.#budget.writeLockMs);
  }

  #memoryOver(): Error {
    this.#count('memory');
    const { memoryBytes, totalMemoryBytes } = this.#budget;
    if (this.#connection?.guard.isShared === true) return gridError('QUERIES_MEMORY', totalMemoryBytes);
    return gridError('QUERY_MEMORY', memoryBytes);
  }

  #timedOut(): Error {
    this.#count('time');
    return gridError('QUERY_TIMEOUT', '');
  }

  #cancelled(): Error {
    // The killer counts the statement: an idle cursor can also be killed.
    if (this.#entry?.isKilled === true) return gridError('QUERY_CANCELLED', KILLED);
    if (this.#queryState.isOverDisk(this.#ticket)) return gridError('QUERIES_DISK');
    if (this.#queryState.isPreempted(this.#ticket)) return gridError('QUERY_PREEMPTED');
    // Its client has received a response, but has not disconnected.
    if (this.#queryState.isAbandoned(this.#ticket)) return this.#timedOut();
    this.#count('client');
    return gridError('QUERY_CANCELLED', 'the client went away or the query was closed');
  }

  /** Counts the reason for which the statement ends, once. */
  #count(reason: StatementEnd): void {
    if (!this.#isCounted) this.#queryState.countEnd(reason);
    this.#isCounted = true;
  }
}

/** Reports whether a string exceeded SQLite's limit, or memory was exhausted. */
function isOutOfSpace(error: unknown): boolean {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  // A string for which the runtime has no memory, possibly inside an SQLite error.
  if (/RangeError: .*(out of memory|failed to allocate memory)/i.test(String(cause))) return true;
  return cause instanceof SQLiteError && (cause.code === 'SQLITE_TOOBIG' || cause.code === 'SQLITE_NOMEM');
}
