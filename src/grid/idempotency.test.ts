import { expect, test } from 'bun:test';
import { checkSameRequest } from './idempotency.ts';

const cases: ReadonlyArray<readonly [title: string, stored: string, sent: string, isSame: boolean]> = [
  ['the same request', 'a.', 'a.', true],
  ['the same request with types', 'a.b', 'a.b', true],
  ['other parameters', 'a.b', 'c.b', false],
  ['other types', 'a.b', 'a.c', false],
  ['types where there were none', 'a.', 'a.b', false],
  ['no types where there were some', 'a.b', 'a.', false],
  ['a record of an earlier version', 'a', 'a.', true],
  ['a record of an earlier version, and types', 'a', 'a.b', true],
  ['a record of an earlier version, and other parameters', 'a', 'ab.b', false],
];

for (const [title, fingerprint, sent, isSame] of cases) {
  test(`${title}: ${isSame ? 'the same' : 'different'}`, () => {
    const check = () =>
      checkSameRequest({ fingerprint, answer: null }, { id: 'k', tenant: 't', fingerprint: sent, expiresAtMs: 0 });
    if (isSame) expect(check()).toBeUndefined();
    else expect(check).toThrow(expect.objectContaining({ code: 'IDEMPOTENCY_KEY_REUSED' }));
  });
}
