/**
 * Starts a service that others take over from, or that takes over from others: it is the primary, or it follows it. The
 * destination of the continuous backup decides which (src/engines/embedded/backup/DESIGN.md).
 */
import type { RunningService } from '../running-service.ts';
import type { FailoverStart } from './failover-options.ts';
import { FailoverService } from './failover-service.ts';

/** Resolves when the service listens, as the primary or as a standby. */
export async function startWithFailover(options: FailoverStart): Promise<RunningService> {
  const service = await FailoverService.open(options);
  try {
    return await service.begin();
  } catch (error) {
    await service.stop();
    throw error;
  }
}
