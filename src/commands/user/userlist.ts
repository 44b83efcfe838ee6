import { command, ON_SERVICE } from '../command.ts';
import { usersReply } from './access-replies.ts';

export const userlist = command({
  ...ON_SERVICE,
  name: 'userlist',
  request: 'USER_LIST',
  group: 'user',
  summary: 'Lists the users with their roles, or only yourself if you may not manage users.',
  since: '1.1.0',
  access: 'read',
  needs: 'session',
  guardedFromKeys: true,
  audit: 'always',
  params: {},
  reply: usersReply,
  errors: ['SECURITY_DISABLED', 'USER_OPERATION', 'NOT_SUPPORTED', 'INACTIVE'],
  example: {
    query: 'cmd=userlist',
    response: [{ name: 'svc', roles: ['admin'], rolesFrom: 'configuration', isDefault: true }],
  },
  run: (_args, { services: { access }, caller }) => access.users(caller),
});
