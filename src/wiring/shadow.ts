/** Opens shadow mode, if configured. Its code is loaded only in that case. */
import type { Clock } from '../base/clock.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { Shadow } from '../replay/shadow.ts';
import type { Log } from '../service/monitoring/log.ts';
import type { Metrics } from '../service/monitoring/metrics.ts';

/** Returns this thread's part of shadow mode, or undefined without a second service. */
export async function openShadow(
  { shadow }: Configuration,
  clock: Clock,
  log: Log,
  metrics: Metrics,
): Promise<Shadow | undefined> {
  if (shadow === undefined) return undefined;
  const { Shadow } = await import('../replay/shadow.ts');
  return new Shadow({ ...shadow, clock, log, count: (result) => metrics.count(result) });
}
