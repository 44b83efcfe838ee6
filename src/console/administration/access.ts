/** Users and roles as the service describes them, what the signed-in user may do, and when to read them again. */
import { signal } from '@preact/signals';
import { call } from '../requests/request.ts';
import { needsLogin, signedIn } from '../requests/session.ts';
import { missingRight, type NeededCommand, type RoleRights, rolesOfUser } from './rights.ts';

export interface User {
  readonly name: string;
  readonly roles: readonly string[];
  readonly rolesFrom: 'configuration' | 'assigned' | 'others';
  readonly isDefault: boolean;
}

export interface Role extends RoleRights {
  readonly name: string;
  readonly source: 'builtIn' | 'configuration' | 'stored';
  readonly users: readonly string[];
  readonly others: boolean;
}

/** Changes with every change of users and roles: each list shows parts of the other. */
export const accessVersion = signal(0);

export function accessChanged(): void {
  accessVersion.value++;
}

export async function readRoles(abort?: AbortSignal): Promise<readonly Role[]> {
  return (await call('rolelist', {}, abort)) as unknown as readonly Role[];
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
