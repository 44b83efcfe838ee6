/** User accounts as records of the grid, so that every thread and every service in front of a cluster sees them. */
import { chain, type MaybePromise } from '../../base/maybe-promise.ts';
import type { Records } from '../../grid/grid.ts';

export interface Account {
  readonly name: string;
  /**
   * UUID of the user, the `securitySubjectId` of all sessions. A user that is removed and added again gets a new one.
   */
  readonly id: string;
  /** Argon2id hash in PHC string format. */
  readonly passwordHash: string;
  /** Changes with the password; sessions with a different stamp have ended. */
  readonly stamp: string;
  /** The encrypted password; only present after a login to a cluster that stores the users itself. */
  readonly encrypted?: string;
  /** Names of the roles assigned to the user, or undefined if the configuration decides. */
  readonly roles?: readonly string[];
}

/** Returns a user's account, or undefined if there is none. */
export function findAccount(records: Records, name: string): MaybePromise<Account | undefined> {
  return chain(records.get('user', name), (content) => (content === undefined ? undefined : decode(name, content)));
}

/** Returns a user's current account, or undefined if there is none. */
export type FindAccount = (user: string) => MaybePromise<Account | undefined>;

/** Returns an account with assigned roles, or undefined if the configuration decides. */
export function withRoles(account: Account, roles: readonly string[] | undefined): Account {
  const { roles: _, ...others } = account;
  return roles === undefined ? others : { ...others, roles: [...new Set(roles)] };
}

/** Stores a new account; resolves with false if the name is taken. */
export function addAccount(records: Records, account: Account): Promise<boolean> {
  return records.add('user', account.name, contentOf(account));
}

/** Stores a changed account. */
export function replaceAccount(records: Records, account: Account): Promise<void> {
  return records.put('user', account.name, contentOf(account));
}

/** Removes an account; resolves with false if there was none. */
export async function removeAccount(records: Records, name: string): Promise<boolean> {
  return (await records.remove('user', name)) !== undefined;
}

/** Returns all accounts. */
export async function listAccounts(records: Records): Promise<readonly Account[]> {
  return (await records.list('user')).map(({ id, content }) => decode(id, content));
}

/** Returns the content of an account's record. */
export function contentOf({ id, passwordHash, stamp, roles }: Account): string {
  return JSON.stringify({ id, passwordHash, stamp, ...(roles !== undefined && { roles }) });
}

function decode(name: string, content: string): Account {
  const record: unknown = JSON.parse(content);
  if (
    typeof record === 'object' &&
    record !== null &&
    'id' in record &&
    'passwordHash' in record &&
    'stamp' in record &&
    typeof record.id === 'string' &&
    typeof record.passwordHash === 'string' &&
    typeof record.stamp === 'string'
  ) {
    const { id, passwordHash, stamp } = record;
    return { name, id, passwordHash, stamp, ...('roles' in record && { roles: rolesIn(record.roles) }) };
  }
  throw new Error('The record of a user is damaged');
}

function rolesIn(names: unknown): readonly string[] {
  if (Array.isArray(names) && names.every((name) => typeof name === 'string')) return names;
  throw new Error('The record of a user is damaged');
}
