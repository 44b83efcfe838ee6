/** Users and roles as the service describes them, and when to read them again. */
import { signal } from '@preact/signals';
import type { UserlistResult } from '../../client/commands.ts';
import { ownRoles, type Role } from '../requests/access.ts';
import { call } from '../requests/request.ts';
import { needsLogin } from '../requests/session.ts';
import { missingRight, type NeededCommand } from './rights.ts';

export type User = UserlistResult;

/** Changes with every change of users and roles: each list shows parts of the other. */
export const accessVersion = signal(0);

export function accessChanged(): void {
  accessVersion.value++;
}

export function readRoles(abort?: AbortSignal): Promise<readonly Role[]> {
  return call('rolelist', {}, abort);
}

/** Returns the right that the signed-in user lacks for a command, or undefined if none is known. */
export function missingFor(command: NeededCommand): string | undefined {
  if (!needsLogin || ownRoles.value === undefined || ownRoles.value.length === 0) return undefined;
  return missingRight(ownRoles.value, command);
}
