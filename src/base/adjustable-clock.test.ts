import { expect, test } from 'bun:test';
import { AdjustableClock, clockOf, SHIFT_BYTES } from './adjustable-clock.ts';
import { systemClock } from './clock.ts';

const HOUR_MS = 3_600_000;

test('both clocks show the time that was added, and go on', async () => {
  const shift = new SharedArrayBuffer(SHIFT_BYTES);
  const clock = new AdjustableClock(shift);
  const other = clockOf(shift);
  clock.advance(HOUR_MS);
  for (const each of [clock, other]) {
    expect(each.nowMs() - systemClock.nowMs()).toBeWithin(HOUR_MS - 1_000, HOUR_MS + 1_000);
  }
  const before = clock.monotonicMs();
  await systemClock.pollDelay();
  expect(clock.monotonicMs()).toBeGreaterThan(before);
});

test('timers run when their time is reached, in order, and intervals go on', async () => {
  const clock = new AdjustableClock(new SharedArrayBuffer(SHIFT_BYTES));
  const ran: string[] = [];
  clock.after(2 * HOUR_MS, () => ran.push('two hours'));
  clock.after(HOUR_MS, () => ran.push('one hour'));
  const cancelled = clock.after(HOUR_MS, () => ran.push('cancelled'));
  const interval = clock.every(HOUR_MS / 2, () => ran.push('interval'));
  cancelled.cancel();
  clock.advance(HOUR_MS - 1_000);
  expect(ran).toEqual(['interval']);
  clock.advance(2 * HOUR_MS);
  expect(ran).toEqual(['interval', 'one hour', 'interval', 'two hours']);
  interval.cancel();
  clock.advance(HOUR_MS);
  expect(ran).toHaveLength(4);
  const { promise, resolve } = Promise.withResolvers<void>();
  clock.after(1, resolve);
  await promise;
});
