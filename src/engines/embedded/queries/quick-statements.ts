/**
 * Decides which statements that are not by key run on the request's thread: those that have been quick. A round trip
 * to a query thread costs as much as reading some hundreds of rows. A run that takes longer than expected is aborted
 * and repeated in a query thread. One tick spends at most a few milliseconds on such statements. bench/RESULTS-SCALE.md
 * shows what they save.
 */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../base/clock.ts';
import { nativeName } from '../sql/native-function.ts';
import { POLL } from '../sql/native-functions.ts';
import type { PreparedQuery } from '../sql/statement.ts';

/** Longest run in processor time; a longer one is aborted. */
const MAX_RUN_MS = 2;
/**
 * Longest run with the time in which the thread had no processor, or waited for the disk. Where others use the
 * processors, a run that lost its own for some milliseconds would lose it again on the way to a query thread and back.
 */
const MAX_ELAPSED_MS = 8;
/** Longest run that counts as quick. */
const QUICK_MS = 0.6;
/**
 * Failures that an aborted run adds. A slow run adds one, and a quick run subtracts one, because another program may
 * have used the processor for a while.
 */
const FAILURES_OF_ABORTED = 4;
const MAX_FAILURES = 12;
/** Time that one tick may spend on quick statements. */
const TICK_BUDGET_MS = 8;
/** Runs in a query thread before the first run here. They also keep the tables' statistics current. */
const FIRST_RUNS = 3;
/** One in this many runs goes to a query thread, to keep statistics current. */
const STATISTICS_RUN = 256;
/** Number of runs in a query thread after too many failures; it doubles each time. */
const BACK_OFF_RUNS = 32;
const MAX_BACK_OFF_RUNS = 1 << 20;
/** Maximum number of tables. A join of more could run long between two polls. */
const MAX_TABLES = 2;

/** Histories that outlast their prepared statements, and the longest text in SQLite's dialect that has one. */
const KEPT_HISTORIES = 1_000;
const KEPT_CHARACTERS = 2_048;

const POLL_CALL = `${nativeName(POLL)}()`;

interface RunHistory {
  runs: number;
  failures: number;
  /** Quick runs since the last slow one. */
  quickRuns: number;
  /** Number of the last run that goes to a query thread. */
  elsewhereUntil: number;
  backOffRuns: number;
}

/** Thrown by the poll of a run that takes too long. */
export class TooLong extends Error {}

export class QuickStatements {
  readonly #clock: Clock;
  readonly #known = new WeakMap<PreparedQuery, RunHistory | null>();
  /** By the text in SQLite's dialect. A definition has all statements prepared again; most are as quick as before. */
  readonly #kept = new LRUCache<string, RunHistory>({ max: KEPT_HISTORIES });
  #spentMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Reports whether the next run of the statement may happen here. */
  admits(prepared: PreparedQuery): boolean {
    let known = this.#known.get(prepared);
    if (known === undefined) {
      known = isCandidate(prepared) ? this.#historyOf(prepared) : null;
      this.#known.set(prepared, known);
    }
    if (known === null) return false;
    known.runs++;
    if (known.runs <= known.elsewhereUntil || known.runs % STATISTICS_RUN === 0) return false;
    return this.#spentMs < TICK_BUDGET_MS;
  }

  #historyOf({ sql }: PreparedQuery): RunHistory {
    const kept = this.#kept.get(sql);
    if (kept !== undefined) return kept;
    const created = { runs: 0, failures: 0, quickRuns: 0, elsewhereUntil: FIRST_RUNS, backOffRuns: BACK_OFF_RUNS };
    if (sql.length <= KEPT_CHARACTERS) this.#kept.set(sql, created);
    return created;
  }

  /** Runs the statement. Returns undefined when `poll` aborted it: the statement must run in a query thread. */
  run<T>(prepared: PreparedQuery, action: (poll: () => void) => T): T | undefined {
    const known = this.#known.get(prepared);
    const startMs = this.#clock.monotonicMs();
    const startCpuMs = this.#clock.threadCpuMs();
    let tooLong = false;
    const poll = (): void => {
      const elapsedMs = this.#clock.monotonicMs() - startMs;
      if (elapsedMs <= MAX_RUN_MS) return;
      if (elapsedMs <= MAX_ELAPSED_MS && this.#clock.threadCpuMs() - startCpuMs <= MAX_RUN_MS) return;
      tooLong = true;
      throw new TooLong('the run takes too long');
    };
    try {
      return action(poll);
    } catch (error) {
      // SQLite wraps the error of a registered function.
      if (tooLong || error instanceof TooLong) return undefined;
      throw error;
    } finally {
      const elapsedMs = this.#clock.monotonicMs() - startMs;
      const durationMs = elapsedMs <= QUICK_MS ? elapsedMs : this.#clock.threadCpuMs() - startCpuMs;
      if (this.#spentMs === 0) {
        this.#clock.endOfTick(() => {
          this.#spentMs = 0;
        });
      }
      this.#spentMs += durationMs;
      if (known) note(known, durationMs, tooLong);
    }
  }
}

function note(known: RunHistory, durationMs: number, tooLong: boolean): void {
  if (!tooLong && durationMs <= QUICK_MS) {
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
function isCandidate({ tables, placeholders, sql }: PreparedQuery): boolean {
  const [first, ...others] = tables;
  if (first === undefined || others.some(({ region }) => region !== first.region)) return false;
  if (placeholders.some(({ kind }) => kind === 'rows') || sql.includes('WITH RECURSIVE')) return false;
  return sql.split(POLL_CALL).length - 1 <= MAX_TABLES;
}
