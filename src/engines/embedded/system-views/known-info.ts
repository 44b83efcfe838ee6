/** Removes what the reader of a system view may not know (SECURITY.md, "Who may know what"). */
import type { TableReader } from '../../../sql/binding/catalog.ts';
import type { ServiceInfo } from './service-info.ts';

/** Returns the service's data without what the reader may not know about the service itself and other users. */
export function knownTo(service: ServiceInfo, { owner, knows }: TableReader): ServiceInfo {
  if (knows === undefined) return service;
  const {
    queries = [],
    scans = [],
    statements = [],
    consumers = [],
    tasks = [],
    jobs = [],
    users = [],
    // A statement in the history may come from several users.
    history = [],
    ...ofService
  } = service;
  const own = <T extends { readonly owner: string }>(list: readonly T[]): readonly T[] =>
    knows.users ? list : list.filter((each) => isOwn(each.owner, owner));
  return {
    ...(knows.service && ofService),
    queries: own(queries),
    scans: own(scans),
    statements: own(statements),
    consumers: own(consumers),
    tasks: own(tasks),
    jobs: own(jobs),
    users: knows.users ? users : users.filter(({ name }) => isOwn(owner, name)),
    history: knows.users ? history : [],
  };
}

/** Reports whether something belongs to a user, possibly through one of the user's API keys. */
function isOwn(owner: string, user: string): boolean {
  return owner === user || owner.startsWith(`${user}#`);
}
