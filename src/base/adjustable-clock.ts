/** A clock that tests can advance: time passes as usual, plus whatever the tests add. */
import { type Clock, systemClock, type Timer } from './clock.ts';
import { openArea, type SharedArea } from './shared-areas.ts';

/** Size of the memory that stores how far a clock has been advanced. */
export const SHIFT_BYTES = Float64Array.BYTES_PER_ELEMENT;

interface PendingTimer {
  dueMs: number;
  readonly intervalMs: number | undefined;
  readonly action: () => void;
  real: Timer | undefined;
}

/** Returns a clock that shows another thread's or process's time, which adds the offset in `shift` to the system's. */
export function clockOf(shift: SharedArea | undefined): Clock {
  if (shift === undefined) return systemClock;
  const memory = new Float64Array(openArea(shift), 0, 1);
  const shiftMs = () => memory[0] ?? 0;
  return {
    ...systemClock,
    nowMs: () => systemClock.nowMs() + shiftMs(),
    monotonicMs: () => systemClock.monotonicMs() + shiftMs(),
  };
}

export class AdjustableClock implements Clock {
  readonly shift: SharedArea;
  readonly #memory: Float64Array;
  readonly #pending = new Set<PendingTimer>();
  readonly threadCpuMs = systemClock.threadCpuMs;
  readonly endOfTick = systemClock.endOfTick;
  readonly nextTick = systemClock.nextTick;
  readonly pollDelay = systemClock.pollDelay;

  /** `shift` has {@link SHIFT_BYTES}; {@link clockOf} returns a clock that shows the same time. */
  constructor(shift: SharedArea) {
    this.shift = shift;
    this.#memory = new Float64Array(openArea(shift), 0, 1);
  }

  nowMs(): number {
    return systemClock.nowMs() + this.#shiftMs;
  }

  monotonicMs(): number {
    return systemClock.monotonicMs() + this.#shiftMs;
  }

  after(delayMs: number, action: () => void): Timer {
    return this.#add(delayMs, undefined, action);
  }

  every(intervalMs: number, action: () => void): Timer {
    return this.#add(intervalMs, intervalMs, action);
  }

  /** Advances the time and runs the timers that become due, each once, in order of their due times. */
  advance(byMs: number): void {
    this.#memory[0] = this.#shiftMs + byMs;
    const ordered = [...this.#pending].sort((left, right) => left.dueMs - right.dueMs);
    const nowMs = this.monotonicMs();
    for (const timer of ordered) {
      if (!this.#pending.has(timer)) continue;
      if (timer.dueMs <= nowMs) this.#run(timer);
      else this.#arm(timer);
    }
  }

  get #shiftMs(): number {
    return this.#memory[0] ?? 0;
  }

  #add(delayMs: number, intervalMs: number | undefined, action: () => void): Timer {
    const timer: PendingTimer = { dueMs: this.monotonicMs() + delayMs, intervalMs, action, real: undefined };
    this.#pending.add(timer);
    this.#arm(timer);
    return {
      cancel: () => {
        this.#pending.delete(timer);
        timer.real?.cancel();
      },
    };
  }

  #arm(timer: PendingTimer): void {
    timer.real?.cancel();
    timer.real = systemClock.after(Math.max(0, timer.dueMs - this.monotonicMs()), () => this.#run(timer));
  }

  #run(timer: PendingTimer): void {
    timer.real?.cancel();
    if (timer.intervalMs === undefined) this.#pending.delete(timer);
    else {
      timer.dueMs = this.monotonicMs() + timer.intervalMs;
      this.#arm(timer);
    }
    timer.action();
  }
}
