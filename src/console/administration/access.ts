/** Users and roles as the service describes them, what the signed-in user may do, and when to read them again. */
import { signal } from '@preact/signals';
import type { RolelistResult, UserlistResult } from '../../client/commands.ts';
import { call } from '../requests/request.ts';
import { needsLogin, signedIn } from '../requests/session.ts';
import { missingRight, type NeededCommand, rolesOfUser } from './rights.ts';

export type User = UserlistResult;

export type Role = RolelistResult;

/** Changes with every change of users and roles: each list shows parts of the other. */
export const accessVersion = signal(0);

export function accessChanged(): void {
  accessVersion.value++;
}

export function readRoles(abort?: AbortSignal): Promise<readonly Role[]> {
  return call('rolelist', {}, abort);
}

/** The roles of the signed-in user; undefined while they are not known. */
const ownRoles = signal<readonly Role[] | undefined>(undefined);

/** Reads the roles of the signed-in user. Without them nothing is hidden, and the service judges. */
export async function readOwnRoles(abort: AbortSignal): Promise<void> {
  const user = signedIn.peek()?.user;
  if (!needsLogin || user === undefined) return;
  const roles = await readRoles(abort).catch(() => undefined);
  if (!abort.aborted) ownRoles.value = roles === undefined ? undefined : rolesOfUser(roles, user);
}

/** Returns the right that the signed-in user lacks for a command; undefined: none that is known. */
export function missingFor(command: NeededCommand): string | undefined {
  if (!needsLogin || ownRoles.value === undefined || ownRoles.value.length === 0) return undefined;
  return missingRight(ownRoles.value, command);
}
