/** Copies a snapshot of database files into a backup, at a limited rate. */
import { type Clock, sleep } from '../../../base/clock.ts';
import type { BackupReport } from '../../../grid/backup.ts';
import { BackupEncoder, type BackupFile, type BackupHeader } from './backup-format.ts';
import type { SnapshotFile } from './snapshot-file.ts';

/** Maximum number of bytes of pages read in one step. Larger runs do not compress better. */
const RUN_BYTES = 1024 * 1024;

/** The parts of a header that the files do not show. */
export type Described = Pick<BackupHeader, 'createdAt' | 'program' | 'regions'>;

export interface CopyOptions {
  /** Bytes of pages to read per second, or 0 for no limit. */
  readonly bytesPerSecond: number;
  readonly clock: Clock;
  /** Called before each run. If it throws, the copy fails with its error. */
  readonly check: () => void;
}

/** Yields the parts of a backup of pinned files, the data file first, and returns its report. */
export async function* copySnapshot(
  files: readonly SnapshotFile[],
  described: Described,
  { bytesPerSecond, clock, check }: CopyOptions,
): AsyncGenerator<Uint8Array, Omit<BackupReport, 'bytes'>> {
  check();
  const list: readonly BackupFile[] = files.map((file) => file.describe());
  const header = { ...described, schemaVersion: files[0]?.schemaVersion ?? 0, files: list };
  const encoder = new BackupEncoder(list);
  yield encoder.header(header);
  const startMs = clock.monotonicMs();
  let copiedBytes = 0;
  for (const [file, { pages, pageBytes }] of list.entries()) {
    const pagesPerRun = RUN_BYTES / pageBytes;
    for (let firstPage = 1; firstPage <= pages; firstPage += pagesPerRun) {
      check();
      const count = Math.min(pagesPerRun, pages - firstPage + 1);
      const bytes = files[file]?.read(firstPage, count) ?? new Uint8Array();
      yield encoder.pages({ file, firstPage, bytes });
      copiedBytes += bytes.length;
      const aheadMs =
        bytesPerSecond === 0 ? 0 : (copiedBytes / bytesPerSecond) * 1000 - (clock.monotonicMs() - startMs);
      if (aheadMs > 0) await sleep(clock, aheadMs);
    }
  }
  const { bytes, end } = encoder.end();
  yield bytes;
  const { files: _, ...report } = header;
  return { ...report, restoredBytes: end.pageBytes, sha256: end.sha256 };
}
