/**
 * What the threads and processes of a service with failover share while it is the primary: until when it may answer,
 * and which commits are in the destination of its continuous backup. Each term of a primary has memory of its own, so
 * what is left of an earlier one never answers again.
 */
import { openBootClock } from './boot-clock.ts';
import type { CreateArea, SharedArea } from './shared-areas.ts';
import { openArea } from './shared-areas.ts';

const BYTES = 24;
/** Indexes of the Float64 values. */
const UNTIL = 0;
const SHIPPED_AT = 1;
/** Indexes of the Int32 values. */
const SHIPPED = 4;
const CLOSED = 5;

export function createFailoverArea(create: CreateArea): SharedArea {
  return create(BYTES);
}

export class FailoverState {
  readonly #times: Float64Array;
  readonly #integers: Int32Array;
  readonly #bootMs: () => number;

  constructor(area: SharedArea, bootMs: () => number = openBootClock()) {
    const memory = openArea(area);
    // A part of a file begins where its page does.
    this.#times = new Float64Array(memory, 0, 2);
    this.#integers = new Int32Array(memory, 0, BYTES / Int32Array.BYTES_PER_ELEMENT);
    this.#bootMs = bootMs;
  }

  /** Whether the service may answer now: its lease holds, and it has not been deposed. */
  holds(): boolean {
    return !this.isClosed && this.#bootMs() < (this.#times[UNTIL] ?? 0);
  }

  /** Whether the term of this primary has ended. */
  get isClosed(): boolean {
    return Atomics.load(this.#integers, CLOSED) !== 0;
  }

  /** Lets the service answer until a time of the clock that counts suspension. */
  allowUntil(bootMs: number): void {
    this.#times[UNTIL] = bootMs;
  }

  /** Ends the term. */
  close(): void {
    Atomics.store(this.#integers, CLOSED, 1);
  }

  /** Records that everything up to a number of commits is in the destination, as it was at a time. */
  shipped(commits: number, atBootMs: number): void {
    Atomics.store(this.#integers, SHIPPED, commits);
    this.#times[SHIPPED_AT] = atBootMs;
  }

  /** Whether everything up to a number of commits is in the destination. The numbers may have wrapped around. */
  isShipped(commits: number): boolean {
    return ((Atomics.load(this.#integers, SHIPPED) - commits) | 0) >= 0;
  }

  /** Milliseconds since everything that was committed was found to be in the destination. */
  unshippedMs(): number {
    return this.#bootMs() - (this.#times[SHIPPED_AT] ?? 0);
  }

  /** The time of the clock that counts suspension. */
  bootMs(): number {
    return this.#bootMs();
  }
}
