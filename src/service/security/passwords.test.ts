import { expect, test } from 'bun:test';
import { systemClock } from '../../base/clock.ts';
import { LOGIN_BOUNDS } from '../../base/limits.ts';
import { Passwords } from './passwords.ts';

test('verifications beyond those that may wait are rejected, and each network has its turn', async () => {
  const passwords = new Passwords({ clock: systemClock, targetMs: 60_000 });
  const hash = await passwords.hash('right');
  let isOver = false;
  const order: string[] = [];
  const verify = (network: string): Promise<string> =>
    passwords
      .verify('right', hash, {
        network,
        onBegin() {
          if (isOver) throw new Error('the test is over');
          order.push(network);
        },
        onEnd() {},
      })
      .then(String, (error: Error) => error.message);
  // Two are computed at once.
  const greedy = Array.from({ length: LOGIN_BOUNDS.hashesWaiting + 2 }, () => verify('greedy'));
  expect(await verify('greedy')).toContain('Too many requests are waiting');
  expect(await Promise.all([verify('modest'), greedy[0]])).toEqual(['true', 'true']);
  isOver = true;
  expect(order.indexOf('modest')).toBeLessThan(4);
  const outcomes = await Promise.all(greedy);
  // It was rejected in favour of the other network.
  expect(outcomes.filter((outcome) => outcome.includes('Too many requests are waiting'))).toHaveLength(1);
  expect(passwords.statistics()).toMatchObject({ rejected: 2, waits: LOGIN_BOUNDS.hashesWaiting });
});
