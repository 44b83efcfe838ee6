/**
 * Permissions by role: commands, and rights on caches, counters, tasks and administration. The configuration declares
 * roles; a user without one may do what Ignite allows ordinary users: everything but user management.
 */
import { fail } from '../../base/errors.ts';
import type { CommandDeclaration, CommandGroup, Permission } from '../../commands/command.ts';
import type { Caller } from '../../commands/context.ts';
import { analyze } from '../../sql/analysis/analysis.ts';
import { type CacheRight, rightsOfStatement } from './statement-access.ts';

export type AdministrationRight = 'state' | 'users' | 'log';

/** What a role may do. In patterns `*` matches any string. */
export interface RoleDeclaration {
  /** Names of commands, and groups such as `@entry`; default: all. */
  readonly commands?: readonly string[];
  /**
   * Rights by pattern of cache names; `write` is read, put and remove. Default: no cache. An SQL statement can reach
   * every table, so it needs its rights on the pattern `*`.
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
  /** Roles in addition to `admin` (everything) and `user` (everything but user management). */
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
  /** Whether metadata without cacheName describes every cache (the compatibility flag `metadataAsArray`). */
  readonly metadataOfAll: boolean;
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
const ADMINISTRATION: readonly AdministrationRight[] = ['state', 'users', 'log'];
const ALL: RoleDeclaration = { caches: { '*': 'all' }, counters: ['*'], tasks: ['*'] };
const BUILT_IN: Readonly<Record<'admin' | 'user', RoleDeclaration>> = {
  admin: { ...ALL, administration: ADMINISTRATION },
  user: { ...ALL, administration: ['state', 'log'] },
};
const EVERY_CACHE = '*';

/** Creates the permissions. Throws an Error that names the place of an invalid role, command, group or right. */
export function createPermissions(options: PermissionOptions): Permissions {
  const { declaration, defaultUser, defaultCache, metadataOfAll, commands } = options;
  const roles = new Map<string, Role>();
  for (const [name, role] of Object.entries(BUILT_IN)) roles.set(name, compile(name, role, commands, name === 'user'));
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
      const required = requirementOf(command, args, defaultCache, metadataOfAll);
      if (required !== undefined && !own.some((role) => required.isIn(role))) {
        throw fail('PERMISSION_DENIED', caller.user, required.text);
      }
    },
  };
}

/** What a request needs beyond permission for its command. */
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
};

/** Returns what a command with these arguments needs; undefined if only permission for the command. */
function requirementOf(
  command: CommandDeclaration,
  args: Readonly<Record<string, unknown>>,
  defaultCache: string,
  metadataOfAll: boolean,
): Requirement | undefined {
  const text = (name = '') => (typeof args[name] === 'string' ? args[name] : undefined);
  switch (command.needs) {
    case 'counter': {
      const name = text(command.subject) ?? '';
      return { text: `counter ${name}`, isIn: (role) => role.counter(name) };
    }
    case 'taskExecute': {
      const name = text(command.subject) ?? '';
      return { text: `task ${name}`, isIn: (role) => role.task(name) };
    }
    case 'adminState':
      return { text: 'administration state', isIn: (role) => role.administration.has('state') };
    case 'adminUsers':
      return {
        text: 'administration users',
        isIn: (role) => role.rejectedByUserService || role.administration.has('users'),
      };
    case 'adminLog':
      return { text: 'administration log', isIn: (role) => role.administration.has('log') };
  }
  const right = RIGHT_OF[command.needs];
  if (right === undefined) return undefined;
  const { rightsOn } = command;
  if (rightsOn === 'statement') return statementRequirement(text(command.subject) ?? '');
  if (rightsOn === 'every') return everywhere([right]);
  const cache = text('cacheName') ?? (rightsOn === 'namedOrEvery' && metadataOfAll ? EVERY_CACHE : defaultCache);
  if (rightsOn === 'namedOrEvery' && cache === EVERY_CACHE) return everywhere([right]);
  return {
    text: `${right} on cache ${cache}`,
    isIn: (role) => role.caches.some((each) => each.rights.has(right) && each.matches(cache)),
  };
}

/** An SQL statement can reach every table, so it needs its rights on every cache. */
function statementRequirement(sql: string): Requirement {
  const { kind } = analyze(sql);
  return everywhere(rightsOfStatement(kind), kind === 'unknown' ? ' (the statement could not be analysed)' : '');
}

function everywhere(rights: readonly CacheRight[], reason = ''): Requirement {
  return {
    text: `${rights.join(', ')} on cache ${EVERY_CACHE}${reason}`,
    isIn: (role) => rights.every((right) => role.everywhere.has(right)),
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
