/**
 * Roles: which commands, on which caches, which counters and tasks. They stand in the configuration; who has none
 * there may do what Ignite allows an ordinary user: all but user management.
 */
import { fail } from '../../base/errors.ts';
import type { CommandDeclaration, CommandGroup, Permission } from '../../commands/command.ts';
import type { Caller } from '../../commands/context.ts';
import { analyze } from '../../sql/analysis/analysis.ts';
import { type CacheRight, rightsOfStatement } from './statement-access.ts';

export type AdministrationRight = 'state' | 'users' | 'log';

/** What a role may do. In patterns `*` stands for any text. */
export interface RoleDeclaration {
  /** Names of commands, and groups of them as `@entry`; absent: all. */
  readonly commands?: readonly string[];
  /**
   * Pattern of cache names -> rights; `write` is read, put and remove. Absent: no cache. A statement can reach every
   * table, so it needs its rights on the pattern `*`.
   */
  readonly caches?: Readonly<Record<string, readonly CacheRight[] | 'read' | 'write' | 'all'>>;
  /** Patterns of counter names; absent: none. */
  readonly counters?: readonly string[];
  /** Patterns of task names; absent: none. */
  readonly tasks?: readonly string[];
  /** Absent: none. */
  readonly administration?: readonly AdministrationRight[];
}

/** The part `permissions` of the configuration. */
export interface PermissionDeclaration {
  /** Beside the roles `admin` (everything) and `user` (all but user management). */
  readonly roles?: Readonly<Record<string, RoleDeclaration>>;
  /** Roles by user; the default user always is `admin`. */
  readonly users?: Readonly<Record<string, readonly string[]>>;
  /** Roles of all others. Default: `user`. */
  readonly others?: readonly string[];
}

export interface PermissionOptions {
  readonly declaration: PermissionDeclaration;
  readonly defaultUser: string;
  readonly defaultCache: string;
  /** Whether metadata without cacheName is about every cache (compatibility mode `reference`). */
  readonly metadataOfAll: boolean;
  readonly commands: readonly CommandDeclaration[];
}

export interface Permissions {
  /** Refuses PERMISSION_DENIED with what is missing. */
  check(caller: Caller, command: CommandDeclaration, args: Readonly<Record<string, unknown>>): void;
  /** Whether the user may add, change and remove others. */
  manages(user: string): boolean;
}

type Matcher = (text: string) => boolean;

interface Role {
  readonly commands: ReadonlySet<string>;
  readonly caches: ReadonlyArray<{ readonly matches: Matcher; readonly rights: ReadonlySet<CacheRight> }>;
  /** Rights on every cache there is and will be. */
  readonly everywhere: ReadonlySet<CacheRight>;
  readonly counter: Matcher;
  readonly task: Matcher;
  readonly administration: ReadonlySet<AdministrationRight>;
  /** The text that Ignite refuses user management with is then the user desk's. */
  readonly asReference: boolean;
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

/** Throws an Error that names the place of a wrong role, command, group or right. */
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
      const wanted = wantOf(command, args, defaultCache, metadataOfAll);
      if (wanted !== undefined && !own.some((role) => wanted.isIn(role))) {
        throw fail('PERMISSION_DENIED', caller.user, wanted.text);
      }
    },
  };
}

interface Want {
  /** What the refusal names. */
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

/** What a command with these arguments needs beyond being allowed itself; undefined: nothing. */
function wantOf(
  command: CommandDeclaration,
  args: Readonly<Record<string, unknown>>,
  defaultCache: string,
  metadataOfAll: boolean,
): Want | undefined {
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
        isIn: (role) => role.asReference || role.administration.has('users'),
      };
    case 'adminLog':
      return { text: 'administration log', isIn: (role) => role.administration.has('log') };
  }
  const right = RIGHT_OF[command.needs];
  if (right === undefined) return undefined;
  const { rightsOn } = command;
  if (rightsOn === 'statement') return statementWant(text(command.subject) ?? '');
  if (rightsOn === 'every') return everywhere([right]);
  const cache = text('cacheName') ?? (rightsOn === 'namedOrEvery' && metadataOfAll ? EVERY_CACHE : defaultCache);
  if (rightsOn === 'namedOrEvery' && cache === EVERY_CACHE) return everywhere([right]);
  return {
    text: `${right} on cache ${cache}`,
    isIn: (role) => role.caches.some((each) => each.rights.has(right) && each.matches(cache)),
  };
}

/** A statement can reach every table, so it needs its rights on every cache. */
function statementWant(sql: string): Want {
  const { kind } = analyze(sql);
  return everywhere(rightsOfStatement(kind), kind === 'unknown' ? ' (the statement could not be analysed)' : '');
}

function everywhere(rights: readonly CacheRight[], reason = ''): Want {
  return {
    text: `${rights.join(', ')} on cache ${EVERY_CACHE}${reason}`,
    isIn: (role) => rights.every((right) => role.everywhere.has(right)),
  };
}

function compile(
  name: string,
  role: RoleDeclaration,
  commands: readonly CommandDeclaration[],
  asReference: boolean,
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
    asReference,
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
