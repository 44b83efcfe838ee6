/**
 * Permissions by role: commands, and rights on caches, counters, tasks and administration. The configuration declares
 * roles, and commands store others. Users to whom neither the configuration nor a command assigns roles have those of
 * `permissions.others`. The configuration of a role or a user takes precedence over stored roles.
 */
import type { RequestCompatibility } from '../../base/compatibility.ts';
import { gridError } from '../../base/errors.ts';
import { chain, type MaybePromise } from '../../base/maybe-promise.ts';
import type { CommandDeclaration, Permission } from '../../commands/command.ts';
import type { Caller, CallerKnowledge, RoleDescription, UserDescription } from '../../commands/context.ts';
import { cacheNamesOf } from '../../commands/params.ts';
import { TASKS_ON_CACHES } from '../../commands/task/cache-tasks.ts';
import type { Caches } from '../../grid/grid.ts';
import type { StatementGrant } from '../../grid/statement-grant.ts';
import { ENTRIES_TABLE, namedTables } from '../../grid/table-names.ts';
import { analyze, type TableName } from '../../sql/analysis/analysis.ts';
import { KeyScopes } from './api-keys/key-scopes.ts';
import { knowledgeFrom, knowsCounters, mayManage, mayMonitor } from './knowledge.ts';
import {
  ADMIN,
  type AdministrationRight,
  compileRole,
  DEFAULT_SCHEMA,
  describeRole,
  EVERY_CACHE,
  includesRole,
  type ReportMistake,
  type Role,
  type RoleDeclaration,
  throwMistake,
  USER,
  USER_OF_IGNITE,
} from './roles.ts';
import {
  asOnCluster,
  type CacheGrant,
  type CacheRight,
  CHANGE,
  clusterViewsOf,
  type FoundTable,
  grantsOf,
  READ,
  rightsOfStatement,
  type ViewSubject,
} from './statement-access.ts';
import type { StoredRoles } from './stored-roles.ts';

/** The configuration section `permissions`. */
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
  readonly compatibility: RequestCompatibility;
  /** Returns the cache of an SQL table, as {@link Caches.cacheOfTable} does. */
  readonly cacheOfTable: Caches['cacheOfTable'];
  /** Whether system views belong to a cluster. Default: false. */
  readonly isCluster?: boolean;
  readonly commands: readonly CommandDeclaration[];
  /** Roles that an identity provider's tokens may grant. */
  readonly tokenRoles?: readonly string[];
  /** The roles stored by commands. */
  readonly storedRoles: Pick<StoredRoles, 'find' | 'atHand'>;
}

/** A user with the roles assigned by a command. */
export type AssignedUser = Pick<Caller, 'user' | 'assigned'>;

export interface Permissions {
  /**
   * Returns the objects that the command's statement may read and change; undefined means everything. Throws
   * PERMISSION_DENIED, naming the missing permission.
   */
  check(
    caller: Caller,
    command: CommandDeclaration,
    args: Readonly<Record<string, unknown>>,
  ): MaybePromise<StatementGrant | undefined>;
  /** Checks that the caller may read the page of metrics. Throws PERMISSION_DENIED. */
  checkMonitoring(caller: Caller): Promise<void>;
  /** Returns the information that a caller may see, whose permission has just been checked: the roles are at hand. */
  knowledgeOf(caller: Caller): CallerKnowledge;
  /** Reports whether the caller may add, change and remove other users: the user and, if there is one, the API key. */
  manages(caller: Caller): MaybePromise<boolean>;
  /**
   * Reports whether one of the caller's roles and, if there is one, the API key permit everything that
   * another role does.
   */
  includes(caller: Caller, other: Role): MaybePromise<boolean>;
  /** Returns a configured or built-in role. */
  declaredRole(name: string): Role | undefined;
  /** Returns the names of a caller's roles, and their source. */
  rolesOf(caller: AssignedUser & Pick<Caller, 'roles'>): Pick<UserDescription, 'roles' | 'rolesFrom'>;
  /** Returns all roles: built-in, configured and stored ones. */
  describeRoles(
    stored: ReadonlyMap<string, RoleDeclaration>,
    assigned: ReadonlyMap<string, readonly string[]>,
  ): readonly RoleDescription[];
  /** Reports whether a user may manage users, and use the share reserved for administrators. */
  isAdministrator(user: string, assigned?: readonly string[]): boolean;
}

/** Creates the permissions. Throws an Error that names the location of an invalid role, command, group or right. */
export function createPermissions(options: PermissionOptions): Permissions {
  const { commands, storedRoles } = options;
  const { roles, others, users } = declaredRoles(options);
  const configuredRolesOf = ({ user, assigned }: AssignedUser): readonly Role[] | undefined =>
    users.get(user) ?? (assigned === undefined ? others : undefined);
  const rolesOfCaller = (caller: Caller): MaybePromise<readonly Role[]> => {
    const { roles: given } = caller;
    if (given !== undefined) return given.flatMap((name) => roles.get(name) ?? []);
    return (
      configuredRolesOf(caller) ??
      found((caller.assigned ?? []).map((name) => roles.get(name) ?? storedRoles.find(name)))
    );
  };
  const scopes = new KeyScopes(commands);
  const rolesAtHand = ({ roles: given, user, assigned }: AssignedUser & Pick<Caller, 'roles'>): readonly Role[] =>
    given?.flatMap((name) => roles.get(name) ?? []) ??
    configuredRolesOf({ user, assigned }) ??
    (assigned ?? []).flatMap((name) => roles.get(name) ?? storedRoles.atHand(name) ?? []);
  const scopeHas = ({ key }: Caller, isIn: (scope: Role) => boolean) => key === undefined || isIn(scopes.roleOf(key));

  return {
    ...roleReaders(options),

    declaredRole: (name) => roles.get(name),

    isAdministrator(user, assigned) {
      return rolesAtHand({ user, assigned }).some(mayManage);
    },

    async checkMonitoring(caller) {
      const all = await rolesOfCaller(caller);
      const missing = 'administration metrics';
      if (!all.some(mayMonitor)) throw gridError('PERMISSION_DENIED', caller.user, missing);
      if (!scopeHas(caller, mayMonitor)) throw gridError('PERMISSION_DENIED', caller.user, missing, caller.key?.id);
    },

    knowledgeOf: (caller) => knowledgeFrom(rolesAtHand(caller), caller.key && scopes.roleOf(caller.key)),

    manages: (caller) => chain(rolesOfCaller(caller), (all) => all.some(mayManage) && scopeHas(caller, mayManage)),

    includes: (caller, other) =>
      chain(
        rolesOfCaller(caller),
        (all) =>
          all.some((role) => includesRole(role, other)) && scopeHas(caller, (scope) => includesRole(scope, other)),
      ),

    check(caller, command, args) {
      if (command.needs === 'open' || command.needs === 'login') return undefined;
      const all = rolesOfCaller(caller);
      const scope = caller.key && scopes.roleOf(caller.key);
      const checkRoles = (read: readonly Role[]) =>
        checkRequirements({ caller, scope, roles: read }, command, args, options);
      return chain(all, checkRoles);
    },
  };
}

type RoleOptions = Pick<PermissionOptions, 'declaration' | 'compatibility' | 'commands' | 'tokenRoles'>;

/** Returns all mistakes for which {@link createPermissions} throws. */
export function permissionProblems(
  options: RoleOptions,
): ReadonlyArray<{ readonly place: string; readonly message: string }> {
  const found: Array<{ readonly place: string; readonly message: string }> = [];
  declaredRoles({ ...options, defaultUser: '' }, (place, message) => void found.push({ place, message }));
  return found;
}

/**
 * Throws PERMISSION_DENIED unless a role and, if there is one, the scope of the API key allow a command. Returns what
 * its statement may read and change, or undefined for everything, or if it has no statement.
 */
function checkRequirements(
  {
    caller,
    scope,
    roles,
  }: { readonly caller: Caller; readonly scope: Role | undefined; readonly roles: readonly Role[] },
  command: CommandDeclaration,
  args: Readonly<Record<string, unknown>>,
  options: PermissionOptions,
): StatementGrant | undefined {
  const own = roles.filter((role) => role.commands.has(command.name));
  const denied = (missing: string) => gridError('PERMISSION_DENIED', caller.user, missing);
  if (roles.length === 0 && caller.roles === undefined)
    throw gridError('ROLES_MISSING', caller.user, `command ${command.name}`);
  if (own.length === 0) throw denied(`command ${command.name}`);
  const notInScope = (missing: string) => gridError('PERMISSION_DENIED', caller.user, missing, caller.key?.id);
  if (scope?.commands.has(command.name) === false) throw notInScope(`command ${command.name}`);
  if (scope !== undefined && command.guardedFromKeys === true && !mayManage(scope)) {
    throw notInScope('administration users');
  }
  const required = requirementsOf(command, args, options);
  for (const each of required) {
    if (!own.some((role) => each.isIn(role))) throw denied(each.text);
    if (scope !== undefined && !each.isIn(scope)) throw notInScope(each.text);
  }
  if (command.rightsOn !== 'statement' && command.rightsOn !== 'table') return undefined;
  return statementGrant(required, (rights) => {
    const isIn = ({ everywhere }: Role) => rights.every((right) => everywhere.has(right));
    return own.some(isIn) && (scope === undefined || isIn(scope));
  });
}

/** Returns the objects that a permitted statement may read and change; undefined means everything. */
function statementGrant(
  required: readonly Requirement[],
  hasEverywhere: (rights: readonly CacheRight[]) => boolean,
): StatementGrant | undefined {
  if (hasEverywhere(CHANGE)) return undefined;
  const tablesOf = (needed: readonly CacheRight[]) =>
    required.flatMap(({ grant }) =>
      grant?.cache !== undefined && needed.every((right) => grant.rights.includes(right))
        ? [{ cache: grant.cache, table: grant.table }]
        : [],
    );
  return { reads: hasEverywhere(READ) ? undefined : tablesOf(READ), changes: tablesOf(CHANGE) };
}

/** Compiles the roles of the configuration, of its users, and of all others. */
function declaredRoles(
  options: RoleOptions & Pick<PermissionOptions, 'defaultUser'>,
  report: ReportMistake = throwMistake,
): {
  readonly roles: ReadonlyMap<string, Role>;
  readonly others: readonly Role[];
  readonly users: ReadonlyMap<string, readonly Role[]>;
} {
  const { declaration, defaultUser, compatibility, commands } = options;
  const roles = new Map([
    ['admin', compileRole('permissions.roles.admin', ADMIN, commands, false)],
    ['user', compileRole('permissions.roles.user', userRole(compatibility), commands, true)],
  ]);
  for (const [name, role] of Object.entries(declaration.roles ?? {})) {
    const place = `permissions.roles.${name}`;
    if (roles.has(name)) report(place, 'this role is built in');
    else roles.set(name, compileRole(place, role, commands, false, report));
  }
  const named = (names: readonly string[], place: string) =>
    names.flatMap((name) => {
      const role = roles.get(name);
      if (role !== undefined) return [role];
      report(place, `there is no role ${name}; there are ${[...roles.keys()].join(', ')}`);
      return [];
    });
  const others = named(declaration.others ?? ['user'], 'permissions.others');
  const users = new Map(
    Object.entries(declaration.users ?? {}).map(([user, names]) => [user, named(names, `permissions.users.${user}`)]),
  );
  users.set(defaultUser, named(['admin'], ''));
  named(options.tokenRoles ?? [], 'jwt.roles');
  return { roles, others, users };
}

/** Returns the caches that a built-in task reads, or undefined for all. */
function cachesOfTask(args: unknown): ReadonlyArray<string | undefined> {
  const named = Array.isArray(args) ? args.map(String) : [];
  return named.length === 0 ? [undefined] : named;
}

/** Returns the roles that were found. */
function found(roles: ReadonlyArray<MaybePromise<Role | undefined>>): MaybePromise<readonly Role[]> {
  const known: Role[] = [];
  for (const role of roles) {
    if (role instanceof Promise) return Promise.all(roles).then(found);
    if (role !== undefined) known.push(role);
  }
  return known;
}

/** Returns functions that describe roles, and who has them. */
function roleReaders({
  declaration: { roles, users, others = ['user'] },
  defaultUser,
  compatibility,
}: PermissionOptions): Pick<Permissions, 'rolesOf' | 'describeRoles'> {
  const named: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(users ?? {})).set(defaultUser, [
    'admin',
  ]);
  const builtIn = { admin: ADMIN, user: userRole(compatibility) };
  const declared = new Map<string, RoleDeclaration>([...Object.entries(builtIn), ...Object.entries(roles ?? {})]);
  const sourceOf = (name: string): RoleDescription['source'] =>
    Object.hasOwn(builtIn, name) ? 'builtIn' : declared.has(name) ? 'configuration' : 'stored';
  return {
    rolesOf({ user, roles: given, assigned }) {
      const configured = given ?? named.get(user);
      if (configured !== undefined) return { roles: configured, rolesFrom: 'configuration' };
      return assigned === undefined
        ? { roles: others, rolesFrom: 'others' }
        : { roles: assigned, rolesFrom: 'assigned' };
    },
    describeRoles(stored, assigned) {
      const rolesByUser = [...new Map([...assigned, ...named])];
      return [...new Map([...stored, ...declared])]
        .map(([name, role]) => ({
          ...describeRole(name, role),
          source: sourceOf(name),
          users: rolesByUser.filter(([, names]) => names.includes(name)).map(([user]) => user),
          others: others.includes(name),
        }))
        .sort((one, other) => placeOf(one) - placeOf(other));
    },
  };
}

/** Stored roles are the last ones. The sort keeps the order of the others. */
function placeOf({ source }: Pick<RoleDescription, 'source'>): number {
  return source === 'builtIn' ? 0 : source === 'configuration' ? 1 : 2;
}

/** With compatibility `reference`, every user may change the cluster's state (docs/differences.md, row 49). */
function userRole(compatibility: RequestCompatibility): RoleDeclaration {
  return compatibility === 'reference' ? USER_OF_IGNITE : USER;
}

/** The rights that one of the user's roles must grant beyond the command. */
interface Requirement {
  /** The error text. */
  readonly text: string;
  /** The cache rights that it implies. */
  readonly grant?: CacheGrant;
  isIn(role: Role): boolean;
}

const RIGHT_OF: { readonly [P in Permission]?: CacheRight } = {
  cacheRead: 'read',
  cachePut: 'put',
  cacheRemove: 'remove',
  cacheCreate: 'create',
  cacheDestroy: 'destroy',
};
const ADMINISTRATION_OF: { readonly [P in Permission]?: AdministrationRight } = {
  adminState: 'state',
  adminUsers: 'users',
  adminLog: 'log',
  adminBackup: 'backup',
  adminMetrics: 'metrics',
};

const NONE: readonly Requirement[] = [];

/** Returns the rights that a command with these arguments needs besides permission for the command. */
function requirementsOf(
  command: CommandDeclaration,
  args: Readonly<Record<string, unknown>>,
  { defaultCache, compatibility, cacheOfTable, isCluster = false }: PermissionOptions,
): readonly Requirement[] {
  const text = (name = '') => (typeof args[name] === 'string' ? args[name] : undefined);
  switch (command.needs) {
    case 'counter': {
      const name = text(command.subject) ?? '';
      return [{ text: `counter ${name}`, isIn: (role) => role.counter(name) }];
    }
    case 'taskExecute': {
      const name = text(command.subject) ?? '';
      const caches = TASKS_ON_CACHES.has(name) ? cachesOfTask(args.arguments) : [];
      return [
        { text: `task ${name}`, isIn: (role) => role.task(name) },
        ...caches.map((cache) => grantRequirement({ cache, rights: ['read'] })),
      ];
    }
  }
  const administration = ADMINISTRATION_OF[command.needs];
  if (administration !== undefined) {
    const isLeft = ({ rejectedByUserService }: Role) => administration === 'users' && rejectedByUserService;
    return [
      {
        text: `administration ${administration}`,
        isIn: (role) => role.administration.has(administration) || isLeft(role),
      },
    ];
  }
  const right = RIGHT_OF[command.needs];
  if (right === undefined) return NONE;
  const { rightsOn } = command;
  // Several roles may grant them together.
  const rights: readonly CacheRight[] = command.readsValues === true ? ['read', right] : [right];
  const named = text('cacheName');
  if (rightsOn === 'statement') {
    const written = analyze(text(command.subject) ?? '');
    const analysis = isCluster ? asOnCluster(written) : written;
    const cache = named ?? defaultCache;
    const entriesOf = isCluster ? () => undefined : findEntries;
    const grants = grantsOf(analysis, (table) => findTable(table, cache, cacheOfTable) ?? entriesOf(table));
    const over = rightsOfStatement(analysis.kind).length === 0 ? NONE : overRequirements(cache, defaultCache, grants);
    const views = isCluster ? clusterViewsOf(analysis).map(viewRequirement) : NONE;
    return [...over, ...grants.map(grantRequirement), ...views];
  }
  if (rightsOn === 'listed') {
    const names = cacheNamesOf(named ?? defaultCache, defaultCache);
    return (names ?? [undefined]).map((cache) => grantRequirement({ cache, rights: [right] }));
  }
  const table = text('table');
  if (rightsOn === 'table' && table !== undefined) {
    // As for CREATE TABLE: whether the table is missing may change until the command runs.
    if (args.create === true) return [grantRequirement({ cache: undefined, rights: rightsOfStatement('createTable') })];
    const over = named ?? defaultCache;
    const grant: CacheGrant = { ...findNamedTable(table, over, cacheOfTable), rights: [right], named: table };
    return [...overRequirements(over, defaultCache, [grant]), grantRequirement(grant)];
  }
  if (rightsOn === 'every') return [grantRequirement({ cache: undefined, rights: [right] })];
  // There, metadata responds for all caches at once (docs/differences.md, row 18).
  const metadataOfAll = rightsOn === 'namedOrEvery' && compatibility === 'reference';
  const cache = named ?? (metadataOfAll ? EVERY_CACHE : defaultCache);
  const isEvery = rightsOn === 'namedOrEvery' && cache === EVERY_CACHE;
  return rights.map((each) => grantRequirement({ cache: isEvery ? undefined : cache, rights: [each] }));
}

/**
 * Returns the requirement on the cache whose schema qualifies a statement's names: any right on it, unless
 * the statement needs one anyway. Otherwise the response would reveal whether the cache exists. The default
 * cache is no secret.
 */
function overRequirements(cache: string, defaultCache: string, grants: readonly CacheGrant[]): readonly Requirement[] {
  if (cache === defaultCache || grants.some((grant) => grant.cache === cache)) return NONE;
  const isIn = (role: Role) =>
    mayManage(role) || role.caches.some(({ rights, matches }) => rights.size > 0 && matches(cache));
  return [{ text: `read on cache ${cache}`, isIn }];
}

/** Returns the first table that a written name may mean, or undefined if none belongs to a cache. */
function findNamedTable(written: string, cache: string, cacheOfTable: Caches['cacheOfTable']): FoundTable | undefined {
  for (const table of namedTables(written)) {
    const found = findTable(table, cache, cacheOfTable);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Returns a table's cache, and its name as `SCHEMA.NAME`. A name without a schema is resolved as in a statement over
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

/** Returns the cache whose entries a name may mean, whether or not it exists: a denial does not reveal that. */
function findEntries({ schema, name }: TableName): FoundTable | undefined {
  return schema === undefined || name !== ENTRIES_TABLE ? undefined : { cache: schema, isEntries: true };
}

const KNOWS: Readonly<Record<ViewSubject, (role: Role) => boolean>> = {
  users: mayManage,
  service: mayMonitor,
  counters: knowsCounters,
};

function viewRequirement([view, subject]: readonly [string, ViewSubject]): Requirement {
  const right = { users: 'administration users', service: 'administration metrics', counters: 'counter *' }[subject];
  return { text: `${right} to read ${view}`, isIn: (role) => mayManage(role) || KNOWS[subject](role) };
}

function grantRequirement(grant: CacheGrant): Requirement {
  const { cache, table, rights, named, reason } = grant;
  const place = named === undefined ? `cache ${cache ?? EVERY_CACHE}` : `table ${named} or cache ${EVERY_CACHE}`;
  const text = `${rights.join(', ')} on ${place}${reason === undefined ? '' : ` (${reason})`}`;
  if (cache === undefined) return { text, grant, isIn: (role) => rights.every((right) => role.everywhere.has(right)) };
  return {
    text,
    grant,
    isIn: ({ caches, tables }) =>
      rights.every(
        (right) =>
          caches.some((each) => each.rights.has(right) && each.matches(cache)) ||
          (table !== undefined && tables.some((each) => each.rights.has(right) && each.matches(table))),
      ),
  };
}
