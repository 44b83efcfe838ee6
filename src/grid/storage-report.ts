/** What the embedded engine reports of its files and commits. */
import type { Distribution } from '../base/histogram.ts';

export interface StorageFileReport {
  /** Region of the file; `data` for the file that all persistent regions share. */
  readonly region: string;
  readonly bytes: number;
  /** Size of the write-ahead log, which is kept between checkpoints. */
  readonly logBytes: number;
}

export interface StorageReport {
  readonly files: readonly StorageFileReport[];
  /** Times of commits in ms, the wait for the disk included. */
  readonly commitMs: Distribution;
  /** Changes that shared a commit. */
  readonly commitChanges: Distribution;
  /** Batches that were rolled back and repeated change by change. */
  readonly rollbacks: number;
  /** Attempts to write a long log back into its file, by success. */
  readonly checkpoints: { readonly completed: number; readonly postponed: number };
  /** Whether changes that add data are rejected because the disk is almost full. */
  readonly isDiskLow: boolean;
  /** Bytes that are kept free on the disk; undefined: the disk cannot be examined. */
  readonly reserveBytes: number | undefined;
  /** Entries that did not fit the columns of their tables when the service started. */
  readonly unfitEntries: number;
}
