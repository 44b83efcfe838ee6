/**
 * Locks that let one query thread at a time do what takes much memory: prepare a long statement, or hold large values.
 * The next one waits until the memory of the one before has been returned. In memory that all threads share.
 */

/** Thread that prepares a long statement, plus 1; 0: none. */
const PREPARING = 0;
/** Memory of the process before the last long statement was prepared, in KiB, and the time of its end. */
const PREPARED_KIB = 1;
const PREPARED_MS = 2;
/** Thread that holds large values, plus 1, and the time since when it does; 0: none. */
const LARGE = 3;
const LARGE_SINCE_MS = 4;
/** Memory of the process before a thread held large values, in KiB; the last one that did, plus 1, and until when. */
const BEFORE_LARGE_KIB = 5;
const LAST_LARGE = 6;
const LAST_LARGE_MS = 7;
/** Number of 32-bit integers. */
export const MEMORY_LOCK_SLOTS = 8;

/** Memory that a preparation, or large values, may leave behind without delaying the next thread, in KiB. */
const SPARE_KIB = 32 * 1_024;
/** Time in which the allocator returns freed memory to the system, in ms: it does so about every 100. */
const RETURNED_MS = 300;
/** Time between two looks at the statement of a thread that waits to hold large values, in ms. */
const LARGE_POLL_MS = 5;
/**
 * After this time, in ms, the next thread no longer waits: a statement with large values may run for long, and its
 * client may read slowly. It waits for the second time if the process has grown by more than {@link GROWN_KIB}.
 */
const LONG_LARGE_MS = 1_000;
const LONGEST_LARGE_MS = 5_000;
const GROWN_KIB = 64 * 1_024;

export class MemoryLocks {
  readonly #slots: Int32Array;

  /** `slots` are {@link MEMORY_LOCK_SLOTS} integers in shared memory. */
  constructor(slots: Int32Array) {
    this.#slots = slots;
  }

  /** Begins to prepare a long statement. Returns false while another thread does: their trees take much memory. */
  tryBeginPreparing(thread: number): boolean {
    return Atomics.compareExchange(this.#slots, PREPARING, 0, thread + 1) === 0;
  }

  /** Ends the preparation, if this thread does one. */
  endPreparing(thread: number): void {
    Atomics.compareExchange(this.#slots, PREPARING, thread + 1, 0);
  }

  /** Notes the memory of the process before a preparation, and the time of its end. */
  notePrepared(residentBytes: number, nowMs: number): void {
    Atomics.store(this.#slots, PREPARED_KIB, residentBytes / 1_024);
    Atomics.store(this.#slots, PREPARED_MS, nowMs);
  }

  /** Returns whether the memory of the last preparation is still in use, for {@link RETURNED_MS} after its end. */
  isPreparedHeld(residentBytes: number, nowMs: number): boolean {
    if (!this.#isRecent(PREPARED_MS, nowMs)) return false;
    return residentBytes / 1_024 - Atomics.load(this.#slots, PREPARED_KIB) > SPARE_KIB;
  }

  /** Returns whether the time of a slot, of which it has the lower half, was {@link RETURNED_MS} ago at most. */
  #isRecent(slot: number, nowMs: number): boolean {
    const agoMs = (nowMs - Atomics.load(this.#slots, slot)) | 0;
    return agoMs >= 0 && agoMs <= RETURNED_MS;
  }

  /**
   * Waits until no other thread holds large values, which take many times the memory of their text, or until it has
   * held them for {@link LONG_LARGE_MS}; then until their memory has been returned, for {@link RETURNED_MS} at most.
   * `poll` throws to end the wait. `residentBytes` returns the memory of the process.
   */
  beginLarge(thread: number, nowMs: () => number, poll: () => void, residentBytes: () => number): void {
    if (Atomics.load(this.#slots, LARGE) === thread + 1) return;
    this.#takeLarge(thread, nowMs, poll, residentBytes);
    try {
      this.#awaitReturn(thread, nowMs, poll, residentBytes);
    } catch (error) {
      this.endLarge(thread, nowMs());
      throw error;
    }
  }

  #takeLarge(thread: number, nowMs: () => number, poll: () => void, residentBytes: () => number): void {
    for (;;) {
      const holder = Atomics.compareExchange(this.#slots, LARGE, 0, thread + 1);
      if (holder === 0) break;
      // The time is the lower half of the number of milliseconds.
      const heldMs = (nowMs() - Atomics.load(this.#slots, LARGE_SINCE_MS)) | 0;
      const isOver = heldMs < 0 || this.isTooLong(heldMs, residentBytes);
      if (isOver && Atomics.compareExchange(this.#slots, LARGE, holder, thread + 1) === holder) break;
      poll();
      Atomics.wait(this.#slots, LARGE, holder, LARGE_POLL_MS);
    }
    Atomics.store(this.#slots, LARGE_SINCE_MS, nowMs());
  }

  /** Reports whether another thread holds large values. */
  isLargeElsewhere(thread: number): boolean {
    const holder = Atomics.load(this.#slots, LARGE);
    return holder !== 0 && holder !== thread + 1;
  }

  /** Reports whether others need not wait longer for large values than the time that they have waited. */
  isTooLong(waitedMs: number, residentBytes: () => number): boolean {
    if (waitedMs <= LONG_LARGE_MS) return false;
    if (waitedMs > LONGEST_LARGE_MS) return true;
    return residentBytes() / 1_024 - Atomics.load(this.#slots, BEFORE_LARGE_KIB) <= GROWN_KIB;
  }

  /** Waits for the memory of another thread's large values. A thread uses that of its own again. */
  #awaitReturn(thread: number, nowMs: () => number, poll: () => void, residentBytes: () => number): void {
    const last = Atomics.load(this.#slots, LAST_LARGE);
    const isOfOther = last !== 0 && last !== thread + 1;
    const beforeKib = Atomics.load(this.#slots, BEFORE_LARGE_KIB);
    let kib = residentBytes() / 1_024;
    let isRecent = this.#isRecent(LAST_LARGE_MS, nowMs());
    while (isRecent && isOfOther && kib - beforeKib > SPARE_KIB) {
      poll();
      Atomics.wait(this.#slots, LARGE, thread + 1, LARGE_POLL_MS);
      kib = residentBytes() / 1_024;
      isRecent = this.#isRecent(LAST_LARGE_MS, nowMs());
    }
    // What is left after that time is used for something else.
    Atomics.store(this.#slots, BEFORE_LARGE_KIB, isRecent ? Math.min(kib, beforeKib) : kib);
    Atomics.store(this.#slots, LAST_LARGE, thread + 1);
    Atomics.store(this.#slots, LARGE_SINCE_MS, nowMs());
  }

  /** Lets the next thread hold large values, if this one does. */
  endLarge(thread: number, nowMs: number): void {
    if (Atomics.load(this.#slots, LARGE) !== thread + 1) return;
    Atomics.store(this.#slots, LAST_LARGE_MS, nowMs);
    this.#releaseLarge(thread);
  }

  #releaseLarge(thread: number): void {
    if (Atomics.compareExchange(this.#slots, LARGE, thread + 1, 0) === thread + 1) {
      Atomics.notify(this.#slots, LARGE, 1);
    }
  }

  /** Ends what a thread that has ended did. */
  ended(thread: number): void {
    this.endPreparing(thread);
    this.#releaseLarge(thread);
  }
}
