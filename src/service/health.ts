/** Whether the service can answer: known to all threads, asked by `/health/ready` and the page of figures. */
import type { Clock } from '../base/clock.ts';
import { ERRORS } from '../base/errors.ts';
import { chain, type MaybePromise } from '../base/maybe-promise.ts';
import type { Grid } from '../grid/grid.ts';

export type Readiness = 'ready' | 'starting' | 'stopping' | 'inactive' | 'cannot write' | 'unreachable';

export interface Health {
  started(): void;
  stopping(): void;
  /** Is told the text of every failure: one that says that nothing can be written makes the service unready. */
  failed(text: string): void;
  readiness(): MaybePromise<Readiness>;
}

export interface HealthOptions {
  /** The running grid; undefined before it is open. */
  readonly grid: () => Grid | undefined;
  readonly clock: Clock;
  /** Shared by the threads; made by the first. */
  readonly memory: SharedArrayBuffer;
}

export const HEALTH_BYTES = 8;
const PHASE = 0;
const STORAGE = 1;
const STARTING = 0;
const STARTED = 1;
const STOPPING = 2;
const PROBE_INTERVAL_MS = 2_000;
const STORAGE_TEXTS = [ERRORS.STORAGE_FULL.text(), ERRORS.STORAGE_READ_ONLY.text()];

export function createHealth({ grid, clock, memory }: HealthOptions): Health {
  const shared = new Int32Array(memory);
  let probing = false;

  /** Writes a record now and then until it succeeds; then the service is ready again. */
  function probe(): void {
    if (probing) return;
    probing = true;
    clock.after(PROBE_INTERVAL_MS, async () => {
      try {
        await grid()?.records.put('setting', 'health.probe', '');
        Atomics.store(shared, STORAGE, 0);
        probing = false;
      } catch {
        probing = false;
        if (Atomics.load(shared, PHASE) === STARTED) probe();
      }
    });
  }

  return {
    started: () => {
      Atomics.compareExchange(shared, PHASE, STARTING, STARTED);
    },
    stopping: () => {
      Atomics.store(shared, PHASE, STOPPING);
    },

    failed(text) {
      if (!STORAGE_TEXTS.some((each) => text.includes(each))) return;
      Atomics.store(shared, STORAGE, 1);
      probe();
    },

    readiness() {
      const phase = Atomics.load(shared, PHASE);
      const running = grid();
      if (phase === STOPPING) return 'stopping';
      if (phase === STARTING || running === undefined) return 'starting';
      if (Atomics.load(shared, STORAGE) === 1) return 'cannot write';
      const state = running.cluster.state();
      const judged = chain(state, (known): Readiness => (known === 'INACTIVE' ? 'inactive' : 'ready'));
      return judged instanceof Promise ? judged.catch((): Readiness => 'unreachable') : judged;
    },
  };
}
