/**
 * Shared state of the threads and processes of a primary with failover: until when it may respond,
 * and which commits have reached the destination of its continuous backup. Each term of a primary has separate memory,
 * so remnants of an earlier term never respond again.
 */
import { openBootClock } from './boot-clock.ts';
import type { CreateArea, SharedArea } from './shared-areas.ts';
import { openArea } from './shared-areas.ts';

const BYTES = 40;
/** Indexes of the Float64 values. */
const UNTIL = 0;
const SHIPPED_AT = 1;
/** Indexes of the Int32 values. */
const SHIPPED = 4;
const CLOSED = 5;
const IDLE = 6;
const WAITS = 7;
const WAKE_AT = 8;

/** The memories of signals between the threads of a primary. */
export interface FailoverSignals {
  /** The shipped position has advanced. */
  readonly shipped: SharedArrayBuffer;
  /** A response is waiting for shipping. */
  readonly wanted: SharedArrayBuffer;
}

export function createFailoverArea(create: CreateArea): SharedArea {
  return create(BYTES);
}

export class FailoverState {
  readonly #times: Float64Array;
  readonly #integers: Int32Array;
  readonly #bootMs: () => number;

  constructor(area: SharedArea, bootMs: () => number = openBootClock()) {
    const memory = openArea(area);
    // A part of a file must begin at a page boundary.
    this.#times = new Float64Array(memory, 0, 2);
    this.#integers = new Int32Array(memory, 0, BYTES / Int32Array.BYTES_PER_ELEMENT);
    this.#bootMs = bootMs;
  }

  /** Whether the service may respond now: its lease is valid, and it has not been deposed. */
  holds(): boolean {
    return !this.isClosed && this.#bootMs() < (this.#times[UNTIL] ?? 0);
  }

  /** Whether this primary's term has ended. */
  get isClosed(): boolean {
    return Atomics.load(this.#integers, CLOSED) !== 0;
  }

  /** Allows the service to respond until a time of the boot clock. */
  allowUntil(bootMs: number): void {
    this.#times[UNTIL] = bootMs;
  }

  /** Ends the term. */
  close(): void {
    Atomics.store(this.#integers, CLOSED, 1);
  }

  /** Records that everything up to these commit numbers had reached the destination at the given time. */
  shipped(commits: number, atBootMs: number): void {
    Atomics.store(this.#integers, SHIPPED, commits);
    this.#times[SHIPPED_AT] = atBootMs;
  }

  /** Whether everything up to these commit numbers has reached the destination. The numbers may have wrapped around. */
  isShipped(commits: number): boolean {
    return ((Atomics.load(this.#integers, SHIPPED) - commits) | 0) >= 0;
  }

  /** Number of responses that have begun to wait for shipping. It may have wrapped around. */
  get waits(): number {
    return Atomics.load(this.#integers, WAITS);
  }

  /** Counts a response that begins to wait. Returns whether the shipping process must be woken. */
  beginWait(): boolean {
    const waits = (Atomics.add(this.#integers, WAITS, 1) + 1) | 0;
    return Atomics.load(this.#integers, IDLE) !== 0 && ((waits - Atomics.load(this.#integers, WAKE_AT)) | 0) >= 0;
  }

  /** Records that the shipping process is idle until this many responses are waiting; undefined means busy. */
  idleUntil(waits: number | undefined): void {
    if (waits !== undefined) Atomics.store(this.#integers, WAKE_AT, waits);
    Atomics.store(this.#integers, IDLE, waits === undefined ? 0 : 1);
  }

  /** Milliseconds since the destination was last known to have everything that was committed. */
  unshippedMs(): number {
    return this.#bootMs() - (this.#times[SHIPPED_AT] ?? 0);
  }

  /** The time of the boot clock. */
  bootMs(): number {
    return this.#bootMs();
  }
}
