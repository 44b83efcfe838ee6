import type { Clock, Timer } from './clock.ts';

interface ManualTimer {
  dueMs: number;
  readonly intervalMs: number | undefined;
  readonly action: () => void;
}

/** A clock for tests: time passes only in {@link ManualClock.advance}; ticks of the event loop are real. */
export class ManualClock implements Clock {
  #nowMs: number;
  #pausedMs = 0;
  readonly #timers = new Set<ManualTimer>();

  constructor(startMs = 1_700_000_000_000) {
    this.#nowMs = startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#nowMs;
  }

  /** The thread uses a processor all the time, but for what {@link ManualClock.pause} advances. */
  threadCpuMs(): number {
    return this.#nowMs - this.#pausedMs;
  }

  /** Advances the time while the thread uses no processor. */
  pause(byMs: number): void {
    this.#pausedMs += byMs;
    this.advance(byMs);
  }

  after(delayMs: number, action: () => void): Timer {
    return this.#add({ dueMs: this.#nowMs + delayMs, intervalMs: undefined, action });
  }

  every(intervalMs: number, action: () => void): Timer {
    return this.#add({ dueMs: this.#nowMs + intervalMs, intervalMs, action });
  }

  endOfTick(action: () => void): void {
    setImmediate(action);
  }

  nextTick(action: () => void): void {
    setImmediate(action);
  }

  /** Advances the time by `byMs` and runs the timers that become due, in the order of their times. */
  advance(byMs: number): void {
    const end = this.#nowMs + byMs;
    for (let due = this.#next(end); due; due = this.#next(end)) {
      this.#nowMs = Math.max(this.#nowMs, due.dueMs);
      if (due.intervalMs === undefined) this.#timers.delete(due);
      else due.dueMs += Math.max(1, due.intervalMs);
      due.action();
    }
    this.#nowMs = end;
  }

  #add(timer: ManualTimer): Timer {
    this.#timers.add(timer);
    return { cancel: () => void this.#timers.delete(timer) };
  }

  #next(untilMs: number): ManualTimer | undefined {
    let next: ManualTimer | undefined;
    for (const timer of this.#timers) {
      if (timer.dueMs <= untilMs && (!next || timer.dueMs < next.dueMs)) next = timer;
    }
    return next;
  }
}
