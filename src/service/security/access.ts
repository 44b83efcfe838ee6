/** Lists users, roles and sessions: all for those who manage users, to others only what is theirs. Ends sessions. */
import { fail } from '../../base/errors.ts';
import type { AccessService, Caller, SessionDescription, UserDescription } from '../../commands/context.ts';
import type { Records } from '../../grid/grid.ts';
import type { Permissions } from './permissions.ts';
import { type ListedSession, type Sessions, sessionIdOf } from './sessions.ts';
import { hasOwnLogin } from './users.ts';

export interface AccessOptions {
  readonly records: Records;
  readonly sessions: Sessions;
  readonly permissions: Pick<Permissions, 'manages' | 'roleNames' | 'describeRoles'>;
  /** The user that always exists. */
  readonly defaultUser: string;
  /** Returns why users cannot be listed; undefined: the records have them. */
  readonly unlistedUsers?: string;
}

/** Creates the service of a service with authentication. */
export function createAccessService(options: AccessOptions): AccessService {
  const { records, sessions, permissions, defaultUser, unlistedUsers } = options;
  const notAllowed = (caller: Caller) => fail('USER_MANAGEMENT_FORBIDDEN', caller.user);

  /** Returns the user about whom a caller asks; undefined: all. Throws USER_MANAGEMENT_FORBIDDEN. */
  function shownTo(caller: Caller, user: string | undefined): string | undefined {
    if (permissions.manages(caller)) return user;
    if (!hasOwnLogin(caller) || (user !== undefined && user !== caller.user)) throw notAllowed(caller);
    return caller.user;
  }

  const describeUser = (name: string): UserDescription => ({
    name,
    roles: permissions.roleNames(name),
    isDefault: name === defaultUser,
  });

  return {
    async users(caller) {
      const shown = shownTo(caller, undefined);
      if (shown !== undefined) return [describeUser(shown)];
      if (unlistedUsers !== undefined) throw fail('NOT_SUPPORTED', 'a list of the users', unlistedUsers);
      return (await records.list('user')).map(({ id }) => describeUser(id)).sort((a, b) => order(a.name, b.name));
    },

    roles(caller) {
      const all = permissions.describeRoles();
      if (permissions.manages(caller)) return all;
      const own = new Set(caller.roles ?? permissions.roleNames(caller.user));
      // Who else has a role concerns only those who manage users.
      return all
        .filter(({ name }) => own.has(name))
        .map((role) => ({ ...role, users: role.users.filter((user) => user === caller.user) }));
    },

    async sessions(caller, user, limit) {
      const current = caller.token === null ? undefined : sessionIdOf(caller.token);
      const listed = await sessions.list(shownTo(caller, user), limit);
      return listed.map((session) => describeSession(session, session.id === current));
    },

    async endSession(caller, id) {
      const owner = await sessions.userOf(id);
      const isOwn = hasOwnLogin(caller) && owner === caller.user;
      if (owner === undefined || (!isOwn && !permissions.manages(caller))) throw fail('SESSION_NOT_FOUND', id);
      const ended = await sessions.end([id]);
      if (ended === 0) throw fail('SESSION_NOT_FOUND', id);
      return ended;
    },

    async endSessions(caller, user) {
      const listed = await sessions.list(shownTo(caller, user), Number.POSITIVE_INFINITY);
      return sessions.end(listed.map(({ id }) => id));
    },
  };
}

/** The service of a service without authentication. */
export const disabledAccessService: AccessService = {
  users: reject,
  roles: reject,
  sessions: reject,
  endSession: reject,
  endSessions: reject,
};

async function reject(): Promise<never> {
  throw fail('SECURITY_DISABLED');
}

function describeSession(
  { id, user, startedAtMs, address, usedAtMs, expiresAtMs }: ListedSession,
  current: boolean,
): SessionDescription {
  return {
    id,
    user,
    address: address ?? null,
    startedAt: timeOf(startedAtMs),
    lastUsedAt: timeOf(usedAtMs),
    expiresAt: new Date(expiresAtMs).toISOString(),
    current,
  };
}

function timeOf(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}

function order(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
