/** Entry of the process that ships the log to a continuous backup, and of those that check backups. */
import { systemClock } from '../../base/clock.ts';
import { runShippingProcess } from '../../engines/embedded/backup/continuous/shipping-process.ts';
import { runForParent } from '../child-process.ts';

/** Ships or checks for the service, whose process has the given id. */
export function serveShipping(parent: number): Promise<void> {
  return runForParent(parent, async () => runShippingProcess({ clock: systemClock, environment: process.env }));
}
