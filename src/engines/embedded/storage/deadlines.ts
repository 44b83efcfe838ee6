/** Deadlines of entries as stored: ms since 1970-01-01. */

import type { CacheDefinition } from '../../../grid/grid.ts';

/** The last time that a Date can represent. Later deadlines are set to it. */
export const LAST_MS = 8_640_000_000_000_000n;

/** Returns the deadline of an entry that is written now with a time to live of `ttlMs` > 0. */
export function deadlineAfter(nowMs: number, ttlMs: bigint): bigint {
  const deadline = BigInt(Math.floor(nowMs)) + ttlMs;
  return deadline > LAST_MS ? LAST_MS : deadline;
}

/**
 * Returns the time to live in ms of an entry written to a cache without its own, or undefined if there is none. With
 * sliding expiry it is a tenth longer, so that reads within that tenth need no write.
 */
export function defaultTtlMs({ ttlMs, sliding }: Pick<CacheDefinition, 'ttlMs' | 'sliding'>): bigint | undefined {
  if (ttlMs === undefined) return undefined;
  return BigInt(ttlMs) + (sliding === true ? BigInt(Math.ceil(ttlMs / 10)) : 0n);
}

/** Returns the time in ms until the deadline of a live entry, at least 1. */
export function remainingMs(deadline: bigint, nowMs: number): bigint {
  const remaining = deadline - BigInt(Math.floor(nowMs));
  return remaining > 0n ? remaining : 1n;
}
