/**
 * Decides which statements that are not by key run on the request's thread: those that have been quick. A round trip to
 * a statement process costs as much as reading some hundreds of rows. A run that takes too long is interrupted and
 * repeated in a statement process. bench/RESULTS-SCALE.md shows what this saves.
 */
import type { Database } from 'bun:sqlite';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../base/clock.ts';
import type { Limits } from '../../../base/limits.ts';
import { GUARD_BLOCK_BYTES, maxRowBytes, StatementGuard } from '../native/statement-guard.ts';
import type { PreparedQuery } from '../sql/statement.ts';

/**
 * Longest run in processor time; a longer one is aborted. A thread that loses its processor would lose it again on the
 * way to a statement process and back.
 */
const MAX_CPU_MS = 2;
/** Longest run in elapsed time, including waits for the disk or a processor. */
const MAX_RUN_MS = 20;
/** Longest run in processor time that counts as quick. */
const QUICK_MS = 0.6;
/**
 * Failures that an aborted run adds. A slow run adds one, and a quick run subtracts one, because another program may
 * have used the processor for a while.
 */
const FAILURES_OF_ABORTED = 4;
const MAX_FAILURES = 12;
/** Number of runs in a statement process before the first run here. They also keep the tables' statistics current. */
const FIRST_RUNS = 3;
/**
 * After this many runs, but at most once per this many ms, one goes to a statement process to keep statistics current.
 * On busy processors, its client waits for a low-priority process.
 */
const STATISTICS_RUNS = 256;
const STATISTICS_MS = 10_000;
/** Number of runs in a statement process after too many failures; it doubles each time. */
const BACK_OFF_RUNS = 32;
const MAX_BACK_OFF_RUNS = 1 << 20;
/** Maximum number of tables. Larger joins are rarely quick. */
const MAX_TABLES = 2;

/**
 * Maximum number of histories that outlast their prepared statements, and maximum length of a text in SQLite's dialect
 * with a history.
 */
const KEPT_HISTORIES = 1_000;
const KEPT_CHARACTERS = 2_048;

interface RunHistory {
  runs: number;
  failures: number;
  /** Quick runs since the last slow one. */
  quickRuns: number;
  /** Number of the last run that goes to a statement process. */
  elsewhereUntil: number;
  backOffRuns: number;
  /** Number and time of the last run that went to a statement process for the statistics. */
  statisticsRun: number;
  statisticsAtMs: number;
}

/** Thrown by a run that finds that a statement process must run the statement. */
export class TooLong extends Error {}

/** Interrupts runs inside SQLite. */
export class RunLimit {
  readonly #guard: StatementGuard;
  readonly #attached = new WeakSet<Database>();

  constructor(library: string, limits: Limits, clock: Clock) {
    // Nothing cancels a run, so the flags after the control block stay 0.
    const memory = new SharedArrayBuffer(GUARD_BLOCK_BYTES + 2 * Int32Array.BYTES_PER_ELEMENT);
    this.#guard = new StatementGuard({
      library,
      memory,
      blockOffset: 0,
      stopOffset: CANCEL_OFFSET,
      lengthBytes: maxRowBytes(limits),
      clock,
    });
  }

  /** Interrupts a connection's statements. */
  attach(database: Database): void {
    if (this.#attached.has(database)) return;
    this.#guard.attach(database);
    this.#attached.add(database);
  }

  begin(cpuMs: number, timeMs: number): void {
    this.#guard.arm({ timeMs, cpuMs, memoryBytes: 0, diskBytes: 0, cancelOffset: CANCEL_OFFSET, cancelValue: 1 });
  }

  /** Ends a run. Returns whether it was interrupted, and its processor time. */
  end(): { readonly isInterrupted: boolean; readonly cpuMs: number } {
    this.#guard.disarm();
    return { isInterrupted: this.#guard.reason !== undefined, cpuMs: this.#guard.usedCpuMs };
  }
}

const CANCEL_OFFSET = GUARD_BLOCK_BYTES;

export class QuickStatements {
  readonly limit: Pick<RunLimit, 'attach' | 'begin' | 'end'>;
  readonly #clock: Clock;
  readonly #known = new WeakMap<PreparedQuery, RunHistory | null>();
  /**
   * By the text in SQLite's dialect. After a definition, all statements are prepared again; most of them are as
   * quick as before.
   */
  readonly #kept = new LRUCache<string, RunHistory>({ max: KEPT_HISTORIES });

  constructor(clock: Clock, limit: Pick<RunLimit, 'attach' | 'begin' | 'end'>) {
    this.#clock = clock;
    this.limit = limit;
  }

  /** Reports whether the statement's next run may happen here. */
  admits(prepared: PreparedQuery): boolean {
    let known = this.#known.get(prepared);
    if (known === undefined) {
      known = isCandidate(prepared) ? this.#historyOf(prepared) : null;
      this.#known.set(prepared, known);
    }
    if (known === null) return false;
    known.runs++;
    return known.runs > known.elsewhereUntil && !this.#refreshesStatistics(known);
  }

  #refreshesStatistics(known: RunHistory): boolean {
    if (known.runs - known.statisticsRun < STATISTICS_RUNS) return false;
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - known.statisticsAtMs < STATISTICS_MS) return false;
    known.statisticsRun = known.runs;
    known.statisticsAtMs = nowMs;
    return true;
  }

  #historyOf({ sql }: PreparedQuery): RunHistory {
    const kept = this.#kept.get(sql);
    if (kept !== undefined) return kept;
    const created: RunHistory = {
      runs: 0,
      failures: 0,
      quickRuns: 0,
      elsewhereUntil: FIRST_RUNS,
      backOffRuns: BACK_OFF_RUNS,
      statisticsRun: 0,
      statisticsAtMs: this.#clock.monotonicMs(),
    };
    if (sql.length <= KEPT_CHARACTERS) this.#kept.set(sql, created);
    return created;
  }

  /** Runs the statement. Returns undefined if it was aborted and must run in a statement process. */
  run<T>(prepared: PreparedQuery, action: () => T): T | undefined {
    const known = this.#known.get(prepared);
    let tooLong = false;
    this.limit.begin(MAX_CPU_MS, MAX_RUN_MS);
    try {
      return action();
    } catch (error) {
      if (error instanceof TooLong) return undefined;
      tooLong = this.limit.end().isInterrupted;
      if (tooLong) return undefined;
      throw error;
    } finally {
      const { cpuMs } = this.limit.end();
      if (known) note(known, cpuMs, tooLong);
    }
  }
}

function note(known: RunHistory, cpuMs: number, tooLong: boolean): void {
  if (!tooLong && cpuMs <= QUICK_MS) {
    known.failures = Math.max(0, known.failures - 1);
    known.quickRuns++;
    if (known.quickRuns >= BACK_OFF_RUNS) known.backOffRuns = BACK_OFF_RUNS;
    return;
  }
  known.quickRuns = 0;
  known.failures += tooLong ? FAILURES_OF_ABORTED : 1;
  if (known.failures < MAX_FAILURES) return;
  known.failures = 0;
  known.elsewhereUntil = known.runs + known.backOffRuns;
  known.backOffRuns = Math.min(MAX_BACK_OFF_RUNS, known.backOffRuns * 2);
}

/** Reports whether the statement reads one or two tables of one region, and no generated rows. */
function isCandidate({ tables, tableReads, placeholders, sql }: PreparedQuery): boolean {
  const [first, ...others] = tables;
  if (first === undefined || others.some(({ region }) => region !== first.region)) return false;
  if (placeholders.some(({ kind }) => kind === 'rows') || sql.includes('WITH RECURSIVE')) return false;
  return tableReads <= MAX_TABLES;
}
