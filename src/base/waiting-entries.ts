/**
 * The entries that wait in a queue bounded by time, with their tenants. While they leave too slowly, further ones are
 * rejected at once, except those of tenants who have less than an equal share of the places that are always admitted:
 * a tenant with a thousand entries does not keep others out.
 */
import type { QueueStatistics } from './admission.ts';
import { QueueDelay, type QueueDelayOptions } from './queue-delay.ts';
import { TenantUsage } from './shares.ts';

/** An entry that waits. */
export interface WaitingEntry {
  /** The tenant. */
  readonly key: string;
  readonly sinceMs: number;
}

export class WaitingEntries {
  readonly #options: QueueDelayOptions;
  readonly #delay: QueueDelay;
  /** The oldest first. */
  readonly #entries = new Set<WaitingEntry>();
  readonly #usage = new TenantUsage();

  constructor(options: QueueDelayOptions) {
    this.#options = options;
    this.#delay = new QueueDelay(options);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Adds an entry of a tenant. Returns undefined, and counts the rejection, when it would wait for too long. */
  enter(key: string): WaitingEntry | undefined {
    const sinceMs = this.#options.clock.monotonicMs();
    const [oldest] = this.#entries;
    if (!this.#isWithinShare(key) && !this.#delay.admits(this.#entries.size, oldest?.sinceMs ?? sinceMs)) {
      return undefined;
    }
    const entry = { key, sinceMs };
    this.#entries.add(entry);
    this.#usage.add(key);
    return entry;
  }

  /** Reports whether one more entry is within an equal share of the places that are always admitted. */
  #isWithinShare(key: string): boolean {
    const own = this.#usage.of(key);
    const tenants = this.#usage.tenants + (own === 0 ? 1 : 0);
    // A single tenant needs no share, and the queue notices when it was empty.
    return tenants > 1 && (own + 1) * tenants <= this.#options.alwaysAdmitted;
  }

  /** Removes an entry that is processed now. Returns how long it has waited, in ms; undefined when it did not wait. */
  leave(entry: WaitingEntry): number | undefined {
    if (!this.#entries.delete(entry)) return undefined;
    this.#usage.remove(entry.key);
    const waitedMs = this.#options.clock.monotonicMs() - entry.sinceMs;
    this.#delay.left(waitedMs);
    return waitedMs;
  }

  /** Removes an entry that will not be processed. */
  remove(entry: WaitingEntry): void {
    if (this.#entries.delete(entry)) this.#usage.remove(entry.key);
  }

  statistics(): QueueStatistics {
    return this.#delay.statistics();
  }
}
