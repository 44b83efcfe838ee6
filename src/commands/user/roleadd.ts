import { command, ON_SERVICE } from '../command.ts';
import { trueReply } from '../reply.ts';
import { ROLE_ERRORS, roleName, roleRights } from './role-params.ts';

export const roleadd = command({
  ...ON_SERVICE,
  name: 'roleadd',
  request: 'ROLE_ADD',
  group: 'user',
  summary: 'Stores a new role. One of your own roles must include all of its rights.',
  since: '1.1.0',
  access: 'write',
  needs: 'adminUsers',
  audit: 'always',
  json: 'rights',
  params: { name: roleName, rights: roleRights },
  reply: trueReply('Always true.'),
  errors: [...ROLE_ERRORS, 'ROLE_INVALID', 'ROLE_EXISTS', 'ROLE_LIMIT'],
  example: {
    query: 'cmd=roleadd&name=reporting&rights=%7B%22caches%22%3A%7B%22orders*%22%3A%22read%22%7D%7D',
    response: true,
  },
  run: ({ name, rights }, { services: { access }, caller }) =>
    access.changeRoles(caller, { kind: 'add', name, rights }),
  async preview({ name, rights }, { services: { access }, caller }) {
    await access.checkRoles(caller, { kind: 'add', name, rights });
    return [{ role: name, change: 'added' }];
  },
});
