/**
 * Bounds how many requests run at once. Further ones wait and are served fairly; those beyond a second limit, and those
 * that would wait for too long, are rejected. A request that runs cannot be taken back, so a reserve beyond the first
 * limit lets claimants with few requests run while one claimant occupies all places with long ones.
 */
import type { Clock } from '../base/clock.ts';
import { fail } from '../base/errors.ts';
import { FairQueue } from '../base/fair-queue.ts';
import type { QueueStatistics } from '../base/queue-delay.ts';
import { type Claimant, Holdings } from '../base/shares.ts';
import { WaitingEntries, type WaitingEntry } from '../base/waiting-entries.ts';

export interface AdmissionOptions {
  /** Requests that run at once. */
  readonly inWork: number;
  readonly waiting: number;
  readonly clock: Clock;
  /** Longest expected wait, in ms. */
  readonly targetMs: number;
}

/** The reserve has one place for so many of the limit. */
const RESERVED = 8;
/** A smaller reserve is none: one claimant could use all of it. */
const LEAST_RESERVE = 2;
/** One claimant may use one of so many places of the reserve. */
const RESERVE_OF_CLAIMANT = 4;
/** So many requests may wait for any time: a few clients with long requests are no overload. */
const ALWAYS_ADMITTED = 64;

/** A place in the reserve; it belongs to the claimant of this key. */
export type ReservedFor = string;

interface Waiting {
  readonly entry: WaitingEntry;
  readonly resolve: (reservedFor: ReservedFor | undefined) => void;
  readonly reject: (error: Error) => void;
}

export class Admission {
  readonly #inWorkLimit: number;
  readonly #reserve: number;
  readonly #reserveOfClaimant: number;
  #inWork = 0;
  #inReserve = 0;
  readonly #reserved = new Holdings();
  readonly #waiting: FairQueue<Waiting>;
  readonly #entries: WaitingEntries;

  constructor({ inWork, waiting, clock, targetMs }: AdmissionOptions) {
    this.#inWorkLimit = inWork;
    const reserve = Math.floor(inWork / RESERVED);
    this.#reserve = reserve < LEAST_RESERVE ? 0 : reserve;
    this.#reserveOfClaimant = Math.max(1, Math.floor(reserve / RESERVE_OF_CLAIMANT));
    this.#waiting = new FairQueue(waiting);
    this.#entries = new WaitingEntries({ clock, targetMs, alwaysAdmitted: ALWAYS_ADMITTED });
  }

  /** Requests that run now. Those that are answered synchronously never count. */
  get inWork(): number {
    return this.#inWork + this.#inReserve;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Returns the statistics of requests that waited. */
  statistics(): QueueStatistics {
    return this.#entries.statistics();
  }

  /** Reserves a place. Returns false when the request has to wait. */
  tryBegin(): boolean {
    if (this.#inWork >= this.#inWorkLimit) return false;
    this.#inWork++;
    return true;
  }

  /**
   * Resolves when a place has been reserved, for claimants in turn, to what {@link end} must be called with. Throws or
   * rejects with OVERLOADED when the request would wait for too long and when too many wait; of these, the claimant
   * with the most gives way to one with fewer.
   */
  begin(claimant: Claimant): Promise<ReservedFor | undefined> {
    const { key } = claimant;
    if (this.#inReserve < this.#reserve && this.#mayUseReserve(key)) return Promise.resolve(this.#enterReserve(key));
    const { promise, resolve, reject } = Promise.withResolvers<ReservedFor | undefined>();
    const entry = this.#entries.enter(key);
    if (entry === undefined) throw fail('OVERLOADED', this.waiting);
    const waiting = { entry, resolve, reject };
    const removed = this.#waiting.push(claimant, waiting);
    if (removed !== undefined) this.#entries.remove(removed.entry);
    if (removed === waiting) throw fail('OVERLOADED', this.waiting);
    removed?.reject(fail('OVERLOADED', this.waiting));
    return promise;
  }

  /** Releases the place to a request that waits. */
  end(reservedFor?: ReservedFor): void {
    if (reservedFor === undefined) {
      const next = this.#next();
      if (next === undefined) this.#inWork--;
      else next.resolve(undefined);
      return;
    }
    this.#inReserve--;
    this.#reserved.remove(reservedFor);
    const next = this.#next((key) => this.#mayUseReserve(key));
    next?.resolve(this.#enterReserve(next.entry.key));
  }

  #next(mayRun?: (key: string) => boolean): Waiting | undefined {
    const next = this.#waiting.shift(mayRun);
    if (next !== undefined) this.#entries.leave(next.entry);
    return next;
  }

  #mayUseReserve(key: string): boolean {
    return this.#reserved.of(key) < this.#reserveOfClaimant;
  }

  #enterReserve(key: string): ReservedFor {
    this.#inReserve++;
    this.#reserved.add(key);
    return key;
  }
}
