import { commandCases, failsWith } from '../../../test/test-service.ts';
import { fail } from '../../base/errors.ts';
import type { AccessService } from '../context.ts';

const DISABLED = failsWith('Operation cannot be performed: security disabled.');
const SESSION = {
  id: 'a',
  user: 'ann',
  address: null,
  startedAt: null,
  lastUsedAt: null,
  expiresAt: '2026-01-01T00:00:00.000Z',
  current: false,
};

/** Returns a session for each number up to the limit, of the user asked for. */
const echo: AccessService = {
  users: () => [{ name: 'ann', roles: ['user'], isDefault: false }],
  roles: () => [],
  sessions: (_caller, user = 'nobody', limit = 0) =>
    Array.from({ length: Math.min(limit, 3) }, () => ({ ...SESSION, user })),
  endSession(_caller, id) {
    if (id !== 'a') throw fail('SESSION_NOT_FOUND', id);
    return 1;
  },
  endSessions: () => 7,
};

commandCases(
  'users, roles and sessions',
  [
    ['users', ['userlist', [{ name: 'ann', roles: ['user'], isDefault: false }]]],
    ['roles', ['rolelist', []]],
    ['sessions of a user', ['sessionlist user=ann limit=1', [SESSION]]],
    ['sessions of all', ['sessionlist user=', [1, 2, 3].map(() => ({ ...SESSION, user: 'nobody' }))]],
    ['a limit below 0 is 0', ['sessionlist limit=-1', []]],
    ['a limit that is none', ['sessionlist limit=x', failsWith('[limit=x]')]],
    ['ending names a session or a user', ['sessionrmv', failsWith('mandatory parameter in request: id')]],
    ['ending names only one of them', ['sessionrmv id=a user=ann', failsWith('id')]],
    ['ending a session', ['sessionrmv id=a', 1]],
    ['ending a session that there is not', ['sessionrmv id=b', failsWith('There is no session with this id [id=b]')]],
    ['ending the sessions of a user', ['sessionrmv user=ann', 7]],
  ],
  { access: echo },
);

commandCases('users, roles and sessions without authentication', [
  ['userlist fails', ['userlist', DISABLED]],
  ['rolelist fails', ['rolelist', DISABLED]],
  ['sessionlist fails', ['sessionlist', DISABLED]],
  ['sessionrmv fails', ['sessionrmv id=a', DISABLED]],
  ['sessionrmv of a user fails', ['sessionrmv user=ann', DISABLED]],
]);
