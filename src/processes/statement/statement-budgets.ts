/** Enforces the limits of running statements from the main thread, which sees all of them. */
import { existsSync, statSync } from 'node:fs';
import type { Clock } from '../../base/clock.ts';
import type { Configuration } from '../../configuration/configuration.ts';
import { type MeasuredProcess, MemoryBudget } from '../../engines/embedded/dispatch/memory-budget.ts';
import { TemporaryFiles } from '../../engines/embedded/dispatch/temporary-files.ts';
import type { SharedQueryState } from '../../engines/embedded/shared/shared-query-state.ts';

/** How often the memory and the temporary files of all statements are checked. */
const WATCH_MS = 20;

/** Starts checking statements. `measured` returns the statement processes. */
export function watchBudgets(
  queryState: SharedQueryState,
  { query, minFreeBytes, dataDir }: Pick<Configuration, 'query' | 'minFreeBytes' | 'dataDir'>,
  clock: Clock,
  measured: () => readonly MeasuredProcess[],
  promisedBytes: () => number,
): void {
  const budget = new MemoryBudget(queryState, query.totalMemoryBytes);
  const folder = temporaryFolder();
  const isOnDataDisk = diskOf(folder) === diskOf(dataDir);
  const files = new TemporaryFiles(queryState, {
    totalBytes: query.totalDiskBytes,
    folder,
    minFreeBytes,
    promisedBytes: isOnDataDisk ? promisedBytes : () => 0,
  });
  clock.every(WATCH_MS, () => {
    budget.check(measured());
    files.check();
  });
}

function diskOf(folder: string): number | undefined {
  return statSync(folder, { throwIfNoEntry: false })?.dev;
}

/** Returns the folder in which SQLite creates temporary files: the first of these that exists. */
function temporaryFolder(): string {
  const { SQLITE_TMPDIR, TMPDIR } = process.env;
  const folders = [SQLITE_TMPDIR, TMPDIR, '/var/tmp', '/usr/tmp', '/tmp'];
  return folders.find((folder) => folder !== undefined && existsSync(folder)) ?? '.';
}
