/** Parameters of the commands that change roles. */
import { splitList } from '../../base/lists.ts';
import { audited, requiredString } from '../params.ts';

export const roleName = audited(requiredString('name', 'Name of the role; case-sensitive.'));
export const roleRights = requiredString(
  'rights',
  'What the role may do: a JSON object like a role of the configuration, with `commands`, `caches`, `tables`, ' +
    '`counters`, `tasks` and `administration`. Without `commands`, it may send all; other members grant nothing when ' +
    'they are absent.',
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
