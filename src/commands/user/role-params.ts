/** Parameters of the commands that change roles. */
import { splitList } from '../../base/lists.ts';
import { audited, requiredString } from '../params.ts';

export const roleName = audited(requiredString('name', 'Name of the role; case-sensitive.'));
export const roleRights = requiredString(
  'rights',
  'Rights of the role: a JSON object like a role in the configuration, with `commands`, `caches`, `tables`, ' +
    '`counters`, `tasks` and `administration`, as an object or its text. If `commands` is absent, all commands are ' +
    'allowed; any other absent member grants nothing.',
);

/** Returns the names in a comma-separated list; an empty string has none. */
export function roleList(roles: string): readonly string[] {
  return roles.trim() === '' ? [] : splitList('roles', roles);
}

/** Errors of all commands that change roles. */
export const ROLE_ERRORS = [
  'SECURITY_DISABLED',
  'USER_OPERATION',
  'PERMISSION_DENIED',
  'ROLE_ESCALATION',
  'NOT_SUPPORTED',
  'INACTIVE',
] as const;
