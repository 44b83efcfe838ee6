import { command, ON_SERVICE } from '../command.ts';
import { trueReply } from '../reply.ts';
import { ROLE_ERRORS, roleName, roleRights } from './role-params.ts';

export const roleupdate = command({
  ...ON_SERVICE,
  name: 'roleupdate',
  request: 'ROLE_UPDATE',
  group: 'user',
  summary: 'Replaces the rights of a stored role. All sessions are affected immediately.',
  since: '1.1.0',
  access: 'write',
  needs: 'adminUsers',
  audit: 'always',
  json: 'rights',
  params: { name: roleName, rights: roleRights },
  reply: trueReply('Always true.'),
  errors: [...ROLE_ERRORS, 'ROLE_INVALID', 'ROLE_NOT_FOUND', 'ROLE_READ_ONLY', 'ROLE_LOCKOUT'],
  example: {
    before: ['cmd=roleadd&name=billing&rights=%7B%7D'],
    query: 'cmd=roleupdate&name=billing&rights=%7B%22caches%22%3A%7B%22*%22%3A%22read%22%7D%7D',
    response: true,
  },
  run: ({ name, rights }, { services: { access }, caller }) =>
    access.changeRoles(caller, { kind: 'update', name, rights }),
  async preview({ name, rights }, { services: { access }, caller }) {
    await access.checkRoles(caller, { kind: 'update', name, rights });
    return [{ role: name, change: 'changed' }];
  },
});
