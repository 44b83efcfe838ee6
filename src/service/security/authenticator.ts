/** Checks of names and passwords; one in the process, so that its limits hold over all threads. */
import { type Clock, sleep } from '../../base/clock.ts';
import { fail } from '../../base/errors.ts';
import type { Records } from '../../grid/grid.ts';
import { type Account, findAccount } from './accounts.ts';
import { type Attempts, networkOf } from './attempts.ts';
import type { PasswordService } from './passwords.ts';
import { VerifiedPasswords } from './verified-passwords.ts';

export interface Authenticator {
  /** The account; refuses CREDENTIALS_WRONG and TOO_MANY_ATTEMPTS. An absent name or password is wrong. */
  check(name: string | undefined, password: string | undefined, address: string): Promise<Account>;
  /** Whether {@link check} would accept them without verifying the password anew. Counts as no attempt. */
  recognises(name: string | undefined, password: string | undefined, address: string): Promise<boolean>;
}

export interface LoginOptions {
  readonly records: Records;
  readonly clock: Clock;
  readonly attempts: Attempts;
  readonly passwords: PasswordService;
}

/** Longer ones cannot have been set. */
export const PASSWORD_CHARACTERS = 1_024;
const REMEMBERED_MS = 300_000;

/** Logins by the accounts that the service keeps. */
export function createAuthenticator({ records, clock, attempts, passwords }: LoginOptions): Authenticator {
  const verified = new VerifiedPasswords(clock, REMEMBERED_MS);

  /** The slow way; those who ask the same from one network at the same time share one check. */
  const running = new Map<string, Promise<Account>>();
  function checkOnce(name: string, password: string, address: string): Promise<Account> {
    const same = `${verified.macOf(password).toHex()} ${networkOf(address)} ${name}`;
    const already = running.get(same);
    if (already !== undefined) return already;
    const checking = check(name, password, address).finally(() => running.delete(same));
    running.set(same, checking);
    return checking;
  }

  async function check(name: string, password: string, address: string): Promise<Account> {
    const attempt = attempts.begin(name, address);
    try {
      if (attempt.waitMs > 0) await sleep(clock, attempt.waitMs);
      attempt.enter();
      const account = await findAccount(records, name);
      const right = await passwords.verify(password, account?.passwordHash, {
        begin: () => attempt.check(),
        end: (matches) => {
          if (!matches) attempt.failed();
        },
      });
      if (account === undefined || !right) throw fail('CREDENTIALS_WRONG', name);
      attempt.succeeded();
      verified.remember(account, password, address);
      return account;
    } finally {
      attempt.end();
    }
  }

  /** Returns the account when its password was verified lately from the same network. */
  async function recognise(name: string, password: string, address: string): Promise<Account | undefined> {
    if (!attempts.mayRecognise(name, address)) return undefined;
    const account = await findAccount(records, name);
    return account !== undefined && verified.recognises(account, password, address) ? account : undefined;
  }

  return {
    async check(name, password, address) {
      if (name === undefined || password === undefined || password.length > PASSWORD_CHARACTERS) {
        throw fail('CREDENTIALS_WRONG', name ?? null);
      }
      return (await recognise(name, password, address)) ?? checkOnce(name, password, address);
    },
    async recognises(name, password, address) {
      if (name === undefined || password === undefined || password.length > PASSWORD_CHARACTERS) return false;
      return (await recognise(name, password, address)) !== undefined;
    },
  };
}
