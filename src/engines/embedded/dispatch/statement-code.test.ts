import { expect, test } from 'bun:test';
import { type Clock, systemClock } from '../../../base/clock.ts';
import { loadStatementCode } from './statement-code.ts';

test('the event loop runs between the parts of the code of statements', async () => {
  let pauses = 0;
  const clock: Clock = {
    ...systemClock,
    nextTick(action) {
      pauses += 1;
      systemClock.nextTick(action);
    },
  };
  let rounds = 0;
  let isLoading = true;
  const count = (): void => {
    rounds += 1;
    if (isLoading) setImmediate(count);
  };
  setImmediate(count);
  await loadStatementCode(clock);
  isLoading = false;
  expect(pauses).toBeGreaterThan(10);
  expect(rounds).toBeGreaterThanOrEqual(pauses);
});
