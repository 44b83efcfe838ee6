/** A service of users, roles and sessions, for the tests of the commands. */
import { fail } from '../../base/errors.ts';
import type { AccessService } from '../context.ts';

/** A session of ann. */
export const SESSION = {
  id: 'a',
  user: 'ann',
  address: null,
  startedAt: null,
  lastUsedAt: null,
  expiresAt: '2026-01-01T00:00:00.000Z',
  current: false,
};

/**
 * Lists a session for each number up to the limit, of the user asked for. Accepts every change of roles when it is
 * checked, and fails with it when it is made.
 */
export const accessService: AccessService = {
  users: () => [{ name: 'ann', roles: ['user'], rolesFrom: 'others', isDefault: false }],
  roles: () => [],
  checkRoles() {},
  changeRoles(_caller, change) {
    throw fail('INTERNAL', JSON.stringify(change));
  },
  sessions: (_caller, user = 'nobody', limit = 0) =>
    Array.from({ length: Math.min(limit, 3) }, () => ({ ...SESSION, user })),
  endSession(_caller, id) {
    if (id !== 'a') throw fail('SESSION_NOT_FOUND', id);
    return 1;
  },
  endSessions: () => 7,
};
