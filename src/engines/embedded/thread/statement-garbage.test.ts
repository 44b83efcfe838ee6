import { expect, test } from 'bun:test';
import { ManualClock } from '../../../../test/fixtures/base/manual-clock.ts';
import { StatementGarbage } from '../statement-process/statement-garbage.ts';

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
