/** The entries of a cache that expire next, among the first ones. */
import { parseExact } from '../../client/exact-json.ts';
import { failureOf, type Json, send } from '../requests/request.ts';

/** Entries that are looked at. More would take noticeable time. */
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

/** Reads the deadlines of the first entries of a cache. Throws RequestError. */
export async function readNextDeadlines(cacheName: string, abort: AbortSignal): Promise<NextDeadlines> {
  const stopping = new AbortController();
  const signal = AbortSignal.any([abort, stopping.signal]);
  const response = await send('export', { cacheName, format: 'ndjson' }, signal, 'application/x-ndjson');
  if (!response.ok || response.body === null) throw failureOf('export', response, errorIn(await response.text()));
  const found: Array<{ readonly key: Json; readonly expires: number }> = [];
  let lookedAt = 0;
  let rest = '';
  let isComplete = true;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const lines = (rest + decoder.decode(next.value, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '' || lookedAt === LOOKED_AT) continue;
      lookedAt++;
      const { key, expires } = parseExact(line) as unknown as ExportedEntry;
      if (expires !== undefined && expires !== null) found.push({ key, expires: Number(expires) });
    }
    if (lookedAt === LOOKED_AT) {
      isComplete = false;
      stopping.abort();
      break;
    }
  }
  const next = found.sort((a, b) => a.expires - b.expires).slice(0, SHOWN);
  return { next, lookedAt, withDeadline: found.length, isComplete, readAtMs: Date.now() };
}

function errorIn(text: string): string | null {
  try {
    return (JSON.parse(text) as { readonly error: string | null }).error;
  } catch {
    return null;
  }
}
