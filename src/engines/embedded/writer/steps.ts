/** Changes of many keys in steps, between which the writer pauses so that its thread answers requests. */
import type { Clock } from '../../../base/clock.ts';

/** A computation that yields after each step. */
export type Steps<T> = Generator<undefined, T>;

/** Duration of a step. */
const STEP_MS = 2;
/**
 * Number of keys between readings of the clock. A search in a cache with values of megabytes takes milliseconds: SQLite
 * reads such a row page by page to compare its key.
 */
const KEYS_PER_LOOK = 4;

/** Runs `action` for all items, some in each step. */
export function* forEachInSteps<T>(clock: Clock, items: readonly T[], action: (item: T) => void): Steps<void> {
  let endMs = clock.monotonicMs() + STEP_MS;
  let untilLook = KEYS_PER_LOOK;
  for (const item of items) {
    action(item);
    if (--untilLook > 0) continue;
    untilLook = KEYS_PER_LOOK;
    if (clock.monotonicMs() < endMs) continue;
    yield;
    endMs = clock.monotonicMs() + STEP_MS;
  }
}
