/** Collects the garbage of SQL functions and of large values in the thread that makes it, as it makes it. */
import { edenGC, gcAndSweep, heapSize } from 'bun:jsc';
import { type Clock, systemClock } from '../../../base/clock.ts';

/**
 * Calls and time after which the garbage of functions is collected. The engine's own collections lag behind: they run
 * on another thread, which a busy machine serves too late.
 */
const CALLS_PER_COLLECTION = 2_048;
const COLLECTION_MS = 30;
/** Calls between two looks at the clock. */
const UNTIMED_CALLS = 64;

/**
 * Growth of the heap after which what was collected is also freed. The engine frees the text of a dead string only
 * when it reuses its place, which may be much later.
 */
const GROWTH_BYTES = 16 * 1024 * 1024;

/** The heap of a thread. */
export interface Heap {
  /** Returns its size, with the texts of strings, in bytes. */
  size(): number;
  collectYoung(): void;
  /** Collects everything and frees it. The allocator returns the memory to the system soon after. */
  collectAll(): void;
}

const THREAD_HEAP: Heap = {
  size: heapSize,
  collectYoung: edenGC,
  collectAll: gcAndSweep,
};

/** Collects the garbage of a thread's functions as they make it. */
export class CallGarbage {
  readonly #heap: Heap;
  readonly #clock: Clock;
  #calls = 0;
  #dueMs = 0;
  /** Size of the heap when garbage was last freed. */
  #freedBytes: number;

  constructor(heap: Heap = THREAD_HEAP, clock: Clock = systemClock) {
    this.#heap = heap;
    this.#clock = clock;
    this.#freedBytes = heap.size();
  }

  noteCall(): void {
    if (++this.#calls < CALLS_PER_COLLECTION || this.#calls % UNTIMED_CALLS !== 0) return;
    if (this.#clock.monotonicMs() < this.#dueMs) return;
    this.#calls = 0;
    this.#heap.collectYoung();
    this.freeIfGrown();
    this.#dueMs = this.#clock.monotonicMs() + COLLECTION_MS;
  }

  /** Frees the garbage of this thread while a statement runs, if its heap has grown since that was last done. */
  freeIfGrown(): void {
    const bytes = this.#heap.size();
    this.#freedBytes = Math.min(this.#freedBytes, bytes);
    if (bytes <= this.#freedBytes + GROWTH_BYTES) return;
    this.#heap.collectAll();
    this.#freedBytes = this.#heap.size();
  }
}

/** The garbage of this thread. */
export const callGarbage = new CallGarbage();
