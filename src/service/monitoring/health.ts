/**
 * The readiness of the service, shared by all threads and returned by `/health/ready` and `/metrics`.
 *
 * A readiness check writes a record durably unless a probe has succeeded within the last second. The service cannot
 * write while the probe fails, or once it has been running for two seconds, for example waiting for a statement that
 * holds the exclusive write lock.
 */
import type { Clock } from '../../base/clock.ts';
import { ERRORS, GridError } from '../../base/errors.ts';
import { chain, type MaybePromise } from '../../base/maybe-promise.ts';
import type { ClusterState, Grid } from '../../grid/grid.ts';

export type Readiness = 'ready' | 'starting' | 'stopping' | 'draining' | 'inactive' | 'cannot write' | 'unreachable';

export interface Health {
  started(): void;
  stopping(): void;
  /**
   * Records an error's text and whether a write failed. A storage error makes the service unready until a probe
   * succeeds; corruption found by a write, for at least a minute.
   */
  failed(text: string, isWrite: boolean): void;
  readiness(): MaybePromise<Readiness>;
  isReady(): MaybePromise<boolean>;
  isDraining(): boolean;
  /** Sets whether every thread of the service reports that it is not ready, until the next call or a restart. */
  setDraining(draining: boolean): void;
  /** Whether the continuous backup ships; false without one. */
  isShipping(): boolean;
  setShipping(shipping: boolean): void;
}

export interface HealthOptions {
  /** Returns the grid, or undefined before it is open. */
  readonly grid: () => Grid | undefined;
  readonly clock: Clock;
  /** Shared by the threads; created by the first one. */
  readonly memory: SharedArrayBuffer;
  /** Whether this process writes the data file itself. */
  readonly writesFiles: boolean;
}

/** Size of the shared memory that the offsets below divide. */
export const HEALTH_BYTES = 40;
/** Indexes of the Int32 values at the beginning. */
const PHASE = 0;
const STORAGE = 1;
/** Offset of the Float64 times in ms since the Unix epoch. */
const TIMES_AT = 8;
const PROBED = 0;
const PROBE_START = 1;
const DAMAGED = 2;
/** Offset of the Int32 value that is 1 while the service drains. */
const DRAINING_AT = 32;
/** Offset of the Int32 value that is 1 while the continuous backup ships. */
const SHIPPING_AT = 36;

const STARTING = 0;
const STARTED = 1;
const STOPPING = 2;

/** Shorter than the usual intervals of health checks, so that each check sees a new probe. */
const PROBE_INTERVAL_MS = 1_000;
/** Duration of a probe after which writes count as blocked. */
const BLOCKED_MS = 2_000;
/** Time that a readiness check waits for a probe. */
const PROBE_WAIT_MS = 500;
/** Time after which a cluster that does not return its state counts as unreachable. */
const STATE_LIMIT_MS = 1_500;
/** Corruption persists even if a probe succeeds elsewhere in the file. */
const DAMAGED_MS = 60_000;

const STORAGE_TEXTS = [ERRORS.STORAGE_FULL.text(), ERRORS.STORAGE_READ_ONLY.text()];
const FAILED_TEXT = ERRORS.STORAGE_FAILED.text('');
const DAMAGED_TEXT = ERRORS.STORAGE_CORRUPT.text('');
const STORAGE_CODES: ReadonlySet<string> = new Set([
  'STORAGE_FULL',
  'STORAGE_LOW',
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
  readonly #draining: Int32Array;
  readonly #shipping: Int32Array;
  #probing: Promise<void> | undefined;

  constructor(options: HealthOptions) {
    this.#options = options;
    this.#states = new Int32Array(options.memory, 0, 2);
    this.#times = new Float64Array(options.memory, TIMES_AT, 3);
    this.#draining = new Int32Array(options.memory, DRAINING_AT, 1);
    this.#shipping = new Int32Array(options.memory, SHIPPING_AT, 1);
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
    if (this.isDraining()) return 'draining';
    const readiness = chain(this.#stateOf(running), (state): MaybePromise<Readiness> => {
      if (state === 'unreachable') return state;
      if (state === 'INACTIVE') return 'inactive';
      return chain(this.#checkWrite(running), (can): Readiness => (can ? 'ready' : 'cannot write'));
    });
    return readiness instanceof Promise ? readiness.catch((): Readiness => 'unreachable') : readiness;
  }

  isReady(): MaybePromise<boolean> {
    return chain(this.readiness(), (readiness) => readiness === 'ready');
  }

  isDraining(): boolean {
    return Atomics.load(this.#draining, 0) === 1;
  }

  setDraining(draining: boolean): void {
    Atomics.store(this.#draining, 0, draining ? 1 : 0);
  }

  isShipping(): boolean {
    return Atomics.load(this.#shipping, 0) === 1;
  }

  setShipping(shipping: boolean): void {
    Atomics.store(this.#shipping, 0, shipping ? 1 : 0);
  }

  /** Returns the state of the cluster; `unreachable` if it takes too long. Rejects if the grid does. */
  #stateOf(running: Grid): MaybePromise<ClusterState | 'unreachable'> {
    const state = running.cluster.state();
    if (!(state instanceof Promise)) return state;
    const { promise, resolve } = Promise.withResolvers<'unreachable'>();
    const timer = this.#options.clock.after(STATE_LIMIT_MS, () => resolve('unreachable'));
    return Promise.race([state, promise]).finally(() => timer.cancel());
  }

  /** Reports whether writes succeed, according to a probe within the last second. */
  #checkWrite(running: Grid): MaybePromise<boolean> {
    const { clock, writesFiles } = this.#options;
    if (!writesFiles) return true;
    const isNew = Math.abs(clock.nowMs() - this.#timeOf(PROBED)) < PROBE_INTERVAL_MS;
    if (this.#probing === undefined && isNew) return this.#canWrite();
    this.#probing ??= this.#probe(running).finally(() => {
      this.#probing = undefined;
    });
    if (this.#isBlocked()) return false;
    return within(clock, this.#probing, PROBE_WAIT_MS).then(() => this.#canWrite());
  }

  #canWrite(): boolean {
    if (this.#isBlocked()) return false;
    const damagedMs = this.#timeOf(DAMAGED);
    if (damagedMs > 0 && this.#options.clock.nowMs() - damagedMs < DAMAGED_MS) return false;
    return Atomics.load(this.#states, STORAGE) === 0;
  }

  #isBlocked(): boolean {
    const startMs = this.#timeOf(PROBE_START);
    return startMs > 0 && Math.abs(this.#options.clock.nowMs() - startMs) >= BLOCKED_MS;
  }

  /** Writes a record. Never rejects. */
  async #probe(running: Grid): Promise<void> {
    const { clock } = this.#options;
    // If another thread's probe is running, writes have been blocked since its start.
    if (this.#timeOf(PROBE_START) === 0) this.#times[PROBE_START] = clock.nowMs();
    try {
      await running.records.put('setting', 'health.probe', '');
      Atomics.store(this.#states, STORAGE, 0);
    } catch (error) {
      // Other errors, such as a read-only cluster's, do not concern the disk.
      if (error instanceof GridError && STORAGE_CODES.has(error.code)) Atomics.store(this.#states, STORAGE, 1);
    }
    this.#times[PROBE_START] = 0;
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
