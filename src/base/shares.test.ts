import { describe, expect, test } from 'bun:test';
import { fitsReserve, TenantUsage, yieldsTo } from './shares.ts';

const USER = { key: 'user ann', isAdministrator: false };
const ADMINISTRATOR = { key: 'user svc', isAdministrator: true };

describe('the tenant with the most units', () => {
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
    ['one tenant may use all', 99, 99, true],
    ['one tenant may not use the reserve', 100, 100, false],
    ['a tenant with few may use the reserve', 111, 1, true],
    ['a tenant with some may not use the reserve', 111, 2, false],
    ['the reserve is bounded', 112, 0, false],
  ];
  for (const [title, used, own, fits] of cases) test(title, () => expect(fitsReserve(100, used, own)).toBe(fits));
});

test('tenants reach equal shares, whoever holds everything at first', () => {
  const usage = new TenantUsage();
  for (let n = 0; n < 100; n++) usage.add('greedy');
  for (const key of ['a', 'b', 'c']) {
    for (;;) {
      const most = usage.most();
      if (most === undefined || !yieldsTo(most, { key, isAdministrator: false }, usage.of(key))) break;
      usage.remove(most.key);
      usage.add(key);
    }
  }
  for (const key of ['greedy', 'a', 'b', 'c']) {
    expect(usage.of(key)).toBeGreaterThanOrEqual(24);
    expect(usage.of(key)).toBeLessThanOrEqual(26);
  }
});

test('counts know who has the most after every change', () => {
  const usage = new TenantUsage();
  const counts = new Map<string, number>();
  for (let n = 0; n < 2_000; n++) {
    const key = `user ${(n * 7) % 5}`;
    const count = counts.get(key) ?? 0;
    if ((n * 31) % 7 < 4) {
      usage.add(key);
      counts.set(key, count + 1);
    } else {
      usage.remove(key);
      counts.set(key, Math.max(0, count - 1));
    }
    const most = Math.max(...counts.values());
    expect(usage.most()?.count).toBe(most === 0 ? undefined : most);
  }
});
