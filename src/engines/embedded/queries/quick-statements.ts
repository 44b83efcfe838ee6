/**
 * Decides which statements that are not by key run on the request's thread: those that have proved quick. The way to a
 * query thread and back costs as much as reading some hundreds of rows. A run that takes longer than expected is
 * aborted and repeated in a query thread. One tick spends at most a few milliseconds on such statements.
 */
import type { Clock } from '../../../base/clock.ts';
import { nativeName } from '../sql/native-function.ts';
import { POLL } from '../sql/native-functions.ts';
import type { PreparedQuery } from '../sql/statement.ts';

/** A run that takes longer is aborted. */
const LONGEST_MS = 2;
/** A run that takes longer counts as slow. */
const QUICK_MS = 0.6;
/**
 * Failures that an aborted run counts. A slow run counts one, and a quick run takes one back: another program may have
 * had the processor for a while.
 */
const FAILURES_OF_ABORTED = 4;
const MAX_FAILURES = 12;
/** Time that one tick may spend on all of them. */
const TICK_BUDGET_MS = 8;
/** Runs in a query thread before the first one here. They also keep the tables' statistics current. */
const FIRST_RUNS = 3;
/** One in this many runs goes to a query thread, for the same reason. */
const STATISTICS_RUN = 256;
/** Runs that go to a query thread after too many failures; the number doubles each time. */
const BACK_OFF_RUNS = 32;
const MAX_BACK_OFF_RUNS = 1 << 20;
/** Maximum number of tables: a join of more could run long between two polls. */
const MOST_TABLES = 2;

const POLL_CALL = `${nativeName(POLL.name)}()`;

interface Experience {
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
  readonly #known = new WeakMap<PreparedQuery, Experience | null>();
  #spentMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether this run of the statement happens here. */
  admits(prepared: PreparedQuery): boolean {
    let known = this.#known.get(prepared);
    if (known === undefined) {
      known = isFit(prepared)
        ? { runs: 0, failures: 0, quickRuns: 0, elsewhereUntil: FIRST_RUNS, backOffRuns: BACK_OFF_RUNS }
        : null;
      this.#known.set(prepared, known);
    }
    if (known === null) return false;
    known.runs++;
    if (known.runs <= known.elsewhereUntil || known.runs % STATISTICS_RUN === 0) return false;
    return this.#spentMs < TICK_BUDGET_MS;
  }

  /** Runs the statement. Returns undefined when `poll` aborted it: the statement must run in a query thread. */
  run<T>(prepared: PreparedQuery, action: (poll: () => void) => T): T | undefined {
    const known = this.#known.get(prepared);
    const begunMs = this.#clock.monotonicMs();
    let tooLong = false;
    const poll = (): void => {
      if (this.#clock.monotonicMs() - begunMs <= LONGEST_MS) return;
      tooLong = true;
      throw new TooLong('it takes too long');
    };
    try {
      return action(poll);
    } catch (error) {
      // SQLite wraps what a registered function throws.
      if (tooLong || error instanceof TooLong) return undefined;
      throw error;
    } finally {
      const tookMs = this.#clock.monotonicMs() - begunMs;
      if (this.#spentMs === 0) {
        this.#clock.endOfTick(() => {
          this.#spentMs = 0;
        });
      }
      this.#spentMs += tookMs;
      if (known) note(known, tookMs, tooLong);
    }
  }
}

function note(known: Experience, tookMs: number, tooLong: boolean): void {
  if (!tooLong && tookMs <= QUICK_MS) {
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

/** Whether the statement reads one or two tables of one region, and no generated rows. */
function isFit({ tables, placeholders, sql }: PreparedQuery): boolean {
  const [first, ...others] = tables;
  if (first === undefined || others.some(({ region }) => region !== first.region)) return false;
  if (placeholders.some(({ kind }) => kind === 'rows') || sql.includes('WITH RECURSIVE')) return false;
  return sql.split(POLL_CALL).length - 1 <= MOST_TABLES;
}
