import { expect, test } from 'bun:test';
import { ManualClock } from '../../../../test/fixtures/base/manual-clock.ts';
import { StatementGarbage } from './statement-garbage.ts';

function openGarbage() {
  const clock = new ManualClock();
  let trims = 0;
  const garbage = new StatementGarbage(clock, () => trims++);
  return { clock, garbage, trims: () => trims };
}

test('all memory is freed after the response, not before', async () => {
  const { clock, garbage, trims } = openGarbage();
  garbage.free();
  expect(trims()).toBe(0);
  clock.advance(0);
  await garbage.settled;
  expect(trims()).toBe(1);
});

test('after statements that fail at once, all memory is freed once a second, and once after the last', async () => {
  const { clock, garbage, trims } = openGarbage();
  for (let statement = 0; statement < 25; statement++) {
    garbage.freeOften();
    clock.advance(100);
    await garbage.settled;
  }
  // At 0, 1 and 2 seconds.
  expect(trims()).toBe(3);
  clock.advance(2_000);
  expect(trims()).toBe(4);
  clock.advance(10_000);
  expect(trims()).toBe(4);
});

test('nothing is freed after the end', () => {
  const { clock, garbage, trims } = openGarbage();
  garbage.freeOften();
  clock.advance(0);
  garbage.freeOften();
  garbage.close();
  clock.advance(5_000);
  expect(trims()).toBe(1);
});
