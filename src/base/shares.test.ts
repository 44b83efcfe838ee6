import { describe, expect, test } from 'bun:test';
import { refusalOf, sharedPart } from './shares.ts';

const USER = { key: 'user ann', isAdministrator: false };
const ADMINISTRATOR = { key: 'user svc', isAdministrator: true };

describe('one more of 1,000', () => {
  const cases: ReadonlyArray<
    readonly [title: string, who: typeof USER, used: number, own: number, refusal: 'limit' | 'share' | undefined]
  > = [
    ['a user alone takes nine tenths', USER, 899, 899, undefined],
    ['and no more', USER, 900, 900, 'share'],
    ['a user with little takes of the reserve', USER, 979, 19, undefined],
    ['a user with a fiftieth does not', USER, 979, 20, 'share'],
    ['the last fiftieth is not for users', USER, 980, 0, 'share'],
    ['an administrator takes it', ADMINISTRATOR, 999, 999, undefined],
    ['nobody gets more than there is', ADMINISTRATOR, 1_000, 0, 'limit'],
    ['a user is told that there is no more', USER, 1_000, 0, 'limit'],
  ];
  for (const [title, who, used, own, refusal] of cases) {
    test(title, () => expect(refusalOf(who, { limit: 1_000, used, own })).toBe(refusal));
  }
});

test('a small limit has no reserve', () => {
  for (let limit = 1; limit < 10; limit++) {
    expect(sharedPart(limit)).toBe(limit);
    expect(refusalOf(USER, { limit, used: limit - 1, own: limit - 1 })).toBe(undefined);
    expect(refusalOf(USER, { limit, used: limit, own: 0 })).toBe('limit');
  }
});
