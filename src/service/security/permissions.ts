/**
 * Permissions by role: commands, and rights on caches, counters, tasks and administration. The configuration declares
 * roles; a user without one may do everything but manage users, change the state of the cluster and make backups.
 */
import { fail } from '../../base/errors.ts';
import type { CommandDeclaration, CommandGroup, Permission } from '../../commands/command.ts';
import type { CompatibilityFlags } from '../../commands/compatibility-flags.ts';
import type { Caller } from '../../commands/context.ts';
import type { Caches } from '../../grid/grid.ts';
import { namedTables } from '../../grid/table-names.ts';
import { analyze } from '../../sql/analysis/analysis.ts';
import { type CacheGrant, type CacheRight, grantsOf } from './statement-access.ts';

export type AdministrationRight = 'state' | 'users' | 'log' | 'backup';

/** What a role may do. In patterns `*` matches any string. */
export interface RoleDeclaration {
  /** Names of commands, and groups such as `@entry`; default: all. */
  readonly commands?: readonly string[];
  /**
   * Rights by pattern of cache names; `write` is read, put and remove. Default: no cache. A statement that reads needs
   * `read`, one that changes rows `write` on the caches of its tables (`SQL_PUBLIC_T` for a table T without a name of
   * its own); definitions, views and system views need their rights on the pattern `*`. So does every statement on a
   * cluster, where the service does not know which cache a table belongs to.
   */
  readonly caches?: Readonly<Record<string, readonly CacheRight[] | 'read' | 'write' | 'all'>>;
  /** Patterns of counter names; default: none. */
  readonly counters?: readonly string[];
  /** Patterns of task names; default: none. */
  readonly tasks?: readonly string[];
  /** Administration rights; default: none. */
  readonly administration?: readonly AdministrationRight[];
}

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
}

export interface Permissions {
  /** Throws PERMISSION_DENIED, naming the missing permission. */
  check(caller: Caller, command: CommandDeclaration, args: Readonly<Record<string, unknown>>): void;
  /** Reports whether the user may add, change and remove other users. */
  manages(user: string): boolean;
}

type Matcher = (text: string) => boolean;

interface Role {
  readonly commands: ReadonlySet<string>;
  readonly caches: ReadonlyArray<{ readonly matches: Matcher; readonly rights: ReadonlySet<CacheRight> }>;
  /** Rights on every present and future cache. */
  readonly everywhere: ReadonlySet<CacheRight>;
  readonly counter: Matcher;
  readonly task: Matcher;
  readonly administration: ReadonlySet<AdministrationRight>;
  /** Whether user management is rejected by the user service, with Ignite's text, instead of here. */
  readonly rejectedByUserService: boolean;
}

const CACHE_RIGHTS: readonly CacheRight[] = ['read', 'put', 'remove', 'create', 'destroy'];
const WRITE_RIGHTS: readonly CacheRight[] = ['read', 'put', 'remove'];
const ADMINISTRATION: readonly AdministrationRight[] = ['state', 'users', 'log', 'backup'];
const ALL: RoleDeclaration = { caches: { '*': 'all' }, counters: ['*'], tasks: ['*'] };
const ADMIN: RoleDeclaration = { ...ALL, administration: ADMINISTRATION };
const USER: RoleDeclaration = { ...ALL, administration: ['log'] };
/** Row 49: every user of Ignite may change the state. */
const USER_OF_IGNITE: RoleDeclaration = { ...ALL, administration: ['state', 'log'] };
const EVERY_CACHE = '*';

/** Creates the permissions. Throws an Error that names the place of an invalid role, command, group or right. */
export function createPermissions(options: PermissionOptions): Permissions {
  const { declaration, defaultUser, compatibilityFlags, commands } = options;
  const roles = new Map([
    ['admin', compile('admin', ADMIN, commands, false)],
    ['user', compile('user', compatibilityFlags.everybodyChangesState ? USER_OF_IGNITE : USER, commands, true)],
  ]);
  for (const [name, role] of Object.entries(declaration.roles ?? {})) {
    if (roles.has(name)) throw new Error(`permissions.roles.${name}: this role is built in`);
    roles.set(name, compile(name, role, commands, false));
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
  const rolesOf = (user: string) => users.get(user) ?? others;

  return {
    manages: (user) => rolesOf(user).some((role) => role.administration.has('users')),

    check(caller, command, args) {
      if (command.needs === 'open' || command.needs === 'login') return;
      const own = rolesOf(caller.user).filter((role) => role.commands.has(command.name));
      if (own.length === 0) throw fail('PERMISSION_DENIED', caller.user, `command ${command.name}`);
      for (const required of requirementsOf(command, args, options)) {
        if (!own.some((role) => required.isIn(role))) throw fail('PERMISSION_DENIED', caller.user, required.text);
      }
    },
  };
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
    return grantsOf(analysis, (table) => cacheOfTable(table, named ?? defaultCache)).map(grantRequirement);
  }
  const table = text('table');
  if (rightsOn === 'table' && table !== undefined) {
    const cache = cacheOfNamedTable(table, named ?? defaultCache, cacheOfTable);
    const reason = cache === undefined ? `${table} is not known as the table of a cache` : undefined;
    return [grantRequirement({ cache, rights: [right], ...(reason !== undefined && { reason }) })];
  }
  if (rightsOn === 'every') return [grantRequirement({ cache: undefined, rights: [right] })];
  const metadataOfAll = rightsOn === 'namedOrEvery' && compatibilityFlags.metadataAsArray;
  const cache = named ?? (metadataOfAll ? EVERY_CACHE : defaultCache);
  const isEvery = rightsOn === 'namedOrEvery' && cache === EVERY_CACHE;
  return [grantRequirement({ cache: isEvery ? undefined : cache, rights: [right] })];
}

/** Returns the cache of the first table that a written name may mean; undefined if none is the table of a cache. */
function cacheOfNamedTable(written: string, cache: string, cacheOfTable: Caches['cacheOfTable']): string | undefined {
  for (const table of namedTables(written)) {
    const found = cacheOfTable(table, cache);
    if (found !== undefined) return found;
  }
  return undefined;
}

function grantRequirement({ cache, rights, reason }: CacheGrant): Requirement {
  const text = `${rights.join(', ')} on cache ${cache ?? EVERY_CACHE}${reason === undefined ? '' : ` (${reason})`}`;
  if (cache === undefined) return { text, isIn: (role) => rights.every((right) => role.everywhere.has(right)) };
  return {
    text,
    isIn: ({ caches }) => rights.every((right) => caches.some((each) => each.rights.has(right) && each.matches(cache))),
  };
}

function compile(
  name: string,
  role: RoleDeclaration,
  commands: readonly CommandDeclaration[],
  rejectedByUserService: boolean,
): Role {
  const place = `permissions.roles.${name}`;
  const caches = Object.entries(role.caches ?? {}).map(([pattern, rights]) => ({
    pattern,
    matches: matcherOf([pattern]),
    rights: new Set(rightsOf(rights, `${place}.caches.${pattern}`)),
  }));
  for (const right of role.administration ?? []) {
    if (!ADMINISTRATION.includes(right)) throw new Error(`${place}.administration: there is no right ${right}`);
  }
  return {
    commands: new Set(
      role.commands === undefined
        ? commands.map((command) => command.name)
        : role.commands.flatMap((each) => commandsOf(each, commands, `${place}.commands`)),
    ),
    caches,
    everywhere: new Set(caches.filter(({ pattern }) => pattern === EVERY_CACHE).flatMap(({ rights }) => [...rights])),
    counter: matcherOf(role.counters ?? []),
    task: matcherOf(role.tasks ?? []),
    administration: new Set(role.administration ?? []),
    rejectedByUserService,
  };
}

function rightsOf(rights: readonly CacheRight[] | 'read' | 'write' | 'all', place: string): readonly CacheRight[] {
  if (rights === 'all') return CACHE_RIGHTS;
  if (rights === 'write') return WRITE_RIGHTS;
  if (rights === 'read') return ['read'];
  if (!Array.isArray(rights)) throw new Error(`${place}: rights are read, write, all or a list`);
  for (const right of rights) {
    if (!CACHE_RIGHTS.includes(right)) throw new Error(`${place}: there is no right ${right}`);
  }
  return rights;
}

function commandsOf(name: string, commands: readonly CommandDeclaration[], place: string): string[] {
  const group = name.startsWith('@') ? name.slice(1) : undefined;
  const found = commands.filter((each) => (group === undefined ? each.name === name : each.group === group));
  if (found.length > 0) return found.map((each) => each.name);
  const groups: readonly CommandGroup[] = [...new Set(commands.map((each) => each.group))];
  throw new Error(
    group === undefined
      ? `${place}: there is no command ${name}`
      : `${place}: there is no group ${group}; there are ${groups.join(', ')}`,
  );
}

function matcherOf(patterns: readonly string[]): Matcher {
  if (patterns.includes('*')) return () => true;
  const sources = patterns.map((pattern) => pattern.split('*').map(RegExp.escape).join('[^]*'));
  if (sources.length === 0) return () => false;
  const expression = new RegExp(`^(?:${sources.join('|')})$`, 'u');
  return (text) => expression.test(text);
}
