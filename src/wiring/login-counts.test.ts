import { expect, test } from 'bun:test';
import { type ErrorCode, GridError } from '../base/errors.ts';
import { LoginCounts } from './login-counts.ts';

/** The outcome of a check, and what is counted: accepted, wrong, throttled. */
const OUTCOMES: ReadonlyArray<readonly [ErrorCode | undefined, readonly [number, number, number]]> = [
  [undefined, [1, 0, 0]],
  ['CREDENTIALS_WRONG', [0, 1, 0]],
  ['TOO_MANY_ATTEMPTS', [0, 0, 1]],
  ['OVERLOADED', [0, 0, 1]],
  ['CLUSTER_UNREACHABLE', [0, 0, 0]],
];

for (const [code, [accepted, wrong, throttled]] of OUTCOMES) {
  test(`a login that ends with ${code ?? 'success'}`, async () => {
    const counts = new LoginCounts();
    const account = { id: '1', name: 'ann', passwordHash: '', stamp: '' };
    const authenticator = counts.authenticator({
      check: async () => {
        if (code !== undefined) throw new GridError(code, 'no');
        return account;
      },
    });
    const checked = authenticator.check('ann', 'pw', '10.0.0.1');
    if (code === undefined) expect(await checked).toBe(account);
    else await expect(checked).rejects.toThrow('no');
    const report = counts.read();
    expect([report.accepted, report.failures.password.wrong, report.failures.password.throttled]).toEqual([
      accepted,
      wrong,
      throttled,
    ]);
  });
}

test('wrong API keys and tokens are counted apart from passwords', async () => {
  const counts = new LoginCounts();
  const keyAttempts = counts.keyAttempts({
    failed: async (_, address) => {
      if (address === 'throttled') throw new GridError('TOO_MANY_ATTEMPTS', 'no');
    },
  });
  await keyAttempts.failed('key7', '10.0.0.1');
  await keyAttempts.failed('jwt', '10.0.0.1');
  await keyAttempts.failed('jwt', '10.0.0.1');
  await expect(Promise.resolve(keyAttempts.failed('key7', 'throttled'))).rejects.toThrow();
  expect(counts.read()).toEqual({
    accepted: 0,
    failures: {
      password: { wrong: 0, throttled: 0 },
      api_key: { wrong: 1, throttled: 1 },
      jwt: { wrong: 2, throttled: 0 },
    },
  });
});
