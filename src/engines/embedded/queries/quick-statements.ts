/**
 * Which statements that are not by key are run on the thread that has the request all the same: those that have shown
 * to be quick. A way to a query thread and back costs as much as reading some hundreds of rows. A run that takes longer
 * than expected is abandoned and begun again in a query thread, and nobody waits for more than a few milliseconds of
 * such statements in one turn.
 */
import type { Clock } from '../../../base/clock.ts';
import { nativeName } from '../sql/native-function.ts';
import { POLL } from '../sql/native-functions.ts';
import type { PreparedQuery } from '../sql/statement.ts';

/** A run that takes longer is abandoned. */
const LONGEST_MS = 2;
/** Most runs are that quick. */
const QUICK_MS = 0.6;
/**
 * A run that was abandoned counts so many strikes, a slow one counts one, a quick one takes one back: another program
 * may have had the processor for a while.
 */
const FAILURES_OF_ABANDONED = 4;
const MAX_FAILURES = 12;
/** Time of one turn for all of them. */
const TICK_BUDGET_MS = 8;
/** Runs in a query thread before the first one here: they also look after the statistics of the tables. */
const FIRST_RUNS = 3;
const FURTHER_RUN = 256;
/** After a run was abandoned so many go to a query thread at once, then twice as many after the next. */
const BACK_OFF_RUNS = 32;
const MAX_BACK_OFF_RUNS = 1 << 20;
/** Tables of a statement: more could join small ones for long without a row at which it is asked whether to go on. */
const MOST_TABLES = 2;

const POLL_CALL = `${nativeName(POLL.name)}()`;

interface Experience {
  runs: number;
  failures: number;
  /** Runs that were quick since the last that was not. */
  quickRuns: number;
  /** Number of the run from which on it may be tried again. */
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

  /** Whether the statement is run here this time. */
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
    if (known.runs <= known.elsewhereUntil || known.runs % FURTHER_RUN === 0) return false;
    return this.#spentMs < TICK_BUDGET_MS;
  }

  /** Runs it; `poll` ends what takes too long. Undefined when it did: it is to be run elsewhere. */
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
      // SQLite gives what a function of ours threw another form.
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
  known.failures += tooLong ? FAILURES_OF_ABANDONED : 1;
  if (known.failures < MAX_FAILURES) return;
  known.failures = 0;
  known.elsewhereUntil = known.runs + known.backOffRuns;
  known.backOffRuns = Math.min(MAX_BACK_OFF_RUNS, known.backOffRuns * 2);
}

/** One or two tables of one region, nothing that is made for the statement. */
function isFit({ tables, placeholders, sql }: PreparedQuery): boolean {
  const [first, ...others] = tables;
  if (first === undefined || others.some(({ region }) => region !== first.region)) return false;
  if (placeholders.some(({ kind }) => kind === 'rows') || sql.includes('WITH RECURSIVE')) return false;
  return sql.split(POLL_CALL).length - 1 <= MOST_TABLES;
}
