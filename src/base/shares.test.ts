import { describe, expect, test } from 'bun:test';
import { fitsReserve, Holdings, yieldsTo } from './shares.ts';

const USER = { key: 'user ann', isAdministrator: false };
const ADMINISTRATOR = { key: 'user svc', isAdministrator: true };

describe('the claimant with the most units', () => {
  const cases: ReadonlyArray<
    readonly [title: string, who: typeof USER, own: number, mostKey: string, most: number, yieldsTo: boolean]
  > = [
    ['gives one up for a user with none', USER, 0, 'user bob', 2, true],
    ['gives one up for a user with two fewer', USER, 498, 'user bob', 500, true],
    ['keeps all beside a user with one fewer', USER, 499, 'user bob', 500, false],
    ['keeps its only unit', USER, 0, 'user bob', 1, false],
    ['keeps all when it is the user itself', USER, 9, 'user ann', 9, false],
    ['gives its only unit up for an administrator', ADMINISTRATOR, 500, 'user bob', 1, true],
    ['keeps all when it is the administrator itself', ADMINISTRATOR, 9, 'user svc', 9, false],
  ];
  for (const [title, who, own, key, count, expected] of cases) {
    test(title, () => expect(yieldsTo({ key, count }, who, own)).toBe(expected));
  }
});

describe('one more of 100 units that cannot be taken back', () => {
  const cases: ReadonlyArray<readonly [title: string, used: number, own: number, fits: boolean]> = [
    ['one claimant may use all', 99, 99, true],
    ['one claimant may not use the reserve', 100, 100, false],
    ['a claimant with few may use the reserve', 111, 1, true],
    ['a claimant with some may not use the reserve', 111, 2, false],
    ['the reserve is bounded', 112, 0, false],
  ];
  for (const [title, used, own, fits] of cases) test(title, () => expect(fitsReserve(100, used, own)).toBe(fits));
});

test('claimants reach equal shares, whoever holds everything at first', () => {
  const holdings = new Holdings();
  for (let n = 0; n < 100; n++) holdings.add('greedy');
  for (const key of ['a', 'b', 'c']) {
    for (;;) {
      const most = holdings.most();
      if (most === undefined || !yieldsTo(most, { key, isAdministrator: false }, holdings.of(key))) break;
      holdings.remove(most.key);
      holdings.add(key);
    }
  }
  for (const key of ['greedy', 'a', 'b', 'c']) {
    expect(holdings.of(key)).toBeGreaterThanOrEqual(24);
    expect(holdings.of(key)).toBeLessThanOrEqual(26);
  }
});

test('holdings know who has the most after every change', () => {
  const holdings = new Holdings();
  const counts = new Map<string, number>();
  for (let n = 0; n < 2_000; n++) {
    const key = `user ${(n * 7) % 5}`;
    const count = counts.get(key) ?? 0;
    if ((n * 31) % 7 < 4) {
      holdings.add(key);
      counts.set(key, count + 1);
    } else {
      holdings.remove(key);
      counts.set(key, Math.max(0, count - 1));
    }
    const most = Math.max(...counts.values());
    expect(holdings.most()?.count).toBe(most === 0 ? undefined : most);
    expect(holdings.claimants).toBe([...counts.values()].filter((each) => each > 0).length);
  }
});
