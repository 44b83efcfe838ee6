/** The embedded engine's report on its files and commits. */
import type { Distribution } from '../base/histogram.ts';

export interface StorageFileReport {
  /** Region of the file; `data` for the file shared by all persistent regions. */
  readonly region: string;
  readonly bytes: number;
  /** Size of the write-ahead log, which is kept between checkpoints. */
  readonly logBytes: number;
}

export interface StorageReport {
  readonly files: readonly StorageFileReport[];
  /** Duration of commits in ms, including waiting for the disk. */
  readonly commitMs: Distribution;
  /** Changes that shared a commit. */
  readonly commitChanges: Distribution;
  /** Batches that were rolled back and retried change by change. */
  readonly rollbacks: number;
  /** Attempts to write a long log back into its file, by outcome. */
  readonly checkpoints: { readonly completed: number; readonly postponed: number };
  /** Whether changes that add data are rejected because the disk is almost full. */
  readonly isDiskLow: boolean;
  /** Bytes that are kept free on the disk, or undefined if the disk cannot be examined. */
  readonly reserveBytes: number | undefined;
  /** Entries that did not fit their table's columns at startup. */
  readonly unfitEntries: number;
}
