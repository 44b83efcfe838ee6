import { expect, test } from 'bun:test';
import { ManualClock } from '../../test/fixtures/base/manual-clock.ts';
import { QueueDelay } from './queue-delay.ts';

const TARGET_MS = 200;
const SERVICE_MS = 5;

interface Phase {
  readonly durationMs: number;
  /** Entries that arrive in each millisecond. */
  readonly arrivals: number;
}

/** Simulates a queue whose entries are processed one after the other, each for 5 ms. */
function simulate(phases: readonly Phase[], alwaysAdmitted = 4) {
  const clock = new ManualClock(0);
  const delay = new QueueDelay({ clock, targetMs: TARGET_MS, alwaysAdmitted });
  const queue: number[] = [];
  const waits: number[] = [];
  let due = 0;
  let freeAtMs = 0;
  const rejected = phases.map(({ durationMs, arrivals }) => {
    const before = delay.statistics().rejected;
    for (const endMs = clock.monotonicMs() + durationMs; clock.monotonicMs() < endMs; clock.advance(1)) {
      const nowMs = clock.monotonicMs();
      for (due += arrivals; due >= 1; due--) if (delay.admits(queue.length, queue[0] ?? nowMs)) queue.push(nowMs);
      while (queue.length > 0 && freeAtMs <= nowMs) {
        const waitedMs = nowMs - (queue.shift() ?? 0);
        waits.push(waitedMs);
        delay.left(waitedMs);
        freeAtMs = Math.max(freeAtMs, nowMs) + SERVICE_MS;
      }
    }
    return delay.statistics().rejected - before;
  });
  waits.sort((a, b) => a - b);
  return { rejected, accepted: waits.length, p99: waits[Math.floor(waits.length * 0.99)] ?? 0, delay };
}

test('below the capacity nothing is rejected', () => {
  const { rejected, p99 } = simulate([{ durationMs: 5_000, arrivals: 0.19 }]);
  expect(rejected).toEqual([0]);
  expect(p99).toBeLessThan(20);
});

test('at five times the capacity the queue keeps the target and stays busy', () => {
  const { rejected, accepted, p99 } = simulate([{ durationMs: 10_000, arrivals: 1 }]);
  expect(p99).toBeLessThan(1.5 * TARGET_MS);
  expect(accepted).toBeGreaterThan(1_950);
  expect(rejected[0]).toBeGreaterThan(7_500);
});

test('it is normal again at once after an overload', () => {
  const { rejected } = simulate([
    { durationMs: 2_000, arrivals: 1 },
    { durationMs: 300, arrivals: 0 },
    { durationMs: 2_000, arrivals: 0.1 },
  ]);
  expect(rejected.slice(1)).toEqual([0, 0]);
});

test('a burst into an empty queue is accepted, however large', () => {
  const { rejected } = simulate([
    { durationMs: 1, arrivals: 400 },
    { durationMs: 2_500, arrivals: 0 },
    { durationMs: 1, arrivals: 400 },
  ]);
  expect(rejected).toEqual([0, 0, 0]);
});

test('a few entries may wait for any time, and so may everything that leaves fast enough', () => {
  const clock = new ManualClock(0);
  const delay = new QueueDelay({ clock, targetMs: TARGET_MS, alwaysAdmitted: 3 });
  delay.admits(0, 0);
  clock.advance(10_000);
  expect([delay.admits(1, 0), delay.admits(2, 0), delay.admits(3, 0)]).toEqual([true, true, false]);
  for (let n = 0; n < 20; n++) {
    clock.advance(10);
    delay.left(10);
  }
  expect(delay.admits(15, clock.monotonicMs() - 100)).toBe(true);
  expect(delay.statistics()).toEqual({ rejected: 1, waits: 20, waitedMs: 200 });
});
