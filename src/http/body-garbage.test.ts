import { expect, test } from 'bun:test';
import { ManualClock } from '../base/manual-clock.ts';
import { BodyGarbage } from './body-garbage.ts';

const MIB = 1024 * 1024;

test('the garbage of large bodies is collected once per pause, and that of small ones is not', () => {
  const clock = new ManualClock();
  let collections = 0;
  const garbage = new BodyGarbage(clock, () => {
    collections++;
  });
  const after = (ms: number): number => {
    clock.advance(ms);
    return collections;
  };
  garbage.note(3 * MIB);
  expect(after(1_000)).toBe(0);
  garbage.note(MIB);
  garbage.note(20 * MIB);
  expect(after(99)).toBe(0);
  expect(after(1)).toBe(1);
  garbage.note(3 * MIB);
  expect(after(1_000)).toBe(1);
  garbage.note(3 * MIB);
  expect(after(100)).toBe(2);
});

test('a collection frees memory that nothing refers to', async () => {
  const clock = new ManualClock();
  const garbage = new BodyGarbage(clock);
  let freed = 0;
  const registry = new FinalizationRegistry(() => {
    freed++;
  });
  for (let n = 0; n < 64; n++) registry.register(new Uint8Array(MIB).fill(n), n);
  garbage.note(4 * MIB);
  clock.advance(100);
  // The registry calls back later.
  while (freed < 32) await Bun.sleep(1);
});
