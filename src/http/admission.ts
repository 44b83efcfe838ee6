/**
 * Bounds how many requests run at once. Further ones wait and are served fairly; those beyond a second limit are
 * rejected. A request that runs cannot be taken back, so a reserve beyond the first limit lets claimants with few
 * requests run while one claimant occupies all places with long ones.
 */
import { fail } from '../base/errors.ts';
import { FairQueue } from '../base/fair-queue.ts';
import { type Claimant, Holdings } from '../base/shares.ts';

/** The reserve has one place for so many of the limit; less than two would be no reserve beside one claimant. */
const RESERVED = 8;
const LEAST_RESERVE = 2;
/** One claimant may use one of so many places of the reserve. */
const RESERVE_OF_CLAIMANT = 4;

/** A place in the reserve; it belongs to the claimant of this key. */
export type ReservedFor = string;

interface Waiting {
  readonly key: string;
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

  constructor(inWorkLimit: number, waitingLimit: number) {
    this.#inWorkLimit = inWorkLimit;
    const reserve = Math.floor(inWorkLimit / RESERVED);
    this.#reserve = reserve < LEAST_RESERVE ? 0 : reserve;
    this.#reserveOfClaimant = Math.max(1, Math.floor(reserve / RESERVE_OF_CLAIMANT));
    this.#waiting = new FairQueue(waitingLimit);
  }

  /** Requests that run now. Those that are answered synchronously never count. */
  get inWork(): number {
    return this.#inWork + this.#inReserve;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Reserves a place. Returns false when the request has to wait. */
  tryBegin(): boolean {
    if (this.#inWork >= this.#inWorkLimit) return false;
    this.#inWork++;
    return true;
  }

  /**
   * Resolves when a place has been reserved, for claimants in turn, to what {@link end} must be called with. Throws or
   * rejects with OVERLOADED: when too many wait, the claimant with the most gives way to one with fewer.
   */
  begin(claimant: Claimant): Promise<ReservedFor | undefined> {
    const { key } = claimant;
    if (this.#inReserve < this.#reserve && this.#mayUseReserve(key)) return Promise.resolve(this.#enterReserve(key));
    const { promise, resolve, reject } = Promise.withResolvers<ReservedFor | undefined>();
    const entry = { key, resolve, reject };
    const removed = this.#waiting.push(claimant, entry);
    if (removed === entry) throw fail('OVERLOADED', this.waiting);
    removed?.reject(fail('OVERLOADED', this.waiting));
    return promise;
  }

  /** Releases the place to a request that waits. */
  end(reservedFor?: ReservedFor): void {
    if (reservedFor === undefined) {
      const next = this.#waiting.shift();
      if (next === undefined) this.#inWork--;
      else next.resolve(undefined);
      return;
    }
    this.#inReserve--;
    this.#reserved.remove(reservedFor);
    const next = this.#waiting.shift((key) => this.#mayUseReserve(key));
    next?.resolve(this.#enterReserve(next.key));
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
