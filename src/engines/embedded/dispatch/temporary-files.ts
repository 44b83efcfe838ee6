/**
 * Bounds the temporary files of all running statements, which SQLite writes for sorting and grouping: their total is
 * limited, and they leave the free space that changes need. Runs in the main thread.
 */
import { GuardUsage } from '../native/statement-guard.ts';
import { type SharedQueryState, STATEMENT_PROCESSES } from '../shared/shared-query-state.ts';
import { freeSpace } from '../storage/disk-space.ts';

/** A statement with less is not ended, because that would free next to nothing. */
const MIN_BYTES = 8 * 1024 * 1024;

export interface TemporaryFilesOptions {
  /** Maximum of all statements together, in bytes, or 0 for any. */
  readonly totalBytes: number;
  /** The folder in which SQLite creates temporary files. */
  readonly folder: string;
  /** Bytes of its disk to keep free, as on the data folder's disk. */
  readonly minFreeBytes: number | undefined;
  /** Returns the bytes of its disk that writing the data file's log back will take; 0 on another disk. */
  readonly promisedBytes: () => number;
}

export class TemporaryFiles {
  readonly #queryState: SharedQueryState;
  readonly #options: TemporaryFilesOptions;
  readonly #usages: readonly GuardUsage[];

  constructor(queryState: SharedQueryState, options: TemporaryFilesOptions) {
    this.#queryState = queryState;
    this.#options = options;
    this.#usages = Array.from(
      { length: STATEMENT_PROCESSES },
      (_, index) => new GuardUsage(queryState.memory, queryState.guardOffset(index)),
    );
  }

  /** Ends the statement with the most if there is too little space for all. Called every few milliseconds. */
  check(): void {
    if (!this.#usages.some((usage) => usage.isActive)) return;
    const { totalBytes, folder, minFreeBytes, promisedBytes } = this.#options;
    const space = freeSpace(folder, minFreeBytes);
    const isLow = space !== undefined && space.freeBytes - promisedBytes() < space.reserveBytes;
    if (totalBytes === 0 && !isLow) return;
    const writing = this.#usages.flatMap((usage, index) => {
      const ticket = this.#queryState.currentRun(index)?.ticket;
      if (ticket === undefined || this.#queryState.isCancelled(ticket)) return [];
      const bytes = usage.temporaryBytes();
      return bytes >= MIN_BYTES ? [{ ticket, bytes }] : [];
    });
    const sum = writing.reduce((total, { bytes }) => total + bytes, 0);
    if (!isLow && (totalBytes === 0 || sum <= totalBytes)) return;
    const [greatest] = writing.toSorted((one, other) => other.bytes - one.bytes);
    if (greatest !== undefined) this.#queryState.endForDisk(greatest.ticket);
  }
}
