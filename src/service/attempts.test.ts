import { describe, expect, test } from 'bun:test';
import { ManualClock } from '../base/manual-clock.ts';
import { ATTEMPT_DEFAULTS, Attempts, networkOf } from './attempts.ts';

function start(maxRemembered = 1_000) {
  const clock = new ManualClock();
  return { clock, attempts: new Attempts({ ...ATTEMPT_DEFAULTS, clock, maxRemembered }) };
}

function refused(attempts: Attempts, user: string, address: string): boolean {
  try {
    attempts.check(user, address);
    return false;
  } catch {
    return true;
  }
}

describe('after ten failures in a minute', () => {
  const cases: ReadonlyArray<readonly [string, string, string, boolean]> = [
    ['the same user from the same address waits', 'ann', '10.0.0.1', true],
    ['the same user from another address waits', 'ann', '10.0.0.2', true],
    ['another user from the same address waits', 'bob', '10.0.0.1', true],
    ['another user from another address does not', 'bob', '10.0.0.2', false],
    ['letter case makes another user', 'Ann', '10.0.0.3', false],
  ];
  for (const [title, user, address, waits] of cases) {
    test(title, () => {
      const { attempts } = start();
      for (let count = 0; count < 10; count++) attempts.failed('ann', '10.0.0.1');
      expect(refused(attempts, user, address)).toBe(waits);
    });
  }

  test('the text names the seconds to wait, and then it goes on', () => {
    const { clock, attempts } = start();
    for (let count = 0; count < 10; count++) {
      attempts.failed('ann', '10.0.0.1');
      clock.advance(1_000);
    }
    expect(() => attempts.check('ann', '10.0.0.1')).toThrow('Too many failed attempts to log in, try again in 50 s');
    clock.advance(50_000);
    expect(refused(attempts, 'ann', '10.0.0.1')).toBe(false);
    attempts.failed('ann', '10.0.0.1');
    expect(refused(attempts, 'ann', '10.0.0.1')).toBe(true);
  });

  test('a flood of other names does not make it forget', () => {
    const { attempts } = start(50);
    for (let count = 0; count < 10; count++) attempts.failed('ann', '10.0.0.1');
    for (let count = 0; count < 1_000; count++) attempts.failed(`user${count}`, `10.1.${count % 256}.${count >> 8}`);
    expect(refused(attempts, 'ann', '10.0.0.9')).toBe(true);
  });
});

describe('the network of an address', () => {
  const cases: ReadonlyArray<readonly [string, string]> = [
    ['127.0.0.1', '127.0.0.1'],
    ['::ffff:10.1.2.3', '10.1.2.3'],
    ['::1', '0:0:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ];
  for (const [address, network] of cases)
    test(`${address} -> ${network}`, () => expect(networkOf(address)).toBe(network));
});
