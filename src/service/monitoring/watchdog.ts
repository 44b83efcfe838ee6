/**
 * Watches the threads that answer requests from a dedicated thread: logs those whose event loop stalls, and kills the
 * process when a signal to stop has no effect.
 */
import type { Clock } from '../../base/clock.ts';
import { WATCHDOG_BOUNDS } from '../../base/limits.ts';
import type { Log, LogFields } from './log.ts';
import type { WatchedThreads } from './watched-threads.ts';

export interface WatchdogOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly threads: WatchedThreads;
  /** Command names by the index that threads record. */
  readonly commands: readonly string[];
  /** Whether signals are counted. If not, a main thread that hangs for long counts as one. */
  readonly seesSignals: boolean;
  /** Time from a signal until the process must have ended, in ms. */
  readonly stopMs: number;
  /** Kills the process. */
  readonly kill: (reason: string) => void;
}

/** Interval of {@link Watchdog.poll}. */
export const WATCHDOG_POLL_MS = 100;
/** Longest time between polls that counts. A longer one means that the whole process was suspended. */
const MAX_GAP_MS = 700;
const MAIN_THREAD = 0;
/** npm forwards a signal that the terminal also sends to this process; within this time both count as one. */
const SAME_SIGNAL_MS = 1_000;
/** Time in which a second signal, which asks for an immediate exit, must have worked. */
const FURTHER_SIGNAL_MS = 500;

interface Watched {
  beats: number;
  /** Time of the last change of `beats`. */
  changedMs: number;
  /** Set while the thread stalls. */
  stall: { readonly fields: LogFields; countedMs: number; reported: boolean } | undefined;
}

export class Watchdog {
  readonly #options: WatchdogOptions;
  readonly #watched: Watched[];
  #polledMs: number;
  /** How long this thread itself has run: a suspended process does not stall. */
  #runMs = 0;
  #signals = 0;
  #signalledMs: number | undefined;
  #killAtMs = Number.POSITIVE_INFINITY;

  constructor(options: WatchdogOptions) {
    this.#options = options;
    this.#polledMs = options.clock.monotonicMs();
    this.#watched = Array.from({ length: options.threads.count }, () => ({
      beats: 0,
      changedMs: 0,
      stall: undefined,
    }));
  }

  /** Looks at all threads and signals. Called every {@link WATCHDOG_POLL_MS}. */
  poll(): void {
    const nowMs = this.#options.clock.monotonicMs();
    this.#runMs += Math.min(nowMs - this.#polledMs, MAX_GAP_MS);
    this.#polledMs = nowMs;
    this.#watched.forEach((watched, thread) => {
      this.#check(watched, thread);
    });
    this.#checkSignals();
  }

  #check(watched: Watched, thread: number): void {
    const beats = this.#options.threads.beats(thread);
    if (beats !== watched.beats || beats === 0) {
      this.#endStall(watched);
      watched.beats = beats;
      watched.changedMs = this.#runMs;
      return;
    }
    const lengthMs = this.#runMs - watched.changedMs;
    if (lengthMs <= WATCHDOG_BOUNDS.stallMs) return;
    const { threads } = this.#options;
    if (watched.stall === undefined) {
      watched.stall = { fields: this.#fieldsOf(thread), countedMs: 0, reported: false };
      threads.stallBegan();
    }
    const { stall } = watched;
    threads.stallLasts(lengthMs - stall.countedMs, lengthMs);
    stall.countedMs = lengthMs;
    if (lengthMs > WATCHDOG_BOUNDS.longStallMs && !stall.reported) {
      stall.reported = true;
      this.#options.log.warn('A thread is still blocked', { ...stall.fields, durationMs: Math.round(lengthMs) });
    }
    if (thread === MAIN_THREAD && !this.#options.seesSignals && lengthMs > WATCHDOG_BOUNDS.hangMs) {
      this.#kill('The main thread hangs');
    }
  }

  #endStall(watched: Watched): void {
    const { stall, changedMs } = watched;
    if (stall === undefined) return;
    watched.stall = undefined;
    const lengthMs = this.#runMs - changedMs;
    this.#options.threads.stallLasts(lengthMs - stall.countedMs, lengthMs);
    this.#options.log.warn('A thread was blocked', { ...stall.fields, durationMs: Math.round(lengthMs) });
  }

  #fieldsOf(thread: number): LogFields {
    const { threads, commands } = this.#options;
    const { index, isRunning } = threads.command(thread);
    const name = index === undefined ? undefined : commands[index];
    return {
      thread: thread === MAIN_THREAD ? 'main' : `http ${thread}`,
      ...(name !== undefined && { [isRunning ? 'command' : 'lastCommand']: name }),
    };
  }

  #checkSignals(): void {
    const signals = Atomics.load(this.#options.threads.signals, 0);
    if (signals !== this.#signals) {
      this.#signals = signals;
      if (this.#signalledMs === undefined) {
        this.#signalledMs = this.#runMs;
        this.#killAtMs = this.#runMs + this.#options.stopMs;
      } else if (this.#runMs - this.#signalledMs > SAME_SIGNAL_MS) {
        this.#killAtMs = Math.min(this.#killAtMs, this.#runMs + FURTHER_SIGNAL_MS);
      }
    }
    if (this.#runMs >= this.#killAtMs) this.#kill('The process did not stop after a signal');
  }

  #kill(reason: string): void {
    const { log, kill } = this.#options;
    for (const { stall, changedMs } of this.#watched) {
      if (stall !== undefined) {
        const durationMs = Math.round(this.#runMs - changedMs);
        log.error('A thread was blocked when the process was killed', { ...stall.fields, durationMs });
      }
    }
    log.error('The watchdog kills the process', { reason });
    kill(reason);
  }
}
