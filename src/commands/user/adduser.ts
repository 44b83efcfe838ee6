import { command, ON_SERVICE } from '../command.ts';
import { password, userName } from '../credentials.ts';
import { audited, checkedByHandler, optionalString } from '../params.ts';
import { trueReply } from '../reply.ts';
import { roleList } from './role-params.ts';

export const adduser = command({
  ...ON_SERVICE,
  name: 'adduser',
  request: 'ADD_USER',
  group: 'user',
  summary: 'Adds a user with the given roles. A user without roles has no rights.',
  access: 'write',
  needs: 'adminUsers',
  audit: 'always',
  lists: { roles: 'mayBeEmpty' },
  params: {
    user: checkedByHandler(userName),
    password,
    roles: audited(
      optionalString(
        'roles',
        'Comma-separated role names. Default: none; in compatibility mode `reference`, the roles that the ' +
          'configuration assigns to all other users.',
      ),
    ),
  },
  reply: trueReply('Always true.'),
  errors: [
    'SECURITY_DISABLED',
    'USER_OPERATION',
    'PERMISSION_DENIED',
    'USER_EXISTS',
    'INACTIVE',
    'ROLE_INVALID',
    'ROLE_NOT_FOUND',
    'ROLE_ESCALATION',
    'USER_ROLES_READ_ONLY',
  ],
  example: { query: 'cmd=adduser&user=ann&password=secret&roles=user', response: true },
  // Ignite reports an absent name as an empty one (docs/spec/ignite-cluster.md 7).
  run: ({ user, password, roles }, { services: { users }, caller }) =>
    users.add(caller, user ?? '', password, roleNames(roles)),
  async preview({ user = '', password, roles }, { services: { users }, caller }) {
    await users.check(caller, { kind: 'add', name: user, password, roles: roleNames(roles) });
    return [{ user, change: 'added' }];
  },
});

function roleNames(roles: string | undefined): readonly string[] | undefined {
  return roles === undefined ? undefined : roleList(roles);
}
