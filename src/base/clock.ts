/** Time, timers and chance. The only file that asks the system for them, so that tests can own them. */
export interface Clock {
  /** Milliseconds since the epoch. */
  nowMs(): number;
  /** Milliseconds of a clock that never goes back. */
  monotonicMs(): number;
  /** Runs `action` once after `delayMs`; the timer does not keep the process alive. */
  after(delayMs: number, action: () => void): Timer;
  /** Runs `action` every `intervalMs`; the timer does not keep the process alive. */
  every(intervalMs: number, action: () => void): Timer;
  /**
   * Runs `action` at the end of this turn of the event loop, when the requests that came with it have been read.
   * Actions run in the order they were given; one that is given meanwhile belongs to the same turn.
   */
  endOfTick(action: () => void): void;
}

/** A running timer. */
export interface Timer {
  cancel(): void;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
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
};

/** What is to be done at the end of this turn of this thread. */
let actions: Array<() => void> = [];

function runActions(): void {
  let done = 0;
  try {
    while (done < actions.length) actions[done++]?.();
  } finally {
    actions = actions.slice(done);
    // Only after a failure: what comes behind it has its turn all the same.
    if (actions.length > 0) setImmediate(runActions);
  }
}

/** Resolves after `delayMs`. */
export function sleep(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => clock.after(delayMs, resolve));
}

/** A random UUID (version 4), lower case. */
export function randomUuid(): string {
  return crypto.randomUUID();
}

/** `length` random bytes from the system's generator. */
export function randomBytes(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length));
}
