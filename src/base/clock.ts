/** Time, timers and randomness. Only this file asks the system for them, so that tests can control time. */
import type { SharedArea } from './shared-areas.ts';

export interface Clock {
  /** Milliseconds since the epoch. */
  nowMs(): number;
  /** Milliseconds of a monotonic clock with an arbitrary start. */
  monotonicMs(): number;
  /**
   * Processor time of this thread in milliseconds. Costs a system call; on Linux it can lag by one
   * kernel tick, up to 4 ms.
   */
  threadCpuMs(): number;
  /** Runs `action` once after `delayMs`; the timer does not keep the process alive. */
  after(delayMs: number, action: () => void): Timer;
  /** Runs `action` every `intervalMs`; the timer does not keep the process alive. */
  every(intervalMs: number, action: () => void): Timer;
  /**
   * Runs `action` at the end of this tick of the event loop, after reading the requests that arrived in it. Actions run
   * in the order of the calls; an action added while they run belongs to the same tick.
   */
  endOfTick(action: () => void): void;
  /** Runs `action` after the event loop has polled for new events. */
  nextTick(action: () => void): void;
  /** Resolves after a millisecond; for polling memory that threads and processes share. */
  pollDelay(): Promise<void>;
  /**
   * State with which other threads and processes show the same time (adjustable-clock.ts); undefined for the system's
   * time.
   */
  readonly shift?: SharedArea;
}

/** A running timer. */
export interface Timer {
  cancel(): void;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  threadCpuMs() {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  },
  after(delayMs, action) {
    const timer = setTimeout(action, delayMs);
    timer.unref?.();
    return { cancel: () => clearTimeout(timer) };
  },
  every(intervalMs, action) {
    const timer = setInterval(action, intervalMs);
    timer.unref?.();
    return { cancel: () => clearInterval(timer) };
  },
  endOfTick(action) {
    if (actions.push(action) === 1) setImmediate(runActions);
  },
  // Before it reads sockets, the runtime runs the end-of-tick callbacks once more.
  nextTick: (action) => void setImmediate(() => setImmediate(action)),
  pollDelay: () => new Promise((resolve) => setTimeout(resolve, 1)),
};

/** Actions for the end of this thread's current tick. */
let actions: Array<() => void> = [];

function runActions(): void {
  let done = 0;
  try {
    while (done < actions.length) actions[done++]?.();
  } finally {
    actions = actions.slice(done);
    // An action threw: run the remaining ones in the next tick.
    if (actions.length > 0) setImmediate(runActions);
  }
}

/** Returns a promise that resolves after `delayMs`. */
export function sleep(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => clock.after(delayMs, resolve));
}

/** Keeps the process alive until cancelled; timers and signal handlers do not. */
export function keepAlive(): Timer {
  const timer = setInterval(() => {}, 2 ** 30);
  return { cancel: () => clearInterval(timer) };
}

/** Returns a random UUID (version 4) in lower case. */
export function randomUuid(): string {
  return crypto.randomUUID();
}

/** Returns `length` random bytes, suitable as keys. */
export function randomBytes(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length));
}
