/**
 * Keeps a reserve of free space on the disk of the data folder. Below it, changes that add data are rejected, so that
 * deletes, the write-ahead log and its checkpoints, and sessions still find room.
 */
import { statfsSync } from 'node:fs';
import type { Clock, Timer } from '../../../base/clock.ts';
import { fail } from '../../../base/errors.ts';
import { DATA_DATABASE } from './databases.ts';
import type { Log } from './log.ts';
import type { SharedState } from './shared-state.ts';

/** Short enough that a fast disk fills by less than the default reserve between two checks. */
const CHECK_INTERVAL_MS = 250;
const DEFAULT_RESERVE_BYTES = 128 * 1024 * 1024;
/** The default reserve is at most a twentieth of the disk. */
const DEFAULT_RESERVE_PART = 20;

export interface DiskSpaceOptions {
  readonly folder: string;
  /** Bytes to keep free; 0 keeps none; undefined: 128 MiB, at most a twentieth of the disk. */
  readonly minFreeBytes: number | undefined;
  readonly shared: SharedState;
  readonly clock: Clock;
  readonly log: Log;
}

/** Checks the free space regularly and sets the flag that {@link checkDiskSpace} reads in every thread. */
export class DiskSpace {
  readonly #options: DiskSpaceOptions;
  #timer: Timer | undefined;

  constructor(options: DiskSpaceOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#options.minFreeBytes === 0) return;
    this.check();
    this.#timer = this.#options.clock.every(CHECK_INTERVAL_MS, () => this.check());
  }

  stop(): void {
    this.#timer?.cancel();
  }

  /** Returns the bytes that are kept free; undefined if the disk cannot be examined. */
  reserveBytes(): number | undefined {
    const { folder, minFreeBytes } = this.#options;
    return freeSpace(folder, minFreeBytes)?.reserveBytes;
  }

  /** Compares the free space with the reserve, and logs each change. */
  check(): void {
    const { folder, minFreeBytes, shared, log } = this.#options;
    const space = freeSpace(folder, minFreeBytes);
    // Writes report the error of a folder that cannot be examined.
    if (space === undefined || space.isLow === shared.isDiskLow()) return;
    const { isLow } = space;
    shared.setDiskLow(isLow);
    const state = `${space.freeBytes} bytes free, storage.minFreeBytes is ${space.reserveBytes}`;
    if (isLow) log('warn', `The disk is almost full, changes that add data are rejected: ${state}`);
    else log('info', `The disk has room again: ${state}`);
  }
}

/**
 * Throws STORAGE_LOW while the disk's free space is below the reserve. Must be called before data is added to a
 * database; files of other regions are temporary, and need no reserve.
 */
export function checkDiskSpace(shared: SharedState, database = DATA_DATABASE): void {
  if (database === DATA_DATABASE && shared.isDiskLow()) throw fail('STORAGE_LOW');
}

/** The free space of a disk, and whether it is below the reserve. */
export interface FreeSpace {
  readonly freeBytes: number;
  readonly reserveBytes: number;
  readonly isLow: boolean;
}

/**
 * Returns the free space of the disk of a folder; undefined if the folder cannot be examined. `minFreeBytes` is
 * {@link DiskSpaceOptions.minFreeBytes}.
 */
export function freeSpace(folder: string, minFreeBytes: number | undefined): FreeSpace | undefined {
  try {
    const { bavail, blocks, bsize } = statfsSync(folder);
    const freeBytes = bavail * bsize;
    const defaultBytes = Math.min(DEFAULT_RESERVE_BYTES, Math.floor((blocks * bsize) / DEFAULT_RESERVE_PART));
    const reserveBytes = minFreeBytes ?? defaultBytes;
    return { freeBytes, reserveBytes, isLow: freeBytes < reserveBytes };
  } catch {
    return undefined;
  }
}
