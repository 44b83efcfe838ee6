/** How often reads of caches find an entry. */
import { formatNumber } from '../elements/formats.ts';
import { callBatch } from '../requests/batch.ts';
import { call } from '../requests/request.ts';
import { markRepeated } from '../requests/sent-requests.ts';

export interface CacheMetrics {
  readonly hits: number;
  readonly misses: number;
  readonly reads: number;
  readonly writes: number;
}

/** The ratios of more caches would take too long to read; each cache shows its own. */
const MAX_RATIOS = 100;

export function ratioOf({ hits, misses }: Pick<CacheMetrics, 'hits' | 'misses'>): string {
  return hits + misses === 0 ? '–' : `${formatNumber((hits / (hits + misses)) * 100)} %`;
}

/** Reads the metrics of a cache. Throws SvcError. */
export async function readMetrics(cacheName: string, signal: AbortSignal): Promise<CacheMetrics> {
  return (await call('cache', { cacheName }, signal)) as unknown as CacheMetrics;
}

/**
 * Reads the hit ratios of caches by name. Caches that are gone or that the user may not read are absent: in a batch
 * they are not failed requests, which the browser would log.
 */
export async function readRatios(names: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  markRepeated(signal);
  const asked = names.slice(0, MAX_RATIOS);
  const results = await callBatch(
    asked.map((cacheName) => ({ cmd: 'cache', cacheName })),
    signal,
  );
  const metrics = results.map(({ response }) => response as unknown as CacheMetrics | null);
  return new Map(metrics.flatMap((each, at) => (each === null ? [] : [[asked[at] ?? '', ratioOf(each)] as const])));
}
