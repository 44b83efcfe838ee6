/** Chooses a response's content coding by the Accept-Encoding header (RFC 9110, 12.5.3). */

import { weightedMembers } from '../../base/accept.ts';

/** Content codings that the service can apply. */
export type ContentCoding = 'zstd' | 'gzip';

/** In order of preference among codings that a client accepts equally: Zstandard is faster and smaller. */
const CODINGS: readonly ContentCoding[] = ['zstd', 'gzip'];
/** Another name for gzip, which recipients should treat as the same (RFC 9110, 8.4.1.3). */
const SYNONYMS: Readonly<Record<string, string>> = { 'x-gzip': 'gzip' };

/**
 * Returns the coding that the client prefers, or undefined if none. A coding with a lower weight than `identity` is not
 * used. A malformed member of the list is ignored.
 */
export function chooseCoding(header: string): ContentCoding | undefined {
  return preferred(header, CODINGS);
}

/** Returns whether a client accepts content stored with gzip compression. */
export function acceptsGzip(header: string): boolean {
  return preferred(header, ['gzip']) === 'gzip';
}

function preferred(header: string, codings: readonly ContentCoding[]): ContentCoding | undefined {
  const weights = new Map<string, number>();
  for (const { name, weight, hasParameters } of weightedMembers(header)) {
    if (!hasParameters) weights.set(SYNONYMS[name] ?? name, weight);
  }
  const others = weights.get('*') ?? 0;
  // Unless weighted explicitly, uncompressed content is always acceptable, as the last choice.
  const least = Math.max(weights.get('identity') ?? 0, Number.MIN_VALUE);
  let best: ContentCoding | undefined;
  let bestWeight = 0;
  for (const coding of codings) {
    const weight = weights.get(coding) ?? others;
    if (weight >= least && weight > bestWeight) [best, bestWeight] = [coding, weight];
  }
  return best;
}
