import { describe, expect, test } from 'bun:test';
import { exceededLimit, sharedPart } from './shares.ts';

const USER = { key: 'user ann', isAdministrator: false };
const ADMINISTRATOR = { key: 'user svc', isAdministrator: true };

describe('taking one more of 1,000 units', () => {
  const cases: ReadonlyArray<
    readonly [title: string, who: typeof USER, used: number, own: number, exceeded: 'limit' | 'share' | undefined]
  > = [
    ['a single user may take nine tenths', USER, 899, 899, undefined],
    ['a single user may not take more than nine tenths', USER, 900, 900, 'share'],
    ['a user with few units may take from the reserve', USER, 979, 19, undefined],
    ['a user with a fiftieth may not take from the reserve', USER, 979, 20, 'share'],
    ['the last fiftieth is reserved for administrators', USER, 980, 0, 'share'],
    ['an administrator may take from the last fiftieth', ADMINISTRATOR, 999, 999, undefined],
    ['an administrator may not exceed the limit', ADMINISTRATOR, 1_000, 0, 'limit'],
    ['a full resource is reported as the limit', USER, 1_000, 0, 'limit'],
  ];
  for (const [title, who, used, own, exceeded] of cases) {
    test(title, () => expect(exceededLimit(who, { limit: 1_000, used, own })).toBe(exceeded));
  }
});

test('a small limit has no reserve', () => {
  for (let limit = 1; limit < 10; limit++) {
    expect(sharedPart(limit)).toBe(limit);
    expect(exceededLimit(USER, { limit, used: limit - 1, own: limit - 1 })).toBe(undefined);
    expect(exceededLimit(USER, { limit, used: limit, own: 0 })).toBe('limit');
  }
});
