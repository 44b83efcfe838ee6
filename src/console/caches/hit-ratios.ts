/** How often reads of caches find an entry. */
import { formatNumber } from '../elements/formats.ts';
import { call, isForbidden } from '../requests/request.ts';
import { markRepeated } from '../requests/sent-requests.ts';

export interface CacheMetrics {
  readonly hits: number;
  readonly misses: number;
  readonly reads: number;
  readonly writes: number;
}

/** The ratios of more caches would take too long to read; each cache shows its own. */
const MOST_RATIOS = 100;

export function ratioOf({ hits, misses }: Pick<CacheMetrics, 'hits' | 'misses'>): string {
  return hits + misses === 0 ? '–' : `${formatNumber((hits / (hits + misses)) * 100)} %`;
}

/** Reads the metrics of a cache. Throws RequestError. */
export async function readMetrics(cacheName: string, signal: AbortSignal): Promise<CacheMetrics> {
  return (await call('cache', { cacheName }, signal)) as unknown as CacheMetrics;
}

/** Reads the hit ratios of caches by name. Those that the user may not read are absent. */
export async function readRatios(names: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  markRepeated(signal);
  const ratios = new Map<string, string>();
  for (const cacheName of names.slice(0, MOST_RATIOS)) {
    try {
      ratios.set(cacheName, ratioOf(await readMetrics(cacheName, signal)));
    } catch (problem) {
      if (isForbidden(problem) || signal.aborted) break;
    }
  }
  return ratios;
}
