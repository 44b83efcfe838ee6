/** Runs a service inside another program, for its tests: on a free port, with its data in memory. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../base/clock.ts';
import { loadOwnConfiguration } from './launch.ts';
import { runService } from './run.ts';

/** How `start` runs a service. */
export interface StartOptions {
  /** Data folder; default: a new one in memory where the system has such a file system, which `stop` removes. */
  readonly dataDir?: string;
  /** Further options, as on the command line: `['--authentication', '--config', 'svc.config.ts']`. */
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

export async function startInProcess({ dataDir, args = [] }: StartOptions): Promise<StartedService> {
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
    const service = await runService(loaded.configuration, argv, systemClock);
    let stopped: Promise<void> | undefined;
    const stop = () => {
      stopped ??= service.stop().then(() => {
        process.off('exit', remove);
        remove();
      });
      return stopped;
    };
    return { url: service.url, stop, [Symbol.asyncDispose]: stop };
  } catch (error) {
    process.off('exit', remove);
    remove();
    throw error;
  }
}
