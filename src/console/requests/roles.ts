/** What roles permit on caches and tables, as the service describes them. */

export type CacheRight = 'read' | 'put' | 'remove' | 'create' | 'destroy';

/** The rights that statements need to change rows. */
export const CHANGE: readonly CacheRight[] = ['read', 'put', 'remove'];
/** The rights that statements need to define tables, on every cache. */
export const DEFINE: readonly CacheRight[] = [...CHANGE, 'create', 'destroy'];

type Granted = Readonly<Record<string, readonly string[]>>;

/** The part of a role that says what its users may do with data. */
export interface DataRole {
  readonly caches: Granted;
  readonly tables: Granted;
}

/** The object of rights: a cache, with the table whose rows its entries are. */
export interface Subject {
  readonly name: string;
  readonly table?: { readonly schema: string; readonly name: string } | undefined;
}

interface Named {
  readonly users: readonly string[];
  readonly others: boolean;
}

/** Returns the roles of a user among all roles that the user may see. */
export function rolesOfUser<R extends Named>(roles: readonly R[], user: string): readonly R[] {
  const own = roles.filter(({ users }) => users.includes(user));
  return own.length > 0 ? own : roles.filter(({ others }) => others);
}

/** Returns whether a name matches a pattern, in which `*` stands for any characters. */
export function matches(pattern: string, text: string): boolean {
  const [start = '', ...inner] = pattern.split('*');
  const end = inner.pop();
  if (end === undefined) return text === pattern;
  const innerEnd = text.length - end.length;
  if (start.length > innerEnd || !text.startsWith(start) || !text.endsWith(end)) return false;
  let at = start.length;
  for (const part of inner) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= innerEnd;
}

function has(granted: Granted, right: CacheRight, isMeant: (pattern: string) => boolean): boolean {
  return Object.entries(granted).some(([pattern, rights]) => rights.includes(right) && isMeant(pattern));
}

/** Returns whether roles permit commands on a cache that need rights. */
export function permitOnCache(roles: readonly DataRole[], name: string, rights: readonly CacheRight[]): boolean {
  return rights.every((right) => roles.some(({ caches }) => has(caches, right, (pattern) => matches(pattern, name))));
}

/** Returns whether roles permit statements on the rows of a table, or commands on a cache without one. */
export function permitOn(roles: readonly DataRole[], { name, table }: Subject, rights: readonly CacheRight[]): boolean {
  const title = table && `${table.schema}.${table.name}`;
  const isTable = (pattern: string) =>
    title !== undefined && matches(pattern.includes('.') ? pattern : `PUBLIC.${pattern}`, title);
  return rights.every(
    (right) => permitOnCache(roles, name, [right]) || roles.some(({ tables }) => has(tables, right, isTable)),
  );
}

/** Returns whether roles permit a right on any cache. */
export function permitAnywhere(roles: readonly DataRole[], right: CacheRight): boolean {
  return roles.some(({ caches }) => has(caches, right, () => true));
}
