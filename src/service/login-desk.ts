/** Checks of names and passwords; one in the process, so that its limits hold over all threads. */
import crypto from 'node:crypto';
import { type Clock, randomBytes, sleep } from '../base/clock.ts';
import { fail } from '../base/errors.ts';
import type { Records } from '../grid/grid.ts';
import { type Account, findAccount } from './accounts.ts';
import type { Attempts } from './attempts.ts';
import type { PasswordDesk } from './passwords.ts';

export interface LoginDesk {
  /** The account; refuses CREDENTIALS_WRONG and TOO_MANY_ATTEMPTS. An absent name or password is wrong. */
  check(name: string | undefined, password: string | undefined, address: string): Promise<Account>;
}

export interface LoginOptions {
  readonly records: Records;
  readonly clock: Clock;
  readonly attempts: Attempts;
  readonly passwords: PasswordDesk;
}

/** Longer ones cannot have been set. */
export const PASSWORD_CHARACTERS = 1_024;
const REMEMBERED = 1_000;
const REMEMBERED_MS = 300_000;

interface Verified {
  readonly mac: Buffer;
  readonly account: Account;
  readonly untilMs: number;
}

/**
 * Clients may send credentials with every request, so a password that was verified lately is recognised by a keyed
 * hash whose key is born with the process. A wrong one always takes the slow way.
 */
export function createLoginDesk({ records, clock, attempts, passwords }: LoginOptions): LoginDesk {
  const key = randomBytes(32);
  const verified = new Map<string, Verified>();
  const macOf = (password: string) => crypto.createHmac('sha256', key).update(password).digest();

  function recognised(account: Account, password: string): boolean {
    const entry = verified.get(account.name);
    if (entry === undefined || entry.untilMs <= clock.monotonicMs()) return false;
    const same = entry.account.id === account.id && entry.account.stamp === account.stamp;
    return same && crypto.timingSafeEqual(entry.mac, macOf(password));
  }

  function remember(account: Account, password: string): void {
    verified.delete(account.name);
    for (const oldest of verified.keys()) {
      if (verified.size < REMEMBERED) break;
      verified.delete(oldest);
    }
    verified.set(account.name, { mac: macOf(password), account, untilMs: clock.monotonicMs() + REMEMBERED_MS });
  }

  /** The slow way; those who ask the same at the same time share one check. */
  const running = new Map<string, Promise<Account>>();
  function checkOnce(name: string, password: string, address: string, hasWaited: boolean): Promise<Account> {
    const same = `${macOf(password).toString('hex')} ${name}`;
    const already = running.get(same);
    if (already !== undefined) return already;
    const checking = check(name, password, address, hasWaited).finally(() => running.delete(same));
    running.set(same, checking);
    return checking;
  }

  async function check(name: string, password: string, address: string, hasWaited: boolean): Promise<Account> {
    const account = await findAccount(records, name);
    const right = await passwords.verify(password, account?.passwordHash, {
      begin: () => attempts.check(name, address, hasWaited),
      end: (matches) => {
        if (!matches) attempts.failed(name, address);
      },
    });
    if (account === undefined || !right) throw fail('CREDENTIALS_WRONG', name);
    remember(account, password);
    return account;
  }

  return {
    async check(name, password, address) {
      if (name === undefined || password === undefined || password.length > PASSWORD_CHARACTERS) {
        throw fail('CREDENTIALS_WRONG', name ?? null);
      }
      const waitMs = attempts.begin(name, address);
      if (waitMs > 0) await sleep(clock, waitMs);
      const account = await findAccount(records, name);
      if (account !== undefined && recognised(account, password)) return account;
      return checkOnce(name, password, address, waitMs > 0);
    },
  };
}
