/** Runs a service inside another program, for its tests: on a free port, with its data in memory. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AdjustableClock, SHIFT_BYTES } from '../base/adjustable-clock.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { SharedFile } from '../base/shared-areas.ts';
import { GridSnapshot } from './grid-snapshot.ts';
import { loadOwnConfiguration } from './launch.ts';
import { runService } from './run.ts';
import type { RunningService } from './running-service.ts';

/** How `start` runs a service. */
export interface StartOptions {
  /** Data folder; default: a new one in memory, if the system has such a file system, which `stop` removes. */
  readonly dataDir?: string;
  /** Additional options, as on the command line: `['--authentication', '--config', 'svc.config.ts']`. */
  readonly args?: readonly string[];
}

/** A service that runs inside this program. */
export interface StartedService {
  /** The endpoint: `http://localhost:PORT/svc`. */
  readonly url: string;
  /** Finishes the requests, closes the service and removes a data folder that `start` has created. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** File system in memory, on Linux. */
const MEMORY = '/dev/shm';
/** Where the service's processes read how far tests have advanced its clock. */
const CLOCK_FILE = 'clock.shift';

export function startInProcess(options: StartOptions): Promise<StartedService> {
  return startWith(
    options,
    () => systemClock,
    ({ url }, ending) => ({ url, ...ending }),
  );
}

/** How tests control a service between them, in the process where it runs. */
export interface TestControls {
  /** Advances the service's time: entries and sessions expire. */
  advance(byMs: number): Promise<void>;
  /** Keeps the contents in memory, for {@link TestControls.reset}. */
  snapshot(): Promise<void>;
  /** Restores the contents of the last snapshot. Without one, only the configured caches remain. */
  reset(): Promise<void>;
}

/** Starts a service that tests control. */
export function startForTests(options: StartOptions): Promise<StartedService & TestControls> {
  let clock: AdjustableClock | undefined;
  let clockFile: SharedFile | undefined;
  const clockIn = (folder: string) => {
    clockFile = new SharedFile(join(folder, CLOCK_FILE));
    clock = new AdjustableClock(clockFile.create(SHIFT_BYTES));
    return clock;
  };
  return startWith(options, clockIn, async ({ url, grid }, ending) => {
    if (grid === undefined) throw new Error('Services for tests need the embedded engine');
    let kept = await GridSnapshot.of(grid);
    const stop = () => ending.stop().finally(() => clockFile?.close());
    return {
      url,
      stop,
      [Symbol.asyncDispose]: stop,
      advance: async (byMs) => clock?.advance(byMs),
      async snapshot() {
        kept = await GridSnapshot.of(grid);
      },
      reset: () => kept.restore(),
    };
  });
}

/** Starts a service. `describe` returns it to the caller. */
async function startWith<S>(
  { dataDir, args = [] }: StartOptions,
  clockIn: (folder: string) => Clock,
  describe: (service: RunningService, ending: Pick<StartedService, 'stop' | typeof Symbol.asyncDispose>) => S,
): Promise<Awaited<S>> {
  const folder = dataDir ?? mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'svc-'));
  const remove = () => {
    if (dataDir === undefined) rmSync(folder, { recursive: true, force: true });
  };
  // A program that ends without `stop` must not leave its data in memory.
  process.once('exit', remove);
  try {
    const argv = ['--data-dir', folder, '--http-port', '0', '--workers', '1', ...args];
    const loaded = await loadOwnConfiguration(argv, true);
    if (loaded.kind === 'print') throw new Error(`${args.join(' ')} starts no service`);
    const service = await runService(loaded.configuration, argv, clockIn(folder));
    let stopped: Promise<void> | undefined;
    const stop = () => {
      stopped ??= service.stop().then(() => {
        process.off('exit', remove);
        remove();
      });
      return stopped;
    };
    return await describe(service, { stop, [Symbol.asyncDispose]: stop });
  } catch (error) {
    process.off('exit', remove);
    remove();
    throw error;
  }
}
