/** User management (docs/spec/ignite-cluster.md 7). */

import { randomBytes, randomUuid } from '../../base/clock.ts';
import { gridError } from '../../base/errors.ts';
import { LOGIN_BOUNDS } from '../../base/limits.ts';
import type { MaybePromise, Mutex } from '../../base/maybe-promise.ts';
import type { Caller, CommandServices, UserChange, UserService } from '../../commands/context.ts';
import type { ClusterState, Records } from '../../grid/grid.ts';
import {
  type Account,
  addAccount,
  findAccount,
  listAccounts,
  removeAccount,
  replaceAccount,
  withRoles,
} from './accounts.ts';
import { isDisguised } from './disguised-names.ts';
import { SEPARATE_PREFIX } from './jwt/jwt-settings.ts';
import type { PasswordService } from './passwords.ts';
import type { SecurityEpoch } from './security-epoch.ts';
import type { Sessions } from './sessions.ts';

export interface UserOptions {
  readonly records: Records;
  readonly state: () => MaybePromise<ClusterState>;
  readonly passwords: PasswordService;
  readonly sessions: Sessions;
  readonly epoch: SecurityEpoch;
  /** The built-in user, whose name is the service's. */
  readonly defaultUser: string;
  /** Reports whether a caller may add, change and remove other users. */
  readonly manages: (caller: Caller) => MaybePromise<boolean>;
  /** Whether users need their old password to change it. */
  readonly needsOldPassword: boolean;
  /** Minimum length of a password that a command sets. */
  readonly minimumPasswordLength: number;
  /** Runs changes of accounts one after another, so that a password change cannot restore a removed user. */
  readonly changes: Mutex;
  /** The roles of a user added without any; if undefined, those that the configuration assigns to all others. */
  readonly rolesOfNew: readonly string[] | undefined;
  /** Throws unless a caller may give the roles to a new user of this name. */
  readonly checkRoles: (caller: Caller, user: string, roles: readonly string[]) => Promise<void>;
  /** Called when a user has been removed. */
  readonly onRemoved?: (user: string) => Promise<void>;
}

/** Creates the user service for a service with authentication; there is one per process. */
export function createUserService(options: UserOptions): UserService {
  const { records, passwords, sessions, epoch, defaultUser, manages, needsOldPassword, changes } = options;

  /** Throws INACTIVE: users cannot change while the cluster is inactive (docs/spec/ignite-cluster.md 2.1). */
  async function requireActive(): Promise<void> {
    if ((await options.state()) === 'INACTIVE') throw gridError('INACTIVE');
  }

  async function requireManager(caller: Caller, name: string): Promise<void> {
    if (!(await manages(caller))) throw gridError('USER_MANAGEMENT_FORBIDDEN', caller.user, name);
  }

  async function change(caller: Caller, name: string, passwordHash: string): Promise<void> {
    const account = await findAccount(records, name);
    if (account === undefined) throw gridError('USER_NOT_FOUND', name);
    const changed: Account = { ...account, passwordHash, stamp: newStamp() };
    await replaceAccount(records, changed);
    if (caller.user === name && caller.token !== null) await sessions.keep(caller.token, changed);
    epoch.raise();
  }

  async function check(caller: Caller, change: UserChange): Promise<void> {
    const { kind, name } = change;
    if (kind !== 'update' || caller.user !== name || !hasOwnLogin(caller)) await requireManager(caller, name);
    if (kind === 'update' && needsOldPassword) requireOldPassword(caller, name);
    await requireActive();
    if (kind === 'remove' && name === defaultUser) throw gridError('DEFAULT_USER_KEPT');
    if (kind === 'add') checkName(name);
    if (kind !== 'remove') checkNewPassword(change.password, options.minimumPasswordLength);
    const exists = (await findAccount(records, name)) !== undefined;
    if (kind === 'add' && exists) throw gridError('USER_EXISTS', name);
    if (kind === 'add' && change.roles !== undefined) await options.checkRoles(caller, name, change.roles);
    if (kind !== 'add' && !exists) throw gridError('USER_NOT_FOUND', name);
  }

  return {
    check,

    async add(caller, name, password, roles) {
      await check(caller, { kind: 'add', name, password, roles });
      const account = withRoles(await newAccount(name, password, passwords), roles ?? options.rolesOfNew);
      const added = await changes(async () => {
        // One may have been removed since: a new role of its name would then apply to the user.
        if (roles !== undefined) await options.checkRoles(caller, name, roles);
        return addAccount(records, account);
      });
      if (!added) throw gridError('USER_EXISTS', name);
    },

    async update(caller, name, password) {
      await check(caller, { kind: 'update', name, password });
      const passwordHash = await passwords.hash(password);
      return changes(() => change(caller, name, passwordHash));
    },

    async remove(caller, name) {
      await check(caller, { kind: 'remove', name });
      const removed = await changes(() => removeAccount(records, name));
      epoch.raise();
      if (!removed) throw gridError('USER_NOT_FOUND', name);
      await options.onRemoved?.(name);
    },
  };
}

const reject = (): Promise<never> => Promise.reject(gridError('SECURITY_DISABLED'));

/** Handles users, API keys, roles and sessions in a service without authentication: rejects every call. */
export const DISABLED_SERVICES: Pick<CommandServices, 'users' | 'apiKeys' | 'access'> = {
  users: { check: reject, add: reject, update: reject, remove: reject },
  apiKeys: { add: reject, list: reject, rotate: reject, remove: reject },
  access: {
    users: reject,
    roles: reject,
    checkRoles: reject,
    changeRoles: reject,
    sessions: reject,
    endSession: reject,
    endSessions: reject,
  },
};

/** Reports whether a caller is authenticated as the user, and not by a key that acts for the user within limits. */
export function hasOwnLogin({ key, isExternal }: Caller): boolean {
  return key === undefined && isExternal === undefined;
}

/** Throws OLD_PASSWORD_MISSING: a person who finds an open session must not be able to lock its user out. */
export function requireOldPassword(caller: Caller, name: string): void {
  if (caller.user === name && caller.byPassword !== true) throw gridError('OLD_PASSWORD_MISSING');
}

/** `jwt:name` is a user of an identity provider, and `name#id` owns what an API key leaves on the service. */
const FORBIDDEN_NAME = new RegExp(`#|^${SEPARATE_PREFIX}`, 'u');

/** Reports whether a name is forbidden for new users. */
function isForbidden(name: string): boolean {
  return FORBIDDEN_NAME.test(name) || isDisguised(name);
}

/** Throws USER_OPERATION for a name that is forbidden for new users. */
export function checkName(name: string): void {
  if (name === '') throw gridError('USER_NAME_EMPTY');
  if (isForbidden(name)) throw gridError('USER_NAME_FORBIDDEN', name);
  if (Buffer.byteLength(name) >= LOGIN_BOUNDS.nameBytes) {
    throw gridError('USER_NAME_TOO_LONG', LOGIN_BOUNDS.nameBytes);
  }
}

/** Returns the names of users stored before their names were forbidden. */
export async function forbiddenNames(records: Records): Promise<readonly string[]> {
  const accounts = await listAccounts(records);
  return accounts.map(({ name }) => name).filter(isForbidden);
}

/** Throws USER_OPERATION for a password that a command must not set. */
export function checkNewPassword(password: string, minimumLength: number): void {
  checkPassword(password);
  if ([...password].length < minimumLength) throw gridError('PASSWORD_TOO_SHORT', minimumLength);
}

/** Throws USER_OPERATION for a password that users must not have. */
export function checkPassword(password: string): void {
  if (password === '') throw gridError('PASSWORD_EMPTY');
  if (password.length > LOGIN_BOUNDS.passwordCharacters) {
    throw gridError('PASSWORD_TOO_LONG', LOGIN_BOUNDS.passwordCharacters);
  }
}

async function newAccount(name: string, password: string, passwords: PasswordService): Promise<Account> {
  return { name, id: randomUuid(), passwordHash: await passwords.hash(password), stamp: newStamp() };
}

function newStamp(): string {
  return randomBytes(8).toHex();
}

/** A configured user, created in a new store. */
export interface UserDeclaration {
  readonly name: string;
  readonly password: string;
}

export interface SeedOptions {
  readonly records: Records;
  readonly passwords: PasswordService;
  readonly defaultUser: string;
  /** Defaults to one of `generated`. */
  readonly adminPassword: string | undefined;
  readonly users: readonly UserDeclaration[];
  /** The default user, if {@link initialAccount} has already created the account. */
  readonly initial?: Account | undefined;
  readonly generated: GeneratedPassword;
}

/** The default user's password if none is given. */
export interface GeneratedPassword {
  /** Returns the password before it is stored. */
  create(): string;
  /** Shows the password; `isAdded` is false if the user already exists, with a different password. */
  tell(user: string, password: string, isAdded: boolean): void;
}

/** The setting of a store whose first users have been created. */
export const SEEDED = 'users.seeded';

type Given = Pick<SeedOptions, 'adminPassword' | 'users' | 'defaultUser'>;

function givenPassword({ adminPassword, users, defaultUser }: Given): string | undefined {
  return adminPassword ?? users.find((user) => user.name === defaultUser)?.password;
}

/** Returns the default user's account in a new store, or undefined if the password will be random. */
export async function initialAccount(options: Given & Pick<SeedOptions, 'passwords'>): Promise<Account | undefined> {
  const given = givenPassword(options);
  return given === undefined ? undefined : newAccount(options.defaultUser, given, options.passwords);
}

/** Creates the first users of a new store; does nothing if the store has been seeded. */
export async function seedUsers(options: SeedOptions): Promise<void> {
  const { records, passwords, defaultUser } = options;
  if ((await records.get('setting', SEEDED)) !== undefined) return;
  const declared = options.users.filter((user) => user.name !== defaultUser);
  for (const { name, password } of declared) {
    checkName(name);
    checkPassword(password);
    await addAccount(records, await newAccount(name, password, passwords));
  }
  const given = givenPassword(options);
  const password = given ?? options.generated.create();
  checkPassword(password);
  const account = options.initial ?? (await newAccount(defaultUser, password, passwords));
  const added = await addAccount(records, account);
  // Last, so that an interrupted startup is repeated; adding an existing user changes nothing.
  await records.put('setting', SEEDED, 'true');
  if (given === undefined) options.generated.tell(defaultUser, password, added);
}
