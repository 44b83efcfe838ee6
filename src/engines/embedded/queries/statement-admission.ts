/**
 * The statements of a request thread that have been sent to query threads and have not begun. While they begin too
 * slowly, further ones are rejected at once.
 */
import type { Clock } from '../../../base/clock.ts';
import { fail } from '../../../base/errors.ts';
import { QueueDelay } from '../../../base/queue-delay.ts';
import { Holdings } from '../../../base/shares.ts';
import type { SharedQueryState } from './shared-query-state.ts';

export interface StatementAdmissionOptions {
  readonly clock: Clock;
  readonly queryState: SharedQueryState;
  /** Longest expected wait, in ms. */
  readonly targetMs: number;
  /** Number of query threads that run the statements. */
  readonly threads: number;
}

interface Entry {
  readonly ticket: number;
  /** The claimant. */
  readonly key: string;
  readonly sinceMs: number;
}

/** So many statements for each thread may wait for any time: they may all be long ones. */
const ALWAYS_ADMITTED_PER_THREAD = 2;

export class StatementAdmission {
  readonly #options: StatementAdmissionOptions;
  readonly #delay: QueueDelay;
  readonly #entries = new Set<Entry>();
  readonly #waiting = new Holdings();

  constructor(options: StatementAdmissionOptions) {
    const { clock, targetMs, threads } = options;
    this.#options = options;
    this.#delay = new QueueDelay({ clock, targetMs, alwaysAdmitted: threads * ALWAYS_ADMITTED_PER_THREAD });
  }

  /** Adds a statement. Returns the function to call when it has ended. Throws QUERIES_BUSY. */
  enter(ticket: number, key: string): () => void {
    const { clock, queryState, threads } = this.#options;
    const sinceMs = clock.monotonicMs();
    this.#removeBegun();
    const [oldest] = this.#entries;
    // The threads take statements from claimants in turn, so one without any hardly waits behind a few others.
    const isFew = this.#waiting.claimants < threads * ALWAYS_ADMITTED_PER_THREAD;
    const isFirst = isFew && this.#waiting.of(key) === 0;
    if (!isFirst && !this.#delay.admits(this.#entries.size, oldest?.sinceMs ?? sinceMs)) {
      queryState.countRejected();
      throw fail('QUERIES_BUSY', threads);
    }
    const entry = { ticket, key, sinceMs };
    this.#entries.add(entry);
    this.#waiting.add(key);
    return () => {
      this.#remove(entry);
      this.#removeBegun();
    };
  }

  /** Removes the oldest statements as far as query threads have begun them. */
  #removeBegun(): void {
    for (const entry of this.#entries) {
      if (!this.#options.queryState.isClaimed(entry.ticket)) return;
      this.#remove(entry);
    }
  }

  #remove(entry: Entry): void {
    if (!this.#entries.delete(entry)) return;
    this.#waiting.remove(entry.key);
    const { clock, queryState } = this.#options;
    const waitedMs = clock.monotonicMs() - entry.sinceMs;
    this.#delay.left(waitedMs);
    queryState.countWait(waitedMs);
  }
}
