/**
 * Users that the cluster stores: it verifies passwords, and its own statements change users. Records contain only a
 * stamp for each user whom a service has changed, so that older sessions end everywhere.
 */

import crypto from 'node:crypto';
import { type Clock, randomBytes, sleep } from '../../base/clock.ts';
import { fail, GridError } from '../../base/errors.ts';
import { LOGIN_BOUNDS } from '../../base/limits.ts';
import type { Caller, UserService } from '../../commands/context.ts';
import type { Records, UserDirectory } from '../../grid/grid.ts';
import { type Account, findAccount, replaceAccount } from './accounts.ts';
import type { Attempts } from './attempts.ts';
import type { Authenticator } from './authenticator.ts';
import type { PasswordCipher } from './password-cipher.ts';
import type { SecurityEpoch } from './security-epoch.ts';
import type { Sessions } from './sessions.ts';
import { hasOwnLogin } from './users.ts';
import { VerifiedPasswords } from './verified-passwords.ts';

/** The stamp of a user that no service has changed. */
const FIRST_STAMP = '';
/** Time in ms for which a verified password is not verified again. */
const REMEMBERED_MS = 60_000;

/** Accounts of the cluster's users, by name. Only a login finds out whether the cluster has the user. */
export class DirectoryAccounts {
  readonly #records: Records;
  /** The stamps last read, for use while the cluster is inactive and its records cannot be read. */
  readonly #stamps = new Map<string, string>();

  constructor(records: Records) {
    this.#records = records;
  }

  /** Returns the account of a user, whether the cluster has the user or not. */
  async find(name: string): Promise<Account> {
    try {
      const record = await findAccount(this.#records, name);
      if (record) this.#stamps.set(name, record.stamp);
      else this.#stamps.delete(name);
    } catch (error) {
      if (!(error instanceof GridError) || error.code !== 'INACTIVE') throw error;
    }
    return { name, id: userIdOf(name), passwordHash: '', stamp: this.#stamps.get(name) ?? FIRST_STAMP };
  }

  /** Ends the sessions of a user by giving the account a new stamp. */
  async change(name: string): Promise<Account> {
    const account = { name, id: userIdOf(name), passwordHash: '', stamp: Buffer.from(randomBytes(8)).toString('hex') };
    await replaceAccount(this.#records, account);
    this.#stamps.set(name, account.stamp);
    return account;
  }
}

/** Returns the id that the cluster assigns to a user: a version 3 UUID of the name. */
export function userIdOf(name: string): string {
  const bytes = crypto.createHash('md5').update(name, 'utf8').digest();
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x30;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

export interface DirectoryAuthenticatorOptions {
  readonly directory: UserDirectory;
  readonly accounts: DirectoryAccounts;
  readonly clock: Clock;
  readonly attempts: Attempts;
  readonly cipher: PasswordCipher;
}

/** Creates the authenticator for the cluster's users. Accounts contain the encrypted password, to open connections. */
export function createDirectoryAuthenticator(options: DirectoryAuthenticatorOptions): Authenticator {
  const { directory, accounts, clock, attempts, cipher } = options;
  const verified = new VerifiedPasswords(clock, REMEMBERED_MS);

  async function verify(account: Account, password: string, address: string): Promise<void> {
    const attempt = attempts.begin(account.name, address);
    try {
      if (attempt.waitMs > 0) await sleep(clock, attempt.waitMs);
      attempt.enter();
      attempt.check();
      if (!(await directory.verify(account.name, password))) {
        attempt.failed();
        throw fail('CREDENTIALS_WRONG', account.name);
      }
      attempt.succeeded();
      verified.remember(account, password, address);
    } finally {
      attempt.end();
    }
  }

  return {
    async check(name, password, address) {
      if (name === undefined || password === undefined || password.length > LOGIN_BOUNDS.passwordCharacters) {
        throw fail('CREDENTIALS_WRONG', name ?? null);
      }
      const account = await accounts.find(name);
      const known = attempts.mayRecognise(name, address) && verified.recognises(account, password, address);
      if (!known) await verify(account, password, address);
      return { ...account, encrypted: cipher.encrypt(password) };
    },
  };
}

export interface DirectoryUserOptions {
  readonly directory: UserDirectory;
  readonly accounts: DirectoryAccounts;
  readonly sessions: Sessions;
  readonly epoch: SecurityEpoch;
  readonly cipher: PasswordCipher;
  /** Reports whether a caller may add, change and remove other users. */
  readonly manages: (caller: Caller) => boolean;
}

/** Creates the service that changes the cluster's users over the connections of the service's own user. */
export function createDirectoryUserService(options: DirectoryUserOptions): UserService {
  const { directory, accounts, sessions, epoch, cipher, manages } = options;

  function requireManager(caller: Caller): void {
    if (manages(caller)) return;
    throw fail('USER_MANAGEMENT_FORBIDDEN', caller.user);
  }

  return {
    async check(caller, { kind, name }) {
      if (kind !== 'update' || caller.user !== name || !hasOwnLogin(caller)) requireManager(caller);
      throw fail('NOT_SUPPORTED', 'a dry run of a change of users', 'only the nodes of the cluster check it');
    },

    async add(caller, name, password) {
      requireManager(caller);
      await directory.add(name, password);
      // Sessions of a removed user with this name must not revive.
      await accounts.change(name);
      epoch.raise();
    },

    async update(caller, name, password) {
      if (caller.user !== name || !hasOwnLogin(caller)) requireManager(caller);
      await directory.update(name, password);
      const account = { ...(await accounts.change(name)), encrypted: cipher.encrypt(password) };
      if (caller.user === name && caller.token !== null) await sessions.keep(caller.token, account);
      epoch.raise();
    },

    async remove(caller, name) {
      requireManager(caller);
      await directory.remove(name);
      await accounts.change(name);
      epoch.raise();
    },
  };
}
