/** Derives the information that a caller may see from the caller's roles (SECURITY.md, "Who may know what"). */
import type { CallerKnowledge } from '../../commands/context.ts';
import type { CacheDefinition } from '../../grid/grid.ts';
import type { Role } from './roles.ts';

/** Returns the information that a caller may see by its roles and, for an API key, its scope. */
export function knowledgeFrom(roles: readonly Role[], scope: Role | undefined): CallerKnowledge {
  const has = (isIn: (role: Role) => boolean) => roles.some(isIn) && (scope === undefined || isIn(scope));
  const users = has(mayManage);
  return {
    knows: { users, service: has(mayMonitor), counters: users || has(knowsCounters) },
    cache: (definition) => users || has((role) => hasRightOn(role, definition)),
  };
}

/** Reports whether a role lets its owner manage users, and therefore know everything. */
export function mayManage({ administration }: Role): boolean {
  return administration.has('users');
}

/** Reports whether a role lets its owner know about the service and its nodes: every administration right does. */
export function mayMonitor({ administration }: Role): boolean {
  return administration.has('metrics');
}

/** Reports whether a role has rights on every counter. */
export function knowsCounters({ counters }: Role): boolean {
  return counters.includes('*');
}

/** Reports whether a role has any right on a cache, or on a table whose rows are its entries. */
function hasRightOn({ caches, tables }: Role, { name, schema, entities }: CacheDefinition): boolean {
  if (caches.some(({ rights, matches }) => rights.size > 0 && matches(name))) return true;
  return entities.some(({ tableName, valueType }) => {
    const table = `${schema}.${(tableName ?? valueType.split(/[.$]/).at(-1) ?? '').toUpperCase()}`;
    return tables.some(({ rights, matches }) => rights.size > 0 && matches(table));
  });
}
