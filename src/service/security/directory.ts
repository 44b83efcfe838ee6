/**
 * Users that the cluster stores: it verifies passwords, and its own statements change users. The records only contain a
 * stamp for each user changed by a service, so that older sessions end everywhere.
 */

import { type Clock, randomBytes } from '../../base/clock.ts';
import { GridError, gridError } from '../../base/errors.ts';
import { LOGIN_BOUNDS } from '../../base/limits.ts';
import type { MaybePromise, Mutex } from '../../base/maybe-promise.ts';
import type { Caller, UserService } from '../../commands/context.ts';
import type { ClusterState, Records, UserDirectory } from '../../grid/grid.ts';
import { type Account, findAccount, replaceAccount, withRoles } from './accounts.ts';
import type { Attempts } from './attempts.ts';
import type { Authenticator } from './authenticator.ts';
import type { PasswordCipher } from './password-cipher.ts';
import type { SecurityEpoch } from './security-epoch.ts';
import type { Sessions } from './sessions.ts';
import { checkName, checkNewPassword, hasOwnLogin, requireOldPassword } from './users.ts';
import { VerifiedPasswords } from './verified-passwords.ts';

/** The stamp of a user that no service has changed. */
const FIRST_STAMP = '';
/** Time in ms for which a verified password is not verified again. */
const REMEMBERED_MS = 60_000;

/** Accounts of the cluster's users, by name. Only a login finds out whether the cluster has the user. */
export class DirectoryAccounts {
  readonly #records: Records;
  /** The accounts read last, for use while the cluster is inactive and its records cannot be read. */
  readonly #known = new Map<string, Account>();

  constructor(records: Records) {
    this.#records = records;
  }

  /** Returns a user's account, whether the cluster has the user or not. */
  async find(name: string): Promise<Account> {
    try {
      const record = await findAccount(this.#records, name);
      if (record) this.#known.set(name, record);
      else this.#known.delete(name);
    } catch (error) {
      if (!(error instanceof GridError) || error.code !== 'INACTIVE') throw error;
    }
    const { stamp, roles } = this.#known.get(name) ?? { stamp: FIRST_STAMP };
    return { name, id: userIdOf(name), passwordHash: '', stamp, ...(roles !== undefined && { roles }) };
  }

  /** Ends a user's sessions by giving the account a new stamp. */
  async change(name: string, roles: readonly string[] | undefined): Promise<Account> {
    const stamp = Buffer.from(randomBytes(8)).toString('hex');
    const account = withRoles({ name, id: userIdOf(name), passwordHash: '', stamp }, roles);
    await replaceAccount(this.#records, account);
    this.#known.set(name, account);
    return account;
  }
}

/** Returns the id that the cluster assigns to a user: a version 3 UUID of the name. */
export function userIdOf(name: string): string {
  const bytes = Bun.CryptoHasher.hash('md5', name);
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

  function verify(account: Account, password: string, address: string): Promise<void> {
    return attempts.run(account.name, address, async (attempt) => {
      attempt.check();
      if (!(await directory.verify(account.name, password))) {
        attempt.failed();
        throw gridError('CREDENTIALS_WRONG', account.name);
      }
      attempt.succeeded();
      verified.remember(account, password, address);
    });
  }

  return {
    async check(name, password, address) {
      if (name === undefined || password === undefined || password.length > LOGIN_BOUNDS.passwordCharacters) {
        throw gridError('CREDENTIALS_WRONG', name ?? null);
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
  readonly state: () => MaybePromise<ClusterState>;
  readonly sessions: Sessions;
  readonly epoch: SecurityEpoch;
  readonly cipher: PasswordCipher;
  /** Reports whether a caller may add, change and remove other users. */
  readonly manages: (caller: Caller) => MaybePromise<boolean>;
  /** Whether users need their old password to change it. */
  readonly needsOldPassword: boolean;
  /** Runs changes of accounts one after another. */
  readonly changes: Mutex;
  /** As in UserOptions. */
  readonly minimumPasswordLength: number;
  readonly rolesOfNew: readonly string[] | undefined;
  readonly checkRoles: (caller: Caller, user: string, roles: readonly string[]) => Promise<void>;
}

/** Creates the service that changes the cluster's users over the service's own user's connections. */
export function createDirectoryUserService(options: DirectoryUserOptions): UserService {
  const { directory, accounts, sessions, epoch, cipher, manages, needsOldPassword, changes } = options;

  async function requireManager(caller: Caller): Promise<void> {
    if (await manages(caller)) return;
    throw gridError('USER_MANAGEMENT_FORBIDDEN', caller.user);
  }

  async function requireUpdate(caller: Caller, name: string): Promise<void> {
    if (caller.user !== name || !hasOwnLogin(caller)) await requireManager(caller);
    if (needsOldPassword) requireOldPassword(caller, name);
  }

  /**
   * Throws INACTIVE and READ_ONLY. A read-only cluster changes its users, but not the records, so a removed user's
   * sessions or an old password would remain valid.
   */
  async function requireWritable(): Promise<void> {
    const state = await options.state();
    if (state === 'INACTIVE') throw gridError('INACTIVE');
    if (state === 'ACTIVE_READ_ONLY') throw gridError('READ_ONLY', 'user management operation', 'null');
  }

  return {
    async check(caller, { kind, name }) {
      await (kind === 'update' ? requireUpdate(caller, name) : requireManager(caller));
      throw gridError('NOT_SUPPORTED', 'a dry run of a change of users', 'only the nodes of the cluster check it');
    },

    async add(caller, name, password, roles) {
      await requireManager(caller);
      checkName(name);
      checkNewPassword(password, options.minimumPasswordLength);
      await requireWritable();
      await changes(async () => {
        if (roles !== undefined) await options.checkRoles(caller, name, roles);
        await directory.add(name, password);
        // A removed user's sessions and roles must not revive.
        await accounts.change(name, roles ?? options.rolesOfNew);
      });
      epoch.raise();
    },

    async update(caller, name, password) {
      await requireUpdate(caller, name);
      checkNewPassword(password, options.minimumPasswordLength);
      await requireWritable();
      await directory.update(name, password);
      const changed = await changes(async () => accounts.change(name, (await accounts.find(name)).roles));
      const account = { ...changed, encrypted: cipher.encrypt(password) };
      if (caller.user === name && caller.token !== null) await sessions.keep(caller.token, account);
      epoch.raise();
    },

    async remove(caller, name) {
      await requireManager(caller);
      await requireWritable();
      await directory.remove(name);
      await changes(() => accounts.change(name, undefined));
      epoch.raise();
    },
  };
}
