/**
 * Keeps a reserve of space on the data folder's disk. The available space is what remains after writing the log back:
 * the free bytes of the file system and the free pages of the data file, without the bytes by which the log will
 * lengthen the file. Other files on the disk (temporary files, backups) take free bytes as they grow; what an import
 * stages is part of the data file.
 *
 * Changes that add data leave the reserve alone. Changes that remove by a condition write the pages that they free into
 * the log, and may use the reserve for it, except its last part. Removing by key, whole tables or expired entries
 * writes little, and may use all of it. The log is then checkpointed, for which the data file needs no more than was
 * set aside before.
 */
import type { Database } from 'bun:sqlite';
import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock, Timer } from '../../../base/clock.ts';
import { GridError, gridError } from '../../../base/errors.ts';
import {
  DATA_DATABASE,
  databasePath,
  LOG_LIMIT_BYTES,
  PAGE_BYTES,
  type ReadConnections,
  WRITERS_WAIT_MS,
} from './databases.ts';
import type { Log } from './log.ts';
import type { SharedState } from './shared-state.ts';

/** Maximum age of the flag while nothing is written. */
const CHECK_INTERVAL_MS = 250;
/** Maximum age while changes are committed. A fast disk takes a few megabytes in this time. */
const COMMITS_INTERVAL_MS = 5;
/** A batch of changes that took longer may have added as much, so it is checked before its commit. */
const LONG_BATCH_MS = 1;
/** With this little space, every batch is checked before and after its commit. */
const NEAR_BYTES = LOG_LIMIT_BYTES;
/** With less space, the disk is almost full for anything that adds data. */
const FULL_BYTES = 1024 * 1024;
/**
 * Number of bytes that a small change adds to the log. With less free space none fits, and the service is not ready.
 */
const LEAST_CHANGE_BYTES = 8 * PAGE_BYTES;

/** A fast disk takes less between checks, and the log and its checkpoints need some. */
const DEFAULT_RESERVE_BYTES = 128 * 1024 * 1024;
/** The default reserve is at most a twentieth of the disk. */
const DEFAULT_RESERVE_PART = 20;
/** But at least the bytes that the log needs: it is checkpointed when it reaches its limit, while changes continue. */
const LEAST_RESERVE_BYTES = LOG_LIMIT_BYTES + 8 * 1024 * 1024;
/** A small disk keeps at most half. */
const MOST_RESERVE_PART = 2;

/** The free bytes that changes leave to removals for the log. */
const REMOVING_BYTES = LOG_LIMIT_BYTES;
const REMOVING_PART = 2;
/** The free bytes for the log that removals by a condition leave to removals by key and of whole tables. */
const FREEING_BYTES = 4 * 1024 * 1024;
const FREEING_PART = 4;

/** The most that freeing a table adds to the log: some pages, and one per thousand free ones. */
const FREED_LOG_BYTES = 64 * PAGE_BYTES;
const FREED_LOG_PART = 256;

/** How long a transaction waits for readers of the log, so that it can be checkpointed, in ms. */
const READERS_WAIT_MS = 50;
/** The pause of the writer's thread after a failed attempt. */
const WRITE_BACK_PAUSE_MS = 300;
/** Longer logs are left to the thread that writes logs back: the writer's thread would stall. */
const WRITER_LOG_BYTES = 4 * LOG_LIMIT_BYTES;

/** A transaction's effect on the space: it adds data, or removes by a condition. Pure freeing is not limited. */
export type SpaceUse = 'adds' | 'removes';

/**
 * Limits a connection's write-ahead log to this many bytes; -1 for no limit. A write beyond it fails as on a full disk.
 * Returns whether one has been refused since the previous call.
 */
export type LimitLog = (bytes: number) => boolean;

/** A folder's file system. */
interface FreeSpace {
  readonly freeBytes: number;
  readonly reserveBytes: number;
}

/**
 * Returns the reserve of a disk with this many bytes. The default is 128 MiB, at most a twentieth of the disk and at
 * least what the log needs.
 */
export function reserveOf(diskBytes: number, minFreeBytes: number | undefined): number {
  if (minFreeBytes !== undefined) return minFreeBytes;
  const wanted = Math.min(DEFAULT_RESERVE_BYTES, Math.floor(diskBytes / DEFAULT_RESERVE_PART));
  return Math.min(Math.max(wanted, LEAST_RESERVE_BYTES), Math.floor(diskBytes / MOST_RESERVE_PART));
}

/**
 * Returns the free space of a folder's disk, or undefined if the folder cannot be examined. `minFreeBytes` is the
 * option storage.minFreeBytes: 0 keeps none; undefined means the default.
 */
export function freeSpace(folder: string, minFreeBytes: number | undefined): FreeSpace | undefined {
  try {
    const { bavail, blocks, bsize } = statfsSync(folder);
    return { freeBytes: bavail * bsize, reserveBytes: reserveOf(blocks * bsize, minFreeBytes) };
  } catch {
    return undefined;
  }
}

/** Returns by how many bytes writing the log back will lengthen a data file, which then has this many pages. */
export function promisedBytes(path: string, pages: number): number {
  return Math.max(0, pages * PAGE_BYTES - sizeOf(path));
}

/** Whether removals take some of the space for their log that other changes leave to them. */
export function isDiskShort({ freeBytes, promisedBytes: promised, reserveBytes }: Room): boolean {
  return freeBytes - promised < floorOf('adds', reserveBytes);
}

/**
 * Returns the space left on the disk of a folder in which objects of the data file, with this many pages, are stored,
 * and the part that they leave: space for the log, some of which is needed by changes that only free space. Undefined
 * if it is a different disk, or cannot be examined.
 */
export function spaceBeside(
  path: string,
  pages: number,
  folder: string,
  minFreeBytes: number | undefined,
): { readonly leftBytes: number; readonly leastBytes: number } | undefined {
  const disks = [path, folder].map((each) => statSync(each, { throwIfNoEntry: false })?.dev);
  const space = disks[0] === disks[1] ? freeSpace(folder, minFreeBytes) : undefined;
  if (space === undefined) return undefined;
  const { freeBytes, reserveBytes } = space;
  return {
    leftBytes: freeBytes - promisedBytes(path, pages),
    leastBytes: Math.min(reserveBytes, LEAST_RESERVE_BYTES),
  };
}

/** The space of the data file and its disk. */
export interface DataSpace extends FreeSpace {
  readonly promisedBytes: number;
  readonly freePageBytes: number;
  readonly availableBytes: number;
  /** The length of the log. */
  readonly logBytes: number;
  readonly pages: number;
  /** Whether changes that add data are rejected. */
  readonly isLow: boolean;
}

/** Measures the space with a connection to the data file; in a writing transaction, including what it has written. */
export function dataSpace(database: Database, path: string, minFreeBytes: number | undefined): DataSpace | undefined {
  const free = freeSpace(dirname(path), minFreeBytes);
  const counts = database
    .query<{ pages: bigint | number; free: bigint | number }, []>(
      'SELECT page_count AS pages, freelist_count AS free FROM pragma_page_count, pragma_freelist_count',
    )
    .get();
  if (free === undefined || counts === null) return undefined;
  const { freeBytes } = free;
  const pages = Number(counts.pages);
  const promised = promisedBytes(path, pages);
  const freePageBytes = Number(counts.free) * PAGE_BYTES;
  const availableBytes = freeBytes + freePageBytes - promised;
  const isLow = roomOf('adds', { ...free, promisedBytes: promised, availableBytes }) < LEAST_CHANGE_BYTES;
  const logBytes = sizeOf(`${path}-wal`);
  return { ...free, promisedBytes: promised, freePageBytes, availableBytes, logBytes, pages, isLow };
}

/** The limit of changes: the space left on the disk. */
type Room = Pick<DataSpace, 'freeBytes' | 'promisedBytes' | 'reserveBytes'>;

/** Returns how many bytes a transaction may still take. */
function roomOf(use: SpaceUse, space: Room & Pick<DataSpace, 'availableBytes'>): number {
  const { availableBytes, reserveBytes } = space;
  const spareBytes = spareOf(use, space);
  return use === 'removes' ? spareBytes : Math.min(availableBytes - reserveBytes, spareBytes);
}

/** Returns how many bytes a transaction's log may still take. */
function spareOf(use: SpaceUse, { freeBytes, promisedBytes: promised, reserveBytes }: Room): number {
  return freeBytes - promised - floorOf(use, reserveBytes);
}

/** Returns whether writing the log back would make room for a transaction: the log takes more than is available. */
function isCramped(use: SpaceUse, space: DataSpace): boolean {
  const roomBytes = roomOf(use, space);
  return roomBytes < space.logBytes && roomBytes + space.logBytes >= 0;
}

/** Returns the free bytes that a transaction's log leaves, beyond those needed to write it back. */
function floorOf(use: SpaceUse, reserveBytes: number): number {
  return use === 'adds'
    ? Math.min(REMOVING_BYTES, reserveBytes / REMOVING_PART)
    : Math.min(FREEING_BYTES, reserveBytes / FREEING_PART);
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * Throws STORAGE_LOW for a transaction, from the measurements at its beginning and before its commit. Its log may
 * take this many of the free bytes.
 */
function checkCommit(use: SpaceUse, begun: DataSpace, now: DataSpace, spareBytes: number, isLimited: boolean): void {
  // Each page by which the file grows is also a page of the log, perhaps not written yet.
  const grownBytes = isLimited ? 0 : Math.max(0, now.pages - begun.pages) * PAGE_BYTES;
  const loggedBytes = Math.max(0, now.logBytes - begun.logBytes);
  if (spareBytes < 0 || spareBytes + loggedBytes < grownBytes) throw lowFailure(use, begun);
  if (use === 'removes' || usedBytes(now) <= usedBytes(begun)) return;
  if (now.availableBytes + loggedBytes < now.reserveBytes) throw lowFailure(use, begun);
}

function usedBytes({ pages, freePageBytes }: DataSpace): number {
  return pages * PAGE_BYTES - freePageBytes;
}

/**
 * Returns the error of a transaction that began with a measurement: with next to no space, parts of it will not fit.
 */
function lowFailure(use: SpaceUse, begun: DataSpace | undefined): Error {
  if (use === 'removes') return gridError('STORAGE_LOW_REMOVING');
  const roomBytes = begun === undefined ? 0 : roomOf(use, begun);
  return roomBytes < FULL_BYTES ? gridError('STORAGE_LOW') : gridError('STORAGE_LOW_ADDING');
}

/** The reads of the thread that has a connection. */
export type ThreadReads = Pick<ReadConnections, 'files' | 'batch'>;

/** Bounds the disk space that a connection's transactions on the data file take. */
export class TransactionSpace {
  readonly #database: Database;
  readonly #reads: ThreadReads;
  readonly #path: string;
  readonly #limitLog: LimitLog | undefined;
  readonly #readersWaitMs: number;
  #use: SpaceUse | undefined;
  #begun: DataSpace | undefined;
  /** Bytes that the log may always use, even if no space is left: for transactions that have freed whole tables. */
  #freeingBytes = 0;

  /**
   * `limitLog` is undefined if the log cannot be limited. A transaction that changes pages in place is then unlimited.
   */
  constructor(
    database: Database,
    reads: ThreadReads,
    limitLog: LimitLog | undefined,
    readersWaitMs: number = READERS_WAIT_MS,
  ) {
    this.#database = database;
    this.#reads = reads;
    this.#path = databasePath(reads.files, DATA_DATABASE, 0);
    this.#limitLog = limitLog;
    this.#readersWaitMs = readersWaitMs;
  }

  /** Measures the space; returns undefined if the disk cannot be examined. */
  measure(): DataSpace | undefined {
    try {
      return dataSpace(this.#database, this.#path, this.#reads.files.minFreeBytes);
    } catch {
      // A file that cannot be read is reported by the code that reads it.
      return undefined;
    }
  }

  /**
   * Called when a transaction has begun. `restart` begins it again, after the log has been checkpointed to make room.
   * Throws STORAGE_LOW.
   */
  begin(use: SpaceUse, restart: (between: () => void) => void): void {
    let begun = this.measure();
    if (begun !== undefined && isCramped(use, begun)) {
      restart(() => this.makeRoom());
      begun = this.measure();
    }
    if (begun === undefined) return;
    if (use === 'adds' && begun.isLow) throw gridError('STORAGE_LOW');
    this.continueFrom(use, begun);
  }

  /** Returns whether {@link makeRoom} is worth it. */
  isCramped(space: DataSpace): boolean {
    return space.logBytes <= WRITER_LOG_BYTES && isCramped('adds', space);
  }

  /** Begins with an earlier measurement. */
  continueFrom(use: SpaceUse, begun: DataSpace): void {
    this.#use = use;
    this.#begun = begun;
    this.#freeingBytes = 0;
    this.#limit(begun);
  }

  /**
   * Called before the commit. Throws STORAGE_LOW if the log could not be checkpointed, or the reserve would be used.
   */
  check(): void {
    const use = this.#use;
    const begun = this.#begun;
    const now = use === undefined ? undefined : this.measure();
    if (use === undefined || begun === undefined || now === undefined) return;
    checkCommit(use, begun, now, this.#spareOf(use, now), this.#limitLog !== undefined);
    this.#limit(now);
  }

  /**
   * Runs code that frees whole tables, which is not limited; the pages that list free ones are written at the commit.
   */
  free<T>(action: () => T): T {
    const before = this.#use === undefined ? undefined : this.measure();
    this.#limitLog?.(-1);
    const result = action();
    const now = before && this.measure();
    if (before === undefined || now === undefined) return result;
    this.#freeingBytes += FREED_LOG_BYTES + (now.freePageBytes - before.freePageBytes) / FREED_LOG_PART;
    this.#limit(now);
    return result;
  }

  /** Called when the transaction has been committed. */
  committed(): void {
    if (this.#use !== undefined) this.#limitLog?.(-1);
    this.#use = undefined;
  }

  /** Called when the transaction has been rolled back because of an error. Returns the client's error. */
  failed(error: unknown): unknown {
    const use = this.#use;
    this.#use = undefined;
    if (use === undefined) return error;
    const failure = this.#limitLog?.(-1) === true ? lowFailure(use, this.#begun) : error;
    if (failure instanceof GridError && failure.code === 'STORAGE_LOW') this.makeRoom();
    return failure;
  }

  /**
   * Writes the log back and returns its space, unless it is being read: then the service does so later. Returns
   * whether it is empty.
   */
  makeRoom(): boolean {
    if (this.#reads.files.keepsLog) return false;
    // Without this, the connection would wait for its own thread's snapshots.
    this.#reads.batch.end();
    try {
      this.#database.run(`PRAGMA busy_timeout = ${this.#readersWaitMs}`);
      const result = this.#database.query<{ busy: bigint | number }, []>('PRAGMA wal_checkpoint(TRUNCATE)').get();
      return Number(result?.busy) === 0;
    } catch {
      // The changes in the log are safe, and the service reports why it cannot write them back.
      return false;
    } finally {
      this.#database.run(`PRAGMA busy_timeout = ${WRITERS_WAIT_MS}`);
    }
  }

  #limit(space: DataSpace): void {
    if (this.#use === undefined) return;
    this.#limitLog?.(space.logBytes + Math.max(0, this.#spareOf(this.#use, space)));
  }

  #spareOf(use: SpaceUse, space: DataSpace): number {
    const spareBytes = spareOf(use, space);
    return this.#freeingBytes === 0 ? spareBytes : Math.max(spareBytes, this.#freeingBytes);
  }
}

export interface DiskSpaceOptions {
  /** The writer's connection to the data file. */
  readonly database: Database;
  /** Bytes that the batches of that connection may use. */
  readonly space: TransactionSpace;
  readonly shared: SharedState;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Checks the space regularly and sets the flag that {@link checkDiskSpace} reads in every thread. Checks the writer's
 * long batches before they commit.
 */
export class DiskSpace {
  readonly #options: DiskSpaceOptions;
  #last: DataSpace | undefined;
  #checkedMs = 0;
  /** When the log may be checkpointed again, by the monotonic clock. */
  #notBeforeMs = 0;
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(options: DiskSpaceOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock, database, shared, space } = this.#options;
    this.check();
    this.#timer = clock.every(CHECK_INTERVAL_MS, () => {
      const isChecked = shared.writeLock.tryHold('changes', () => this.check());
      if (!isChecked && !this.#isStopped && !database.inTransaction) this.#update(space.measure());
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  /** The space at the last check, or undefined if the disk cannot be examined. */
  get last(): DataSpace | undefined {
    return this.#last;
  }

  /**
   * Measures the space, and logs each change of the flag. The caller holds the write lock: if the log takes the space,
   * it is checkpointed first.
   */
  check(): void {
    const { database, space: measured, clock } = this.#options;
    // A change of many keys pauses in its transaction.
    if (this.#isStopped || database.inTransaction) return;
    const space = measured.measure();
    const nowMs = clock.monotonicMs();
    if (space === undefined || nowMs < this.#notBeforeMs || !measured.isCramped(space)) this.#update(space);
    else {
      if (!measured.makeRoom()) this.#notBeforeMs = nowMs + WRITE_BACK_PAUSE_MS;
      this.#update(measured.measure());
    }
  }

  #update(space: DataSpace | undefined): void {
    const { shared, log, clock } = this.#options;
    this.#checkedMs = clock.monotonicMs();
    this.#last = space;
    // Writes report the error of a folder that cannot be examined.
    if (space === undefined || space.isLow === shared.isDiskLow()) return;
    const { isLow, availableBytes, freeBytes, promisedBytes: promised, reserveBytes } = space;
    shared.setDiskLow(isLow);
    const state =
      `${availableBytes} bytes available (${freeBytes} free, ${promised} of them needed for the write-ahead log), ` +
      `storage.minFreeBytes is ${reserveBytes}`;
    if (isLow) log('warn', `The disk is almost full, changes that add data are rejected: ${state}`);
    else log('info', `The disk has room again: ${state}`);
  }

  /** Called after the commits of the writer. */
  afterCommit(): void {
    const isNear = this.#last !== undefined && roomOf('adds', this.#last) < NEAR_BYTES;
    if (isNear || this.#options.clock.monotonicMs() - this.#checkedMs >= COMMITS_INTERVAL_MS) this.check();
  }

  /**
   * Called before the writer commits a batch that began at `sinceMs`, by the monotonic clock, and adds data.
   * Throws STORAGE_LOW.
   */
  checkBatch(sinceMs: number): void {
    const begun = this.#last;
    if (begun === undefined) return;
    if (roomOf('adds', begun) >= NEAR_BYTES && this.#options.clock.monotonicMs() - sinceMs < LONG_BATCH_MS) return;
    const { space } = this.#options;
    space.continueFrom('adds', begun);
    space.check();
  }
}

/**
 * Throws STORAGE_LOW while less space than the reserve is available. Call it before adding data to a database; the
 * files of other regions are temporary, and need no reserve.
 */
export function checkDiskSpace(shared: SharedState, database = DATA_DATABASE): void {
  if (database !== DATA_DATABASE) return;
  if (shared.isDiskLow()) throw gridError('STORAGE_LOW');
  shared.adds = true;
}
