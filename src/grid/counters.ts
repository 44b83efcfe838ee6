/** The port's counters. */
import type { MaybePromise } from '../base/maybe-promise.ts';

/** Named counters; they belong to no cache. */
export interface Counters {
  /**
   * Adds `delta` to the counter and returns the new value. New counters start at `initial`; sums wrap at 64 bits. A new
   * counter expires after `ttlMs` > 0; one that exists keeps its deadline. Throws NOT_SUPPORTED for a time to live that
   * the engine does not have.
   */
  add(name: string, delta: bigint, initial: bigint, ttlMs?: bigint): MaybePromise<bigint>;
  /** Returns the remaining time in ms; null if the counter has no deadline, undefined if it does not exist. */
  timeToLive(name: string): MaybePromise<bigint | null | undefined>;
  /** Removes the deadline. Returns whether the counter exists. */
  persist(name: string): MaybePromise<boolean>;
}

/** A counter with its value. */
export interface Counter {
  readonly name: string;
  readonly value: bigint;
  /** The remaining time to live in ms; undefined if it has no deadline. */
  readonly ttlMs?: bigint | undefined;
}
