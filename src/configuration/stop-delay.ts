/** How long a service that was told to stop answers on. */
import { STOP_STEPS } from '../base/limits.ts';
import type { Configuration } from './configuration.ts';

export function stopDelayMs({ shutdownDelayMs, backup }: Pick<Configuration, 'shutdownDelayMs' | 'backup'>): number {
  if (backup.continuous?.failover === undefined) return shutdownDelayMs;
  return Math.max(shutdownDelayMs, STOP_STEPS.announceMs);
}
