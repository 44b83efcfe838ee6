/**
 * Entry of a backup process, one for each running backup.
 *
 * Runs: src/engines/embedded/backup/backup-process.ts: it opens a read transaction on each database file while nothing
 * is being written, then copies the snapshot at a low priority to a file, an object store or the service's response.
 * Owns: its read transactions, which keep the log from starting over, and the file or object that it writes. Started by
 * the backup runner in the main thread (src/engines/embedded/backup/backup-runner.ts). Ends: when the service has the
 * backup or gives up, or with the service; by SIGKILL, because closing the files would write the log back. Its output
 * is complete or removed.
 */
import { systemClock } from '../../base/clock.ts';
import { runBackupProcess } from '../../engines/embedded/backup/backup-process.ts';
import { runForParent } from '../child-process.ts';

/** Makes a backup for the service, whose process has the given id. */
export function serveBackup(parent: number): Promise<void> {
  return runForParent(parent, async () => runBackupProcess({ clock: systemClock, environment: process.env }));
}
