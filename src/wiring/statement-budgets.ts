/** Enforces the bounds of running statements from the main thread, which sees all of them. */
import { existsSync } from 'node:fs';
import type { Clock } from '../base/clock.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { GuardWatch } from '../engines/embedded/native/statement-guard.ts';
import { type MeasuredProcess, MemoryBudget } from '../engines/embedded/queries/monitoring/memory-budget.ts';
import { TemporaryFiles } from '../engines/embedded/queries/monitoring/temporary-files.ts';
import { type SharedQueryState, WRITING_THREAD } from '../engines/embedded/queries/shared-query-state.ts';

/** How often statements are checked, also those that call no progress handler. */
const WATCH_MS = 20;

/** Starts checking statements. `library` is the SQLite extension; `measured` returns the query processes. */
export function watchBudgets(
  queryState: SharedQueryState,
  { query, minFreeBytes }: Pick<Configuration, 'query' | 'minFreeBytes'>,
  library: string,
  clock: Clock,
  measured: () => readonly MeasuredProcess[],
): void {
  const watch = new GuardWatch(library, queryState.memory, queryState.guardOffset(WRITING_THREAD), 1);
  const budget = new MemoryBudget(queryState, query.totalMemoryBytes);
  const files = new TemporaryFiles(queryState, {
    totalBytes: query.totalDiskBytes,
    folder: temporaryFolder(),
    minFreeBytes,
  });
  clock.every(WATCH_MS, () => {
    watch.look();
    budget.check(measured());
    files.check();
  });
}

/** Returns the folder in which SQLite creates temporary files: the first of these that exists. */
function temporaryFolder(): string {
  const { SQLITE_TMPDIR, TMPDIR } = process.env;
  const folders = [SQLITE_TMPDIR, TMPDIR, '/var/tmp', '/usr/tmp', '/tmp'];
  return folders.find((folder) => folder !== undefined && existsSync(folder)) ?? '.';
}
