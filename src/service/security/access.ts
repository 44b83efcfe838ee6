/** Lists users, roles and sessions: all for user managers, only their own for others. Ends sessions. */
import { gridError } from '../../base/errors.ts';
import { isoTime } from '../../base/iso-time.ts';
import { compareTexts } from '../../base/text-order.ts';
import type { AccessService, Caller, SessionDescription, UserDescription } from '../../commands/context.ts';
import type { Records } from '../../grid/grid.ts';
import { type Account, listAccounts } from './accounts.ts';
import type { Permissions } from './permissions.ts';
import type { RoleChanges } from './role-changes.ts';
import { type ListedSession, type Sessions, sessionIdOf } from './sessions.ts';
import { listStoredRoles } from './stored-roles.ts';
import { hasOwnLogin } from './users.ts';

export interface AccessOptions {
  readonly records: Records;
  readonly sessions: Sessions;
  readonly permissions: Pick<Permissions, 'manages' | 'rolesOf' | 'describeRoles'>;
  readonly roleChanges: RoleChanges;
  /** The built-in user. */
  readonly defaultUser: string;
  /** Returns the reason why users cannot be listed, or undefined if the records have them. */
  readonly unlistedUsers?: string;
}

/** Creates the access service for a service with authentication. */
export function createAccessService(options: AccessOptions): AccessService {
  const { records, sessions, permissions, roleChanges, defaultUser, unlistedUsers } = options;
  const notAllowed = (caller: Caller) => gridError('USER_MANAGEMENT_FORBIDDEN', caller.user);

  /** Returns the user that a caller asks about, or undefined for all. Throws USER_MANAGEMENT_FORBIDDEN. */
  async function shownTo(caller: Caller, user: string | undefined): Promise<string | undefined> {
    if (await permissions.manages(caller)) return user;
    if (!hasOwnLogin(caller) || (user !== undefined && user !== caller.user)) throw notAllowed(caller);
    return caller.user;
  }

  const describeUser = ({ name, roles }: Pick<Account, 'name' | 'roles'>): UserDescription => ({
    name,
    ...permissions.rolesOf({ user: name, assigned: roles }),
    isDefault: name === defaultUser,
  });

  return {
    async users(caller) {
      const shown = await shownTo(caller, undefined);
      if (shown !== undefined) {
        const { roles, rolesFrom } = permissions.rolesOf(caller);
        return [{ name: shown, roles, rolesFrom, isDefault: shown === defaultUser }];
      }
      if (unlistedUsers !== undefined) throw gridError('NOT_SUPPORTED', 'a list of the users', unlistedUsers);
      return (await listAccounts(records)).map(describeUser).sort((a, b) => compareTexts(a.name, b.name));
    },

    checkRoles: roleChanges.check,
    changeRoles: roleChanges.change,

    async roles(caller) {
      const manages = await permissions.manages(caller);
      const accounts = manages ? await listAccounts(records) : [{ name: caller.user, roles: caller.assigned }];
      const assigned = accounts.flatMap(({ name, roles }) => (roles === undefined ? [] : [[name, roles] as const]));
      const all = permissions.describeRoles(await listStoredRoles(records), new Map(assigned));
      if (manages) return all;
      const own = new Set(permissions.rolesOf(caller).roles);
      // Only user managers may know who else has a role.
      return all
        .filter(({ name }) => own.has(name))
        .map((role) => ({ ...role, users: role.users.filter((user) => user === caller.user) }));
    },

    async sessions(caller, user, limit) {
      const current = caller.token === null ? undefined : sessionIdOf(caller.token);
      const listed = await sessions.list(await shownTo(caller, user), limit);
      return listed.map((session) => describeSession(session, session.id === current));
    },

    async endSession(caller, id) {
      const owner = await sessions.userOf(id);
      const isOwn = hasOwnLogin(caller) && owner === caller.user;
      if (owner === undefined || (!isOwn && !(await permissions.manages(caller))))
        throw gridError('SESSION_NOT_FOUND', id);
      const ended = await sessions.end([id]);
      if (ended === 0) throw gridError('SESSION_NOT_FOUND', id);
      return ended;
    },

    async endSessions(caller, user) {
      const listed = await sessions.list(await shownTo(caller, user), Number.POSITIVE_INFINITY);
      return sessions.end(listed.map(({ id }) => id));
    },
  };
}

function describeSession(
  { id, user, startedAtMs, address, usedAtMs, expiresAtMs }: ListedSession,
  current: boolean,
): SessionDescription {
  return {
    id,
    user,
    address: address ?? null,
    startedAt: isoTime(startedAtMs),
    lastUsedAt: isoTime(usedAtMs),
    expiresAt: new Date(expiresAtMs).toISOString(),
    current,
  };
}
