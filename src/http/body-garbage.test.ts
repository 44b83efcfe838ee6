import { expect, test } from 'bun:test';
import { ManualClock } from '../../test/fixtures/base/manual-clock.ts';
import { BodyGarbage } from './body-garbage.ts';

const MIB = 1024 * 1024;

/** Returns the garbage of a thread, and a function that advances the clock and counts the collections. */
function counted() {
  const clock = new ManualClock();
  let collections = 0;
  const garbage = new BodyGarbage(clock, () => {
    collections++;
  });
  const after = (ms: number): number => {
    clock.advance(ms);
    return collections;
  };
  return { garbage, after };
}

function handle(garbage: BodyGarbage, bytes: number): void {
  garbage.begin();
  garbage.end(bytes);
}

test('the garbage of large bodies is collected once per pause, and that of small ones is not', () => {
  const { garbage, after } = counted();
  handle(garbage, 3 * MIB);
  expect(after(1_000)).toBe(0);
  handle(garbage, MIB);
  handle(garbage, 20 * MIB);
  expect(after(99)).toBe(0);
  expect(after(1)).toBe(1);
  handle(garbage, 3 * MIB);
  expect(after(1_000)).toBe(1);
  handle(garbage, 3 * MIB);
  expect(after(100)).toBe(2);
});

test('a collection waits for the requests that are being handled, unless there is much garbage', () => {
  const { garbage, after } = counted();
  garbage.begin();
  handle(garbage, 8 * MIB);
  expect(after(1_000)).toBe(0);
  garbage.end(MIB);
  expect(after(99)).toBe(0);
  garbage.begin();
  expect(after(1_000)).toBe(0);
  handle(garbage, 7 * MIB);
  expect(after(1_000)).toBe(1);
  garbage.end(4 * MIB);
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
  handle(garbage, 4 * MIB);
  clock.advance(100);
  // The registry calls back later.
  while (freed < 32) await Bun.sleep(1);
});
