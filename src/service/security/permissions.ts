/**
 * Permissions by role: commands, and rights on caches, counters, tasks and administration. The configuration declares
 * roles; a user without one may do everything but manage users, change the state of the cluster and make backups.
 */
import { fail } from '../../base/errors.ts';
import type { CommandDeclaration, Permission } from '../../commands/command.ts';
import type { CompatibilityFlags } from '../../commands/compatibility-flags.ts';
import type { Caller, RoleDescription } from '../../commands/context.ts';
import { cacheNamesOf } from '../../commands/params.ts';
import type { Caches } from '../../grid/grid.ts';
import { namedTables } from '../../grid/table-names.ts';
import { analyze, type TableName } from '../../sql/analysis/analysis.ts';
import { KeyScopes } from './api-keys/key-scopes.ts';
import {
  ADMIN,
  compileRole,
  DEFAULT_SCHEMA,
  describeRole,
  EVERY_CACHE,
  type Role,
  type RoleDeclaration,
  USER,
  USER_OF_IGNITE,
} from './roles.ts';
import { type CacheGrant, type CacheRight, type FoundTable, grantsOf } from './statement-access.ts';

/** The part `permissions` of the configuration. */
export interface PermissionDeclaration {
  /**
   * Roles in addition to `admin` (everything) and `user` (everything but users, backups and the state of the cluster).
   */
  readonly roles?: Readonly<Record<string, RoleDeclaration>>;
  /** Roles by user; the default user is always `admin`. */
  readonly users?: Readonly<Record<string, readonly string[]>>;
  /** Roles of all other users; default: `user`. */
  readonly others?: readonly string[];
}

export interface PermissionOptions {
  readonly declaration: PermissionDeclaration;
  readonly defaultUser: string;
  readonly defaultCache: string;
  readonly compatibilityFlags: CompatibilityFlags;
  /** Returns the cache of an SQL table, as {@link Caches.cacheOfTable} does. */
  readonly cacheOfTable: Caches['cacheOfTable'];
  readonly commands: readonly CommandDeclaration[];
  /** Roles that tokens of an identity provider may grant. */
  readonly tokenRoles?: readonly string[];
}

export interface Permissions {
  /** Throws PERMISSION_DENIED, naming the missing permission. */
  check(caller: Caller, command: CommandDeclaration, args: Readonly<Record<string, unknown>>): void;
  /** Reports whether the caller may add, change and remove other users: the user, and the API key if there is one. */
  manages(caller: Caller): boolean;
  /** Returns the names of a user's roles. */
  roleNames(user: string): readonly string[];
  /** Returns all roles, those that are built in first. */
  describeRoles(): readonly RoleDescription[];
  /** Reports whether a user may manage users, and uses the share that is reserved for administrators. */
  isAdministrator(user: string): boolean;
}

/** Creates the permissions. Throws an Error that names the place of an invalid role, command, group or right. */
export function createPermissions(options: PermissionOptions): Permissions {
  const { declaration, defaultUser, compatibilityFlags, commands } = options;
  const roles = new Map([
    ['admin', compileRole('permissions.roles.admin', ADMIN, commands, false)],
    ['user', compileRole('permissions.roles.user', userRole(compatibilityFlags), commands, true)],
  ]);
  for (const [name, role] of Object.entries(declaration.roles ?? {})) {
    const place = `permissions.roles.${name}`;
    if (roles.has(name)) throw new Error(`${place}: this role is built in`);
    roles.set(name, compileRole(place, role, commands, false));
  }
  const named = (names: readonly string[], place: string) =>
    names.map((name) => {
      const role = roles.get(name);
      if (role === undefined) {
        throw new Error(`${place}: there is no role ${name}; there are ${[...roles.keys()].join(', ')}`);
      }
      return role;
    });
  const others = named(declaration.others ?? ['user'], 'permissions.others');
  const users = new Map(
    Object.entries(declaration.users ?? {}).map(([user, names]) => [user, named(names, `permissions.users.${user}`)]),
  );
  users.set(defaultUser, named(['admin'], ''));
  named(options.tokenRoles ?? [], 'jwt.roles');
  const rolesOf = (user: string) => users.get(user) ?? others;
  const rolesOfCaller = ({ user, roles: given }: Caller): readonly Role[] =>
    given === undefined ? rolesOf(user) : given.flatMap((name) => roles.get(name) ?? []);
  const scopes = new KeyScopes(commands);
  const mayManage = (role: Role) => role.administration.has('users');

  return {
    ...roleReaders(options),

    isAdministrator: (user) => rolesOf(user).some(mayManage),

    manages: (caller) =>
      rolesOfCaller(caller).some(mayManage) && (caller.key === undefined || mayManage(scopes.roleOf(caller.key))),

    check(caller, command, args) {
      if (command.needs === 'open' || command.needs === 'login') return;
      const own = rolesOfCaller(caller).filter((role) => role.commands.has(command.name));
      const denied = (missing: string) => fail('PERMISSION_DENIED', caller.user, missing);
      if (own.length === 0) throw denied(`command ${command.name}`);
      const { key } = caller;
      const scope = key === undefined ? undefined : scopes.roleOf(key);
      const notInScope = (missing: string) => denied(`${missing} in the scope of the API key ${key?.id}`);
      if (scope?.commands.has(command.name) === false) throw notInScope(`command ${command.name}`);
      if (scope !== undefined && command.guardedFromKeys === true && !mayManage(scope)) {
        throw notInScope('administration users');
      }
      for (const required of requirementsOf(command, args, options)) {
        if (!own.some((role) => required.isIn(role))) throw denied(required.text);
        if (scope !== undefined && !required.isIn(scope)) throw notInScope(required.text);
      }
    },
  };
}

/** Returns functions that describe roles, and who has them. */
function roleReaders({
  declaration: { roles, users, others = ['user'] },
  defaultUser,
  compatibilityFlags,
}: PermissionOptions): Pick<Permissions, 'roleNames' | 'describeRoles'> {
  const named = new Map(Object.entries(users ?? {})).set(defaultUser, ['admin']);
  const declared: Readonly<Record<string, RoleDeclaration>> = {
    admin: ADMIN,
    user: userRole(compatibilityFlags),
    ...roles,
  };
  return {
    roleNames: (user) => named.get(user) ?? others,
    describeRoles: () =>
      Object.entries(declared).map(([name, role]) => ({
        ...describeRole(name, role),
        users: [...named].filter(([, names]) => names.includes(name)).map(([user]) => user),
        others: others.includes(name),
      })),
  };
}

function userRole({ everybodyChangesState }: CompatibilityFlags): RoleDeclaration {
  return everybodyChangesState ? USER_OF_IGNITE : USER;
}

/** What one of the user's roles must allow beyond the command. */
interface Requirement {
  /** The text of the error. */
  readonly text: string;
  isIn(role: Role): boolean;
}

const RIGHT_OF: Readonly<Record<Permission, CacheRight | undefined>> = {
  open: undefined,
  login: undefined,
  session: undefined,
  cacheRead: 'read',
  cachePut: 'put',
  cacheRemove: 'remove',
  cacheCreate: 'create',
  cacheDestroy: 'destroy',
  counter: undefined,
  taskExecute: undefined,
  adminState: undefined,
  adminUsers: undefined,
  adminLog: undefined,
  adminBackup: undefined,
};

const NONE: readonly Requirement[] = [];

/** Returns what a command with these arguments needs beyond permission for the command. */
function requirementsOf(
  command: CommandDeclaration,
  args: Readonly<Record<string, unknown>>,
  { defaultCache, compatibilityFlags, cacheOfTable }: PermissionOptions,
): readonly Requirement[] {
  const text = (name = '') => (typeof args[name] === 'string' ? args[name] : undefined);
  switch (command.needs) {
    case 'counter': {
      const name = text(command.subject) ?? '';
      return [{ text: `counter ${name}`, isIn: (role) => role.counter(name) }];
    }
    case 'taskExecute': {
      const name = text(command.subject) ?? '';
      return [{ text: `task ${name}`, isIn: (role) => role.task(name) }];
    }
    case 'adminState':
      return [{ text: 'administration state', isIn: (role) => role.administration.has('state') }];
    case 'adminUsers':
      return [
        {
          text: 'administration users',
          isIn: (role) => role.rejectedByUserService || role.administration.has('users'),
        },
      ];
    case 'adminLog':
      return [{ text: 'administration log', isIn: (role) => role.administration.has('log') }];
    case 'adminBackup':
      return [{ text: 'administration backup', isIn: (role) => role.administration.has('backup') }];
  }
  const right = RIGHT_OF[command.needs];
  if (right === undefined) return NONE;
  const { rightsOn } = command;
  const named = text('cacheName');
  if (rightsOn === 'statement') {
    const analysis = analyze(text(command.subject) ?? '');
    const cache = named ?? defaultCache;
    return grantsOf(analysis, (table) => findTable(table, cache, cacheOfTable)).map(grantRequirement);
  }
  if (rightsOn === 'listed') {
    const names = cacheNamesOf(named ?? defaultCache, defaultCache);
    return (names ?? [undefined]).map((cache) => grantRequirement({ cache, rights: [right] }));
  }
  const table = text('table');
  if (rightsOn === 'table' && table !== undefined) {
    const found = findNamedTable(table, named ?? defaultCache, cacheOfTable);
    const reason = found === undefined ? `${table} is not known as the table of a cache` : undefined;
    return [grantRequirement({ ...found, rights: [right], ...(reason !== undefined && { reason }) })];
  }
  if (rightsOn === 'every') return [grantRequirement({ cache: undefined, rights: [right] })];
  const metadataOfAll = rightsOn === 'namedOrEvery' && compatibilityFlags.metadataAsArray;
  const cache = named ?? (metadataOfAll ? EVERY_CACHE : defaultCache);
  const isEvery = rightsOn === 'namedOrEvery' && cache === EVERY_CACHE;
  return [grantRequirement({ cache: isEvery ? undefined : cache, rights: [right] })];
}

/** Returns the first table that a written name may mean; undefined if none is the table of a cache. */
function findNamedTable(written: string, cache: string, cacheOfTable: Caches['cacheOfTable']): FoundTable | undefined {
  for (const table of namedTables(written)) {
    const found = findTable(table, cache, cacheOfTable);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Returns the cache of a table, and its name as `SCHEMA.NAME`. A name without a schema is one of a statement over
 * `cache`, whose schema is only known here if it is the default one.
 */
function findTable(
  { schema, name }: TableName,
  over: string,
  cacheOfTable: Caches['cacheOfTable'],
): FoundTable | undefined {
  const cache = cacheOfTable({ schema, name }, over);
  if (cache === undefined) return undefined;
  if (schema !== undefined) return { cache, table: `${schema}.${name}` };
  const isPublic = cacheOfTable({ schema: DEFAULT_SCHEMA, name }, over) === cache;
  return isPublic ? { cache, table: `${DEFAULT_SCHEMA}.${name}` } : { cache };
}

function grantRequirement({ cache, table, rights, reason }: CacheGrant): Requirement {
  const text = `${rights.join(', ')} on cache ${cache ?? EVERY_CACHE}${reason === undefined ? '' : ` (${reason})`}`;
  if (cache === undefined) return { text, isIn: (role) => rights.every((right) => role.everywhere.has(right)) };
  return {
    text,
    isIn: ({ caches, tables }) =>
      rights.every(
        (right) =>
          caches.some((each) => each.rights.has(right) && each.matches(cache)) ||
          (table !== undefined && tables.some((each) => each.rights.has(right) && each.matches(table))),
      ),
  };
}
