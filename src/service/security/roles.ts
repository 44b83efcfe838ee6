/** Roles: the rights of a user or an API key. */
import type { CommandDeclaration, CommandGroup } from '../../commands/command.ts';
import type { RoleDescription } from '../../commands/context.ts';
import { type Matcher, patternMatcher } from './name-patterns.ts';
import type { CacheRight } from './statement-access.ts';

export type AdministrationRight = 'state' | 'users' | 'log' | 'backup' | 'metrics';

/** The rights of a role. In patterns, `*` matches any string. */
export interface RoleDeclaration {
  /** Names of commands, and groups such as `@entry`; default: all. */
  readonly commands?: readonly string[];
  /**
   * Rights by cache name pattern; `write` is read, put and remove. Default: no cache. A command that changes entries
   * and returns or compares stored values, such as `getput` or `cas`, also needs `read`. A read-only statement needs
   * `read`, DML needs `write` on the caches of its tables (`SQL_PUBLIC_T` for a table T without a cache name);
   * definitions, views and system views need their rights on the pattern `*`. So does every statement on a cluster,
   * where the service does not know which cache a table belongs to.
   */
  readonly caches?: Readonly<Record<string, readonly CacheRight[] | 'read' | 'write' | 'all'>>;
  /**
   * The same rights by table name pattern, for statements and imports on the tables of a data file: `ORDERS` is in the
   * schema `PUBLIC`, `SHOP.*` is a whole schema. Default: no table.
   */
  readonly tables?: Readonly<Record<string, readonly CacheRight[] | 'read' | 'write' | 'all'>>;
  /** Counter name patterns; default: none. */
  readonly counters?: readonly string[];
  /** Task name patterns; default: none. */
  readonly tasks?: readonly string[];
  /**
   * Administration rights; default: none. `metrics` only lets its owner know about the service and its nodes; each of
   * the others includes that.
   */
  readonly administration?: readonly AdministrationRight[];
}

/** The rights on the caches or tables whose names match a pattern. */
interface GrantedRights {
  readonly pattern: string;
  readonly matches: Matcher;
  readonly rights: ReadonlySet<CacheRight>;
}

/** A compiled role. */
export interface Role {
  readonly commands: ReadonlySet<string>;
  readonly caches: readonly GrantedRights[];
  /** By table, as `SCHEMA.NAME`. */
  readonly tables: readonly GrantedRights[];
  /** Rights on every present and future cache. */
  readonly everywhere: ReadonlySet<CacheRight>;
  readonly counters: readonly string[];
  readonly counter: Matcher;
  readonly tasks: readonly string[];
  readonly task: Matcher;
  readonly administration: ReadonlySet<AdministrationRight>;
  /** Whether the user service rejects user management, with Ignite's text, instead of this module. */
  readonly rejectedByUserService: boolean;
}

const CACHE_RIGHTS: readonly CacheRight[] = ['read', 'put', 'remove', 'create', 'destroy'];
const WRITE_RIGHTS: readonly CacheRight[] = ['read', 'put', 'remove'];
const ADMINISTRATION: readonly AdministrationRight[] = ['state', 'users', 'log', 'backup', 'metrics'];
export const ALL: RoleDeclaration = { caches: { '*': 'all' }, counters: ['*'], tasks: ['*'] };
export const ADMIN: RoleDeclaration = { ...ALL, administration: ADMINISTRATION };
export const USER: RoleDeclaration = { ...ALL, administration: ['log', 'metrics'] };
/** Row 49: every user of Ignite may change the state. */
export const USER_OF_IGNITE: RoleDeclaration = { ...ALL, administration: ['state', 'log', 'metrics'] };
/** The pattern that matches every present and future cache. */
export const EVERY_CACHE = '*';
/** The schema of tables without one. */
export const DEFAULT_SCHEMA = 'PUBLIC';

/** Called with each name in a role that does not exist. */
export type ReportMistake = (place: string, message: string) => void;

/** Throws an Error that names the location. */
export function throwMistake(place: string, message: string): never {
  throw new Error(`${place}: ${message}`);
}

/** Compiles a role. Throws an Error that names the location of an invalid command, group or right, or reports each. */
export function compileRole(
  place: string,
  role: RoleDeclaration,
  commands: readonly CommandDeclaration[],
  rejectedByUserService: boolean,
  report: ReportMistake = throwMistake,
): Role {
  const granted = (rights: RoleDeclaration['caches'], part: string, nameOf: (pattern: string) => string) =>
    Object.entries(rights ?? {}).map(([pattern, each]) => ({
      pattern,
      matches: patternMatcher([nameOf(pattern)]),
      rights: new Set(rightsOf(each, `${place}.${part}.${pattern}`)),
    }));
  const caches = granted(role.caches, 'caches', (pattern) => pattern);
  const { administration = [] } = role;
  const isAdministrative = administration.length > 0;
  for (const right of administration) {
    if (!ADMINISTRATION.includes(right)) report(`${place}.administration`, `there is no right ${right}`);
  }
  return {
    commands: new Set(
      role.commands === undefined
        ? commands.map((command) => command.name)
        : role.commands.flatMap((each) => commandsOf(each, commands, `${place}.commands`, report)),
    ),
    caches,
    tables: granted(role.tables, 'tables', qualifiedTable),
    everywhere: new Set(caches.filter(({ pattern }) => pattern === EVERY_CACHE).flatMap(({ rights }) => [...rights])),
    counters: role.counters ?? [],
    counter: patternMatcher(role.counters ?? []),
    tasks: role.tasks ?? [],
    task: patternMatcher(role.tasks ?? []),
    administration: new Set(isAdministrative ? [...administration, 'metrics'] : []),
    rejectedByUserService,
  };
}

/**
 * Reports whether a role permits everything that another role does. A pattern includes another pattern if it matches
 * that pattern's text: only a `*` matches a `*` in the text.
 */
export function includesRole(role: Role, other: Role): boolean {
  const patternsIn = (patterns: readonly string[], matches: Matcher) => patterns.every(matches);
  const grantsIn = (grants: readonly GrantedRights[], isIn: (grant: GrantedRights, right: CacheRight) => boolean) =>
    grants.every((grant) => [...grant.rights].every((right) => isIn(grant, right)));
  const someHas = (grants: readonly GrantedRights[], name: string, right: CacheRight) =>
    grants.some((each) => each.rights.has(right) && each.matches(name));
  return (
    other.commands.isSubsetOf(role.commands) &&
    other.administration.isSubsetOf(role.administration) &&
    patternsIn(other.counters, role.counter) &&
    patternsIn(other.tasks, role.task) &&
    grantsIn(other.caches, ({ pattern }, right) => someHas(role.caches, pattern, right)) &&
    // A table's cache may have any name.
    grantsIn(
      other.tables,
      ({ pattern }, right) => role.everywhere.has(right) || someHas(role.tables, qualifiedTable(pattern), right),
    )
  );
}

const MEMBERS = {
  commands: 'list',
  caches: 'rights',
  tables: 'rights',
  counters: 'list',
  tasks: 'list',
  administration: 'list',
} as const satisfies { readonly [M in keyof RoleDeclaration]-?: 'list' | 'rights' };

/**
 * Reads a role from JSON; {@link compileRole} checks its words. Throws an Error that names the location of a mistake.
 */
export function readRole(place: string, text: string): RoleDeclaration {
  let role: unknown;
  try {
    role = JSON.parse(text);
  } catch {
    throw new Error(`${place}: is not JSON`);
  }
  if (!isObject(role)) throw new Error(`${place}: must be an object such as {"caches": {"orders*": "read"}}`);
  for (const [name, value] of Object.entries(role)) {
    const form = Object.hasOwn(MEMBERS, name) ? MEMBERS[name as keyof typeof MEMBERS] : undefined;
    if (form === undefined) {
      throw new Error(`${place}: there is no member ${name}; there are ${Object.keys(MEMBERS).join(', ')}`);
    }
    if (form === 'list' && !isTexts(value)) throw new Error(`${place}.${name}: must be a list of strings`);
    if (form === 'rights' && !(isObject(value) && Object.values(value).every(isRights))) {
      throw new Error(`${place}.${name}: must be an object of rights (read, write, all or a list) by pattern`);
    }
  }
  // The loop has checked every member; compileRole checks the words.
  return role as RoleDeclaration;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function isRights(value: unknown): boolean {
  return typeof value === 'string' || isTexts(value);
}

/** Returns a role as its declaration, with everything that it omits. */
export function describeRole(
  name: string,
  { commands, caches, tables, counters = [], tasks = [], administration = [] }: RoleDeclaration,
): Omit<RoleDescription, 'source' | 'users' | 'others'> {
  const rights = (granted: RoleDeclaration['caches'] = {}) =>
    Object.fromEntries(Object.entries(granted).map(([pattern, each]) => [pattern, rightsOf(each, name)]));
  return {
    name,
    commands: commands ?? null,
    caches: rights(caches),
    tables: rights(tables),
    counters,
    tasks,
    administration,
  };
}

/** Returns the pattern with a schema and, as in SQL, in upper case unless quoted. */
function qualifiedTable(pattern: string): string {
  const parts = pattern.split('.').map((part) => {
    const [, quoted] = /^"(.*)"$/.exec(part) ?? [];
    return quoted ?? part.toUpperCase();
  });
  return parts.length === 1 ? `${DEFAULT_SCHEMA}.${parts[0]}` : parts.join('.');
}

function rightsOf(rights: readonly CacheRight[] | 'read' | 'write' | 'all', place: string): readonly CacheRight[] {
  if (rights === 'all') return CACHE_RIGHTS;
  if (rights === 'write') return WRITE_RIGHTS;
  if (rights === 'read') return ['read'];
  if (!Array.isArray(rights))
    throw new Error(`${place}: rights are read, write, all or a list of ${CACHE_RIGHTS.join(', ')}`);
  for (const right of rights) {
    if (!CACHE_RIGHTS.includes(right)) throw new Error(`${place}: there is no right ${right}`);
  }
  return rights;
}

function commandsOf(
  name: string,
  commands: readonly CommandDeclaration[],
  place: string,
  report: ReportMistake,
): string[] {
  const group = name.startsWith('@') ? name.slice(1) : undefined;
  const found = commands.filter((each) => (group === undefined ? each.name === name : each.group === group));
  if (found.length > 0) return found.map((each) => each.name);
  const groups: readonly CommandGroup[] = [...new Set(commands.map((each) => each.group))];
  report(
    place,
    group === undefined ? `there is no command ${name}` : `there is no group ${group}; there are ${groups.join(', ')}`,
  );
  return [];
}
