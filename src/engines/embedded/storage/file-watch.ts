/**
 * Detects that a file of the store is no longer in its folder: removed, moved or replaced. The process still has it
 * open, so writes would succeed, into a file that no startup finds again; without the lock files, a second service
 * would start. Until all are back, changes are rejected.
 */
import { statSync } from 'node:fs';
import type { Clock, Timer } from '../../../base/clock.ts';
import { type GridError, gridError } from '../../../base/errors.ts';
import type { Log } from './log.ts';
import type { SharedState } from './shared-state.ts';

/** Changes of this many milliseconds may be lost with the file. */
const CHECK_INTERVAL_MS = 100;

export interface FileWatchOptions {
  /** The files in the data folder, all of which exist. */
  readonly paths: readonly string[];
  /** Returns the files of non-persistent regions, which each activation creates again. */
  readonly regionPaths: () => readonly string[];
  readonly shared: SharedState;
  readonly clock: Clock;
  readonly log: Log;
}

/** Checks the data file regularly and sets the flag that all code that changes it reads. */
export class FileWatch {
  readonly #options: FileWatchOptions;
  /** Which files the process has open, by their paths. */
  readonly #identities = new Map<string, string>();
  /** The file most recently found missing. */
  #gone = '';
  #timer: Timer | undefined;

  constructor(options: FileWatchOptions) {
    this.#options = options;
    this.#goneFile();
  }

  start(): void {
    this.#timer = this.#options.clock.every(CHECK_INTERVAL_MS, () => this.check());
  }

  stop(): void {
    this.#timer?.cancel();
  }

  /** Looks for the files, and logs each change. */
  check(): void {
    const { shared, log } = this.#options;
    const gone = this.#goneFile();
    if ((gone !== undefined) === shared.isFileGone()) return;
    shared.setFileGone(gone !== undefined);
    if (gone === undefined) log('info', `The file of the store is back: ${this.#gone}`);
    else {
      this.#gone = gone;
      log('error', `A file of the store was removed, moved or replaced; changes are rejected: ${gone}`);
    }
  }

  /** Returns a file that differs from the one seen first, or undefined if there is none. */
  #goneFile(): string | undefined {
    const { paths, regionPaths } = this.#options;
    return [...paths, ...regionPaths()].find((path) => {
      const [known, found] = [this.#identities.get(path), identityOf(path)];
      if (known === undefined && found !== undefined) this.#identities.set(path, found);
      return known !== undefined && found !== known;
    });
  }
}

/** Returns the error for changes while the flag is set. */
export function fileFailure(): GridError {
  return gridError('STORAGE_FAILED', 'it or a file beside it was removed, moved or replaced');
}

/** Returns a file's device and inode, or undefined without a file. */
function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}
