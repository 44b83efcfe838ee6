import { describe, expect, test } from 'bun:test';
import { ManualClock } from '../../../test/fixtures/base/manual-clock.ts';
import { Attempts } from './attempts.ts';

const NETWORK = '10.0.0.1';

function start(maxRemembered?: number) {
  const clock = new ManualClock();
  const limits = { maxFailures: 10, maxNetworkFailures: 30, maxBackoffMs: 60_000 };
  return {
    clock,
    attempts: new Attempts({
      ...limits,
      clock,
      clients: { isShared: (address) => address === '127.0.0.1' },
      ...(maxRemembered !== undefined && { maxRemembered }),
    }),
  };
}

/** The wait in ms, or the rejection. */
function begin(attempts: Attempts, user: string, address: string): number | string {
  try {
    const attempt = attempts.begin(user, address);
    attempt.end();
    return attempt.waitMs;
  } catch (error) {
    return String(error).replace(/^.*Too many failed attempts to log in, try again/, 'rejected');
  }
}

function fail(attempts: Attempts, user: string, address: string, count: number): void {
  for (let done = 0; done < count; done++) {
    try {
      const attempt = attempts.begin(user, address);
      attempt.failed();
      attempt.end();
    } catch {
      return;
    }
  }
}

describe('after ten failures of a user from one network', () => {
  const cases: ReadonlyArray<readonly [string, string, string, number | string]> = [
    ['the user is rejected there', 'ann', NETWORK, 'rejected in 1 s'],
    ['the user is checked from any other network', 'ann', '10.0.0.2', 0],
    ['another user is checked there', 'bob', NETWORK, 0],
    ['letter case makes another user', 'Ann', NETWORK, 0],
  ];
  for (const [title, user, address, expected] of cases) {
    test(title, () => {
      const { attempts } = start();
      fail(attempts, 'ann', NETWORK, 9);
      expect(begin(attempts, user, address)).toBe(0);
      fail(attempts, 'ann', NETWORK, 1);
      expect(begin(attempts, user, address)).toBe(expected);
    });
  }

  test('the time doubles with each further failure, up to the longest', () => {
    const { clock, attempts } = start();
    fail(attempts, 'ann', NETWORK, 10);
    const waits: unknown[] = [];
    for (let count = 0; count < 8; count++) {
      waits.push(begin(attempts, 'ann', NETWORK));
      clock.advance(60_000);
      fail(attempts, 'ann', NETWORK, 1);
    }
    const seconds = [1, 2, 4, 8, 16, 32, 60, 60];
    expect(waits).toEqual(seconds.map((each) => `rejected in ${each} s`));
  });

  test('a right password ends it, as does a quarter of an hour without failures', () => {
    const { clock, attempts } = start();
    fail(attempts, 'ann', NETWORK, 12);
    fail(attempts, 'bob', NETWORK, 12);
    clock.advance(5_000);
    const attempt = attempts.begin('ann', NETWORK);
    attempt.succeeded();
    attempt.end();
    fail(attempts, 'ann', NETWORK, 1);
    expect(begin(attempts, 'ann', NETWORK)).toBe(0);
    clock.advance(15 * 60_000);
    fail(attempts, 'bob', NETWORK, 1);
    expect(begin(attempts, 'bob', NETWORK)).toBe(0);
  });

  test('a remembered password passes until a hundred guesses were rejected, and always from elsewhere', () => {
    const { attempts } = start();
    fail(attempts, 'ann', NETWORK, 10);
    for (let guess = 0; guess < 100; guess++) {
      expect(attempts.mayRecognise('ann', NETWORK)).toBe(true);
      begin(attempts, 'ann', NETWORK);
    }
    expect(attempts.mayRecognise('ann', NETWORK)).toBe(false);
    expect(attempts.mayRecognise('ann', '10.0.0.2')).toBe(true);
  });

  test('attempts that were begun before are rejected when it is their turn', () => {
    const { attempts } = start();
    const begun = Array.from({ length: 20 }, () => attempts.begin('ann', NETWORK));
    let checked = 0;
    for (const attempt of begun) {
      try {
        attempt.check();
        checked++;
        attempt.failed();
      } catch (error) {
        expect(error).toMatchObject({ code: 'TOO_MANY_ATTEMPTS' });
      }
    }
    expect(checked).toBe(10);
  });
});

describe('after thirty failures of a network', () => {
  test('its attempts are checked one per second, and rejected when the wait gets long', () => {
    const { clock, attempts } = start();
    for (let user = 0; user < 30; user++) fail(attempts, `user${user}`, NETWORK, 1);
    const waits = Array.from({ length: 22 }, (_, n) => begin(attempts, `other${n}`, NETWORK));
    expect(waits.slice(0, 3)).toEqual([1_000, 2_000, 3_000]);
    expect(waits.slice(19)).toEqual([20_000, 'rejected in 21 s', 'rejected in 21 s']);
    expect(begin(attempts, 'ann', '10.0.0.2')).toBe(0);
    clock.advance(61_000);
    expect(begin(attempts, 'ann', NETWORK)).toBe(0);
  });

  test('attempts that were begun before do not get far', () => {
    const { attempts } = start();
    const begun = Array.from({ length: 100 }, (_, n) => attempts.begin(`user${n}`, NETWORK));
    let checked = 0;
    for (const attempt of begun) {
      try {
        attempt.check();
        checked++;
        attempt.failed();
      } catch (error) {
        expect(error).toMatchObject({ code: 'TOO_MANY_ATTEMPTS' });
      }
    }
    expect(checked).toBe(60);
  });
});

test('one network cannot have all passwords checked that are checked at once', () => {
  const { attempts } = start();
  const enter = (address: string) => attempts.begin('ann', address).enter();
  for (let count = 0; count < 200; count++) enter(NETWORK);
  expect(() => enter(NETWORK)).toThrow('Too many requests are waiting');
  expect(() => enter('10.0.0.2')).not.toThrow();
});

test('attempts that wait are bounded over all networks', () => {
  const { attempts } = start();
  const outcomes = new Set<string>();
  for (let network = 0; network < 40; network++) {
    const address = `10.1.0.${network}`;
    for (let user = 0; user < 30; user++) fail(attempts, `user${user}`, address, 1);
    for (let count = 0; count < 20; count++) {
      try {
        attempts.begin(`other${count}`, address);
        outcomes.add('waits');
      } catch {
        outcomes.add(`rejected in network ${network}`);
      }
    }
  }
  expect([...outcomes].slice(0, 2)).toEqual(['waits', 'rejected in network 25']);
});

test('attempts from an address that many clients share are not slowed down by those for other users', () => {
  const { attempts } = start();
  for (let n = 0; n < 100; n++) fail(attempts, `user${n}`, '127.0.0.1', 1);
  expect(begin(attempts, 'ann', '127.0.0.1')).toBe(0);
  fail(attempts, 'ann', '127.0.0.1', 10);
  expect(begin(attempts, 'ann', '127.0.0.1')).toBe('rejected in 1 s');
});

describe('what is remembered', () => {
  test('a flood of other names does not make it forget a guesser', () => {
    const { attempts } = start(50);
    fail(attempts, 'ann', NETWORK, 10);
    for (let n = 0; n < 1_000; n++) fail(attempts, `user${n}`, `10.1.${n % 256}.${n >> 8}`, 1);
    expect(begin(attempts, 'ann', NETWORK)).toBe('rejected in 1 s');
  });

  test('names of any length cost the same memory', () => {
    const { attempts } = start();
    Bun.gc(true);
    const before = process.memoryUsage().heapUsed;
    for (let n = 0; n < 300; n++) fail(attempts, `${n}${'x'.repeat(200_000)}`, `10.1.0.${n % 100}`, 1);
    Bun.gc(true);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(10_000_000);
    fail(attempts, 'y'.repeat(100_000), '10.0.0.9', 10);
    expect(begin(attempts, 'y'.repeat(100_000), '10.0.0.9')).toBe('rejected in 1 s');
    expect(begin(attempts, `${'y'.repeat(99_999)}z`, '10.0.0.9')).toBe(0);
  });
});
