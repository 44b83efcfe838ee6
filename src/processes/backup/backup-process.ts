/** Entry of a process that copies the files for a backup. */
import { systemClock } from '../../base/clock.ts';
import { runBackupProcess } from '../../engines/embedded/backup/backup-process.ts';
import { runForParent } from '../child-process.ts';

/** Makes a backup for the service, whose process has the given id. */
export function serveBackup(parent: number): Promise<void> {
  return runForParent(parent, async () => runBackupProcess({ clock: systemClock, environment: process.env }));
}
