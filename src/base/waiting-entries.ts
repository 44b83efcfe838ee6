/**
 * The entries that wait in a queue bounded by time, with their claimants. While they leave too slowly, further ones are
 * rejected at once, except those of claimants who have none that waits: queues serve claimants in turn, so such an
 * entry hardly waits behind a few others.
 */
import { QueueDelay, type QueueDelayOptions, type QueueStatistics } from './queue-delay.ts';
import { Holdings } from './shares.ts';

/** An entry that waits. */
export interface WaitingEntry {
  /** The claimant. */
  readonly key: string;
  readonly sinceMs: number;
}

export class WaitingEntries {
  readonly #options: QueueDelayOptions;
  readonly #delay: QueueDelay;
  /** The oldest first. */
  readonly #entries = new Set<WaitingEntry>();
  readonly #holdings = new Holdings();

  constructor(options: QueueDelayOptions) {
    this.#options = options;
    this.#delay = new QueueDelay(options);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Adds an entry of a claimant. Returns undefined, and counts the rejection, when it would wait for too long. */
  enter(key: string): WaitingEntry | undefined {
    const sinceMs = this.#options.clock.monotonicMs();
    const [oldest] = this.#entries;
    const isFew = this.#holdings.claimants < this.#options.alwaysAdmitted;
    const isFirst = isFew && this.#holdings.of(key) === 0;
    if (!isFirst && !this.#delay.admits(this.#entries.size, oldest?.sinceMs ?? sinceMs)) return undefined;
    const entry = { key, sinceMs };
    this.#entries.add(entry);
    this.#holdings.add(key);
    return entry;
  }

  /** Removes an entry that is processed now. Returns how long it has waited, in ms; undefined when it did not wait. */
  leave(entry: WaitingEntry): number | undefined {
    if (!this.#entries.delete(entry)) return undefined;
    this.#holdings.remove(entry.key);
    const waitedMs = this.#options.clock.monotonicMs() - entry.sinceMs;
    this.#delay.left(waitedMs);
    return waitedMs;
  }

  /** Removes an entry that will not be processed. */
  remove(entry: WaitingEntry): void {
    if (this.#entries.delete(entry)) this.#holdings.remove(entry.key);
  }

  statistics(): QueueStatistics {
    return this.#delay.statistics();
  }
}
