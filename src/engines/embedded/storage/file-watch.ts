/**
 * Notices that the data file is no longer in its folder: removed, moved or replaced. The process still has it open, so
 * writes would succeed, into a file that no start finds again. Until it is back, changes are rejected.
 */
import { statSync } from 'node:fs';
import type { Clock, Timer } from '../../../base/clock.ts';
import { fail, type GridError } from '../../../base/errors.ts';
import type { Log } from './log.ts';
import type { SharedState } from './shared-state.ts';

/** Changes of so many milliseconds may be lost with the file. */
const CHECK_INTERVAL_MS = 100;

export interface FileWatchOptions {
  readonly path: string;
  readonly shared: SharedState;
  readonly clock: Clock;
  readonly log: Log;
}

/** Checks the data file regularly and sets the flag that everything reads that changes it. */
export class FileWatch {
  readonly #options: FileWatchOptions;
  /** Which file the process has open. */
  readonly #identity: string | undefined;
  #timer: Timer | undefined;

  constructor(options: FileWatchOptions) {
    this.#options = options;
    this.#identity = identityOf(options.path);
  }

  start(): void {
    this.#timer = this.#options.clock.every(CHECK_INTERVAL_MS, () => this.check());
  }

  stop(): void {
    this.#timer?.cancel();
  }

  /** Looks for the file, and logs each change. */
  check(): void {
    const { path, shared, log } = this.#options;
    const isGone = identityOf(path) !== this.#identity;
    if (isGone === shared.isFileGone()) return;
    shared.setFileGone(isGone);
    if (isGone) log('error', `The data file was removed, moved or replaced; changes are rejected: ${path}`);
    else log('info', `The data file is back: ${path}`);
  }
}

/** Returns the error of changes while the flag is set. */
export function fileFailure(): GridError {
  return fail('STORAGE_FAILED', 'it was removed, moved or replaced');
}

/** Returns device and inode of a file; undefined without one. */
function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}
