/** The rights of the signed-in user, as far as known: the console does not offer forbidden actions. */
import { signal } from '@preact/signals';
import type { RolelistResult } from '../../client/commands.ts';
import { call } from './request.ts';
import { type CacheRight, permitAnywhere, permitOn, permitOnCache, rolesOfUser, type Subject } from './roles.ts';
import { markRepeated } from './sent-requests.ts';
import { needsLogin, signedIn } from './session.ts';

export { CHANGE, DEFINE } from './roles.ts';

export type Role = RolelistResult;

/** The roles of the signed-in user; undefined while not known: then everything is offered, and the service decides. */
export const ownRoles = signal<readonly Role[] | undefined>(undefined);

/** Reads the roles of the signed-in user. */
export async function readOwnRoles(abort: AbortSignal): Promise<void> {
  const user = signedIn.peek()?.user;
  if (!needsLogin || user === undefined) return;
  // The page sends this, not the user, so it is not listed among the requests of the last clicks.
  markRepeated(abort);
  const roles = await call('rolelist', {}, abort).catch(() => undefined);
  if (!abort.aborted) ownRoles.value = roles === undefined ? undefined : rolesOfUser(roles, user);
}

/** Returns whether commands on a cache are permitted that need rights. */
export function mayOnCache(name: string, rights: readonly CacheRight[]): boolean {
  return ownRoles.value === undefined || permitOnCache(ownRoles.value, name, rights);
}

/** Returns whether statements on the rows of a table, or commands on a cache without one, are permitted. */
export function mayOn(subject: Subject, rights: readonly CacheRight[]): boolean {
  return ownRoles.value === undefined || permitOn(ownRoles.value, subject, rights);
}

/** Returns whether rights are permitted on every cache, as definitions of tables need them. */
export function mayEverywhere(rights: readonly CacheRight[]): boolean {
  return mayOnCache('*', rights);
}

/** Returns whether a right is permitted on any cache. */
export function mayAnywhere(right: CacheRight): boolean {
  return ownRoles.value === undefined || permitAnywhere(ownRoles.value, right);
}

/** Returns whether the user has a right of administration. */
export function mayAdminister(right: string): boolean {
  return ownRoles.value?.some(({ administration }) => administration.includes(right)) ?? true;
}

/** Returns whether the user may send a command of a group, whatever it then needs. */
export function mayCommand(name: string, group: string): boolean {
  const permits = ({ commands }: Role) =>
    commands === null || commands.includes(name) || commands.includes(`@${group}`);
  return ownRoles.value?.some(permits) ?? true;
}
