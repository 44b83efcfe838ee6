/** Verifies user names and passwords. The process has one authenticator, so that limits apply across all threads. */

import type { Clock } from '../../base/clock.ts';
import { gridError } from '../../base/errors.ts';
import { LOGIN_BOUNDS } from '../../base/limits.ts';
import { networkOf } from '../../base/networks.ts';
import type { Records } from '../../grid/grid.ts';
import { type Account, findAccount } from './accounts.ts';
import type { Attempts } from './attempts.ts';
import type { PasswordService } from './passwords.ts';
import { VerifiedPasswords } from './verified-passwords.ts';

export interface Authenticator {
  /** Returns the account. Throws CREDENTIALS_WRONG, even for an absent name or password, and TOO_MANY_ATTEMPTS. */
  check(name: string | undefined, password: string | undefined, address: string): Promise<Account>;
}

export interface AuthenticatorOptions {
  readonly records: Records;
  readonly clock: Clock;
  readonly attempts: Attempts;
  readonly passwords: PasswordService;
}

/** Time for which a verified password is not hashed again: five minutes. */
const REMEMBERED_MS = 300_000;

/** Creates the authenticator for accounts that the service stores. */
export function createAuthenticator({ records, clock, attempts, passwords }: AuthenticatorOptions): Authenticator {
  const verified = new VerifiedPasswords(clock, REMEMBERED_MS);

  /** Verifies by hash, which is slow. Concurrent equal logins from one network share one verification. */
  const running = new Map<string, Promise<Account>>();
  function checkOnce(name: string, password: string, address: string): Promise<Account> {
    const key = `${verified.macOf(password).toHex()} ${networkOf(address)} ${name}`;
    const already = running.get(key);
    if (already !== undefined) return already;
    const checking = check(name, password, address).finally(() => running.delete(key));
    running.set(key, checking);
    return checking;
  }

  function check(name: string, password: string, address: string): Promise<Account> {
    return attempts.run(name, address, async (attempt) => {
      const account = await findAccount(records, name);
      const matches = await passwords.verify(password, account?.passwordHash, {
        network: attempt.network,
        onBegin: () => attempt.check(),
        onEnd: (matches) => {
          if (!matches) attempt.failed();
        },
      });
      if (account === undefined || !matches) throw gridError('CREDENTIALS_WRONG', name);
      attempt.succeeded();
      verified.remember(account, password, address);
      return account;
    });
  }

  /** Returns the account if its password was recently verified from the same network. */
  async function recognise(name: string, password: string, address: string): Promise<Account | undefined> {
    if (!attempts.mayRecognise(name, address)) return undefined;
    const account = await findAccount(records, name);
    return account !== undefined && verified.recognises(account, password, address) ? account : undefined;
  }

  return {
    async check(name, password, address) {
      if (name === undefined || password === undefined || password.length > LOGIN_BOUNDS.passwordCharacters) {
        throw gridError('CREDENTIALS_WRONG', name ?? null);
      }
      return (await recognise(name, password, address)) ?? checkOnce(name, password, address);
    },
  };
}
