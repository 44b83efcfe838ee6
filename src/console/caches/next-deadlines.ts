/** The entries of a cache that expire next, among the first ones. */
import { parseExact } from '../../client/exact-json.ts';
import type { Json } from '../requests/request.ts';
import { exportLines } from './export-lines.ts';

/** Maximum number of entries examined. More would take noticeable time. */
export const LOOKED_AT = 10_000;
const SHOWN = 20;

export interface NextDeadlines {
  readonly next: ReadonlyArray<{ readonly key: Json; readonly expires: number }>;
  readonly lookedAt: number;
  readonly withDeadline: number;
  /** Whether the cache has no other entries. */
  readonly isComplete: boolean;
  /** When they were read, in milliseconds since 1970. */
  readonly readAtMs: number;
}

interface ExportedEntry {
  readonly key: Json;
  readonly expires?: number | bigint;
}

/** Reads the deadlines of the first entries of a cache. Throws SvcError. */
export async function readNextDeadlines(cacheName: string, abort: AbortSignal): Promise<NextDeadlines> {
  const found: Array<{ readonly key: Json; readonly expires: number }> = [];
  let lookedAt = 0;
  let isComplete = true;
  for await (const lines of exportLines(cacheName, abort)) {
    isComplete = lookedAt + lines.length <= LOOKED_AT;
    for (const line of lines.slice(0, LOOKED_AT - lookedAt)) {
      lookedAt++;
      const { key, expires } = parseExact(line) as unknown as ExportedEntry;
      // 0 if the entry never expires.
      if (expires) found.push({ key, expires: Number(expires) });
    }
    if (!isComplete) break;
  }
  const next = found.sort((a, b) => a.expires - b.expires).slice(0, SHOWN);
  return { next, lookedAt, withDeadline: found.length, isComplete, readAtMs: Date.now() };
}
