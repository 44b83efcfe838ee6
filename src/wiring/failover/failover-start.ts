/**
 * Starts a service with failover, as the primary or as a standby. The destination of the continuous backup decides
 * which (src/engines/embedded/backup/DESIGN.md).
 */
import { gridError } from '../../base/errors.ts';
import { ConfigurationError } from '../../configuration/option.ts';
import { ShippingStopped } from '../../engines/embedded/backup/continuous/destination.ts';
import { ObjectStoreError } from '../../engines/embedded/backup/continuous/s3-errors.ts';
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
    throw explained(error);
  }
}

/** If the destination is the cause, and not the program, its message is enough. */
function explained(error: unknown): unknown {
  if (error instanceof ShippingStopped) return new ConfigurationError(`backup.continuous.url: ${error.message}`);
  if (error instanceof ObjectStoreError) return gridError('OBJECT_STORE_FAILED', error.message);
  return error;
}
