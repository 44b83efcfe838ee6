import { command, ON_SERVICE } from '../command.ts';
import type { RoleChange } from '../context.ts';
import { userName } from '../credentials.ts';
import { audited, requiredString } from '../params.ts';
import { trueReply } from '../reply.ts';
import { ROLE_ERRORS, roleList } from './role-params.ts';

export const roleassign = command({
  ...ON_SERVICE,
  name: 'roleassign',
  request: 'ROLE_ASSIGN',
  group: 'user',
  summary: 'Replaces the roles of a user. All sessions of the user are affected immediately.',
  since: '1.1.0',
  access: 'write',
  needs: 'adminUsers',
  audit: 'always',
  lists: { roles: 'mayBeEmpty' },
  params: {
    user: userName,
    roles: audited(requiredString('roles', 'Comma-separated role names. If empty, the user has no rights.')),
  },
  reply: trueReply('Always true.'),
  errors: [
    ...ROLE_ERRORS,
    'LIMIT_EXCEEDED',
    'ROLE_INVALID',
    'ROLE_NOT_FOUND',
    'USER_NOT_FOUND',
    'USER_ROLES_READ_ONLY',
    'ROLE_LOCKOUT',
  ],
  example: {
    before: [
      'cmd=roleadd&name=auditing&rights=%7B%22caches%22%3A%7B%22*%22%3A%22read%22%7D%7D',
      'cmd=adduser&user=dora&password=secret',
    ],
    query: 'cmd=roleassign&user=dora&roles=auditing',
    response: true,
  },
  run: ({ user, roles }, { services: { access }, caller }) => access.changeRoles(caller, changeOf(user, roles)),
  async preview({ user, roles }, { services: { access }, caller }) {
    await access.checkRoles(caller, changeOf(user, roles));
    return [{ user, change: 'changed' }];
  },
});

function changeOf(user: string, roles: string): RoleChange {
  return { kind: 'assign', user, roles: roleList(roles) };
}
