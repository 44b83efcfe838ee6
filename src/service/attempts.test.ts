import { describe, expect, test } from 'bun:test';
import { ManualClock } from '../base/manual-clock.ts';
import { ATTEMPT_DEFAULTS, Attempts, networkOf } from './attempts.ts';

function start(maxRemembered = 1_000) {
  const clock = new ManualClock();
  return { clock, attempts: new Attempts({ ...ATTEMPT_DEFAULTS, clock, maxRemembered }) };
}

/** The wait in ms, or `refused`. */
function begin(attempts: Attempts, user: string, address: string): number | 'refused' {
  try {
    return attempts.begin(user, address);
  } catch (error) {
    expect(error).toMatchObject({ code: 'TOO_MANY_ATTEMPTS' });
    return 'refused';
  }
}

describe('after ten failures in a minute', () => {
  const cases: ReadonlyArray<readonly [string, string, string, number | 'refused']> = [
    ['the same user from the same address is refused', 'ann', '10.0.0.1', 'refused'],
    ['the same user from another address is refused', 'ann', '10.0.0.2', 'refused'],
    ['another user from the same address waits', 'bob', '10.0.0.1', 1_000],
    ['another user from another address does not', 'bob', '10.0.0.2', 0],
    ['letter case makes another user', 'Ann', '10.0.0.3', 0],
  ];
  for (const [title, user, address, expected] of cases) {
    test(title, () => {
      const { attempts } = start();
      for (let count = 0; count < 9; count++) attempts.failed('ann', '10.0.0.1');
      expect(begin(attempts, user, address)).toBe(0);
      attempts.failed('ann', '10.0.0.1');
      expect(begin(attempts, user, address)).toBe(expected);
    });
  }

  test('a refusal names the seconds to wait, and then it goes on', () => {
    const { clock, attempts } = start();
    for (let count = 0; count < 10; count++) {
      attempts.failed('ann', '10.0.0.1');
      clock.advance(1_000);
    }
    expect(() => attempts.begin('ann', '10.0.0.1')).toThrow('Too many failed attempts to log in, try again in 50 s');
    clock.advance(50_000);
    expect(begin(attempts, 'ann', '10.0.0.1')).toBe(0);
    attempts.failed('ann', '10.0.0.1');
    expect(begin(attempts, 'ann', '10.0.0.1')).toBe('refused');
  });

  test('an address takes turns of a second, and is refused when the wait gets long', () => {
    const { clock, attempts } = start();
    for (let count = 0; count < 10; count++) attempts.failed(`user${count}`, '10.0.0.1');
    const waits = Array.from({ length: 22 }, (_, n) => begin(attempts, `other${n}`, '10.0.0.1'));
    expect(waits.slice(0, 3)).toEqual([1_000, 2_000, 3_000]);
    expect(waits.slice(19)).toEqual([20_000, 'refused', 'refused']);
    clock.advance(61_000);
    expect(begin(attempts, 'ann', '10.0.0.1')).toBe(0);
  });

  test('many that were begun before the first failed do not get far', () => {
    const { attempts } = start();
    for (let count = 0; count < 20; count++) {
      attempts.check(`user${count}`, '10.0.0.1', false);
      attempts.failed(`user${count}`, '10.0.0.1');
    }
    expect(() => attempts.check('ann', '10.0.0.1', false)).toThrow('Too many failed attempts');
    expect(() => attempts.check('ann', '10.0.0.1', true)).not.toThrow();
  });

  test('a flood of other names does not make it forget', () => {
    const { attempts } = start(50);
    for (let count = 0; count < 10; count++) attempts.failed('ann', '10.0.0.1');
    for (let count = 0; count < 1_000; count++) attempts.failed(`user${count}`, `10.1.${count % 256}.${count >> 8}`);
    expect(begin(attempts, 'ann', '10.0.0.9')).toBe('refused');
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
