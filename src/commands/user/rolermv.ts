import { command, ON_SERVICE } from '../command.ts';
import { trueReply } from '../reply.ts';
import { ROLE_ERRORS, roleName } from './role-params.ts';

export const rolermv = command({
  ...ON_SERVICE,
  name: 'rolermv',
  request: 'ROLE_REMOVE',
  group: 'user',
  summary: 'Removes a stored role that no user has.',
  since: '1.1.0',
  access: 'write',
  needs: 'adminUsers',
  audit: 'always',
  params: { name: roleName },
  reply: trueReply('Always true.'),
  errors: [...ROLE_ERRORS, 'ROLE_NOT_FOUND', 'ROLE_READ_ONLY', 'ROLE_IN_USE'],
  example: {
    before: ['cmd=roleadd&name=once&rights=%7B%7D'],
    query: 'cmd=rolermv&name=once',
    response: true,
  },
  run: ({ name }, { services: { access }, caller }) => access.changeRoles(caller, { kind: 'remove', name }),
  async preview({ name }, { services: { access }, caller }) {
    await access.checkRoles(caller, { kind: 'remove', name });
    return [{ role: name, change: 'removed' }];
  },
});
