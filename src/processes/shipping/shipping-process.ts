/**
 * Entry of the shipping process, which ships the data file's log to a continuous backup, and of the processes that
 * check backups.
 *
 * Runs: src/engines/embedded/backup/continuous/shipping-process.ts: it reads the log as it grows, writes objects,
 * merges older ones and removes those no longer needed. Another process with the same entry restores or verifies a
 * backup, to check it. Owns: the destination, which no other service may write to, and the log's end: until it has
 * shipped a part, the log does not start over. A checking process owns a separate folder. Started by
 * src/engines/embedded/backup/continuous/continuous-backup.ts and src/engines/embedded/backup/backup-checks.ts in the
 * main thread, and again after it dies. Ends: with the service, after what was committed has been shipped.
 */
import { systemClock } from '../../base/clock.ts';
import { runShippingProcess } from '../../engines/embedded/backup/continuous/shipping-process.ts';
import { runForParent } from '../child-process.ts';

/** Ships or checks for the service, whose process has the given id. */
export function serveShipping(parent: number): Promise<void> {
  return runForParent(parent, async () => runShippingProcess({ clock: systemClock, environment: process.env }));
}
