/**
 * Whether the service can answer: known to all threads, asked by `/health/ready` and the page of metrics.
 *
 * Whether it can write is tried, not assumed: when readiness is asked for and no probe has succeeded within the last
 * second, a record is written durably. Writes are impossible while that fails, or while it has been under way for two
 * seconds, as behind a statement that holds the exclusive write lock.
 */
import type { Clock } from '../../base/clock.ts';
import { ERRORS, GridError } from '../../base/errors.ts';
import { chain, type MaybePromise } from '../../base/maybe-promise.ts';
import type { ClusterState, Grid } from '../../grid/grid.ts';

export type Readiness = 'ready' | 'starting' | 'stopping' | 'inactive' | 'cannot write' | 'unreachable';

export interface Health {
  started(): void;
  stopping(): void;
  /**
   * Is told the text of every failure, and whether it was that of a write. One that says that nothing can be written
   * makes the service unready until a probe succeeds; damage that a write met, for a minute at least.
   */
  failed(text: string, isWrite: boolean): void;
  readiness(): MaybePromise<Readiness>;
}

export interface HealthOptions {
  /** The running grid; undefined before it is open. */
  readonly grid: () => Grid | undefined;
  readonly clock: Clock;
  /** Shared by the threads; created by the first. */
  readonly memory: SharedArrayBuffer;
  /** Whether this process writes the data file itself. */
  readonly writesFiles: boolean;
}

export const HEALTH_BYTES = 32;
/** Int32 at the beginning. */
const PHASE = 0;
const STORAGE = 1;
/** Times in ms since the epoch, Float64, behind those. */
const TIMES_AT = 8;
const PROBED = 0;
const PROBE_BEGUN = 1;
const DAMAGED = 2;

const STARTING = 0;
const STARTED = 1;
const STOPPING = 2;

const PROBE_INTERVAL_MS = 1_000;
/** Time that a probe may take before writes count as impossible. */
const BLOCKED_MS = 2_000;
/** Time that readiness waits for a probe. */
const PATIENCE_MS = 500;
/** Time that a cluster may take to tell its state before it counts as unreachable. */
const STATE_LIMIT_MS = 1_500;
/** Damage stays where it was met, even when a probe is written elsewhere. */
const DAMAGED_MS = 60_000;

const STORAGE_TEXTS = [ERRORS.STORAGE_FULL.text(), ERRORS.STORAGE_READ_ONLY.text()];
const FAILED_TEXT = ERRORS.STORAGE_FAILED.text('');
const DAMAGED_TEXT = ERRORS.STORAGE_CORRUPT.text('');
const STORAGE_CODES: ReadonlySet<string> = new Set([
  'STORAGE_FULL',
  'STORAGE_READ_ONLY',
  'STORAGE_FAILED',
  'STORAGE_CORRUPT',
]);

export function createHealth(options: HealthOptions): Health {
  return new SharedHealth(options);
}

class SharedHealth implements Health {
  readonly #options: HealthOptions;
  readonly #states: Int32Array;
  readonly #times: Float64Array;
  #probing: Promise<void> | undefined;

  constructor(options: HealthOptions) {
    this.#options = options;
    this.#states = new Int32Array(options.memory, 0, 2);
    this.#times = new Float64Array(options.memory, TIMES_AT, 3);
  }

  started(): void {
    Atomics.compareExchange(this.#states, PHASE, STARTING, STARTED);
  }

  stopping(): void {
    Atomics.store(this.#states, PHASE, STOPPING);
  }

  failed(text: string, isWrite: boolean): void {
    if (isWrite && text.includes(DAMAGED_TEXT)) this.#times[DAMAGED] = this.#options.clock.nowMs();
    else if (STORAGE_TEXTS.some((each) => text.includes(each)) || (isWrite && text.includes(FAILED_TEXT))) {
      Atomics.store(this.#states, STORAGE, 1);
    }
  }

  readiness(): MaybePromise<Readiness> {
    const phase = Atomics.load(this.#states, PHASE);
    const running = this.#options.grid();
    if (phase === STOPPING) return 'stopping';
    if (phase === STARTING || running === undefined) return 'starting';
    const judged = chain(this.#stateOf(running), (state): MaybePromise<Readiness> => {
      if (state === 'unreachable') return state;
      if (state === 'INACTIVE') return 'inactive';
      return chain(this.#tryToWrite(running), (can): Readiness => (can ? 'ready' : 'cannot write'));
    });
    return judged instanceof Promise ? judged.catch((): Readiness => 'unreachable') : judged;
  }

  /** Returns the state of the cluster; `unreachable` when it does not tell it in time. Rejects as the grid does. */
  #stateOf(running: Grid): MaybePromise<ClusterState | 'unreachable'> {
    const state = running.cluster.state();
    if (!(state instanceof Promise)) return state;
    const { promise, resolve } = Promise.withResolvers<'unreachable'>();
    const timer = this.#options.clock.after(STATE_LIMIT_MS, () => resolve('unreachable'));
    return Promise.race([state, promise]).finally(() => timer.cancel());
  }

  /** Whether a write can succeed, by a probe that is not older than a second. */
  #tryToWrite(running: Grid): MaybePromise<boolean> {
    const { clock, writesFiles } = this.#options;
    if (!writesFiles) return true;
    const isNew = Math.abs(clock.nowMs() - this.#timeOf(PROBED)) < PROBE_INTERVAL_MS;
    if (this.#probing === undefined && isNew) return this.#canWrite();
    this.#probing ??= this.#probe(running).finally(() => {
      this.#probing = undefined;
    });
    if (this.#isBlocked()) return false;
    return within(clock, this.#probing, PATIENCE_MS).then(() => this.#canWrite());
  }

  #canWrite(): boolean {
    if (this.#isBlocked()) return false;
    const damagedMs = this.#timeOf(DAMAGED);
    if (damagedMs > 0 && this.#options.clock.nowMs() - damagedMs < DAMAGED_MS) return false;
    return Atomics.load(this.#states, STORAGE) === 0;
  }

  #isBlocked(): boolean {
    const begunMs = this.#timeOf(PROBE_BEGUN);
    return begunMs > 0 && Math.abs(this.#options.clock.nowMs() - begunMs) >= BLOCKED_MS;
  }

  /** Writes a record. Never rejects. */
  async #probe(running: Grid): Promise<void> {
    const { clock } = this.#options;
    // One that another thread has begun and that is still under way tells since when writes are blocked.
    if (this.#timeOf(PROBE_BEGUN) === 0) this.#times[PROBE_BEGUN] = clock.nowMs();
    try {
      await running.records.put('setting', 'health.probe', '');
      Atomics.store(this.#states, STORAGE, 0);
    } catch (error) {
      // What is refused for another reason, as in a state without changes, says nothing about the disk.
      if (error instanceof GridError && STORAGE_CODES.has(error.code)) Atomics.store(this.#states, STORAGE, 1);
    }
    this.#times[PROBE_BEGUN] = 0;
    this.#times[PROBED] = clock.nowMs();
  }

  #timeOf(which: number): number {
    return this.#times[which] ?? 0;
  }
}

/** Resolves with the promise, which never rejects, or after the limit. */
function within(clock: Clock, promise: Promise<void>, limitMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.after(limitMs, resolve);
    void promise.then(() => {
      timer.cancel();
      resolve();
    });
  });
}
