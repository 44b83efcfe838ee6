/**
 * The statements of a request thread that have been sent to query threads and have not begun. While they begin too
 * slowly, further ones are rejected at once.
 */
import type { Clock } from '../../../base/clock.ts';
import { fail } from '../../../base/errors.ts';
import { WaitingEntries, type WaitingEntry } from '../../../base/waiting-entries.ts';
import type { SharedQueryState } from './shared-query-state.ts';

export interface StatementAdmissionOptions {
  readonly clock: Clock;
  readonly queryState: SharedQueryState;
  /** Longest expected wait, in ms. */
  readonly targetMs: number;
  /** Number of query threads that run the statements. */
  readonly threads: number;
}

/** So many statements for each thread may wait for any time: they may all be long ones. */
const ALWAYS_ADMITTED_PER_THREAD = 2;

export class StatementAdmission {
  readonly #options: StatementAdmissionOptions;
  readonly #waiting: WaitingEntries;
  /** The tickets of those that wait, the oldest first. */
  readonly #tickets = new Map<WaitingEntry, number>();

  constructor(options: StatementAdmissionOptions) {
    const { clock, targetMs, threads } = options;
    this.#options = options;
    this.#waiting = new WaitingEntries({ clock, targetMs, alwaysAdmitted: threads * ALWAYS_ADMITTED_PER_THREAD });
  }

  /** Adds a statement. Returns the function to call when it has ended. Throws QUERIES_BUSY. */
  enter(ticket: number, key: string): () => void {
    const { queryState, threads } = this.#options;
    this.#removeBegun();
    const entry = this.#waiting.enter(key);
    if (entry === undefined) {
      queryState.countRejected();
      throw fail('QUERIES_BUSY', threads);
    }
    this.#tickets.set(entry, ticket);
    return () => {
      this.#remove(entry);
      this.#removeBegun();
    };
  }

  /** Removes the oldest statements as far as query threads have begun them. */
  #removeBegun(): void {
    for (const [entry, ticket] of this.#tickets) {
      if (!this.#options.queryState.isClaimed(ticket)) return;
      this.#remove(entry);
    }
  }

  #remove(entry: WaitingEntry): void {
    if (!this.#tickets.delete(entry)) return;
    const waitedMs = this.#waiting.leave(entry);
    if (waitedMs !== undefined) this.#options.queryState.countWait(waitedMs);
  }
}
