/** How long a service continues to respond after it was told to stop. */
import { STOP_STEPS } from '../base/limits.ts';
import type { Configuration } from './configuration.ts';

export function stopDelayMs({ shutdownDelayMs, backup }: Pick<Configuration, 'shutdownDelayMs' | 'backup'>): number {
  if (backup.continuous?.failover === undefined) return shutdownDelayMs;
  return Math.max(shutdownDelayMs, STOP_STEPS.announceMs);
}
