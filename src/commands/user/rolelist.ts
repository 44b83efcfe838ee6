import { command, ON_SERVICE } from '../command.ts';
import { rolesReply } from './access-replies.ts';

export const rolelist = command({
  ...ON_SERVICE,
  name: 'rolelist',
  request: 'ROLE_LIST',
  group: 'user',
  summary: 'Lists all roles, or only your own if you may not manage users.',
  since: '1.1.0',
  access: 'read',
  needs: 'session',
  guardedFromKeys: true,
  audit: 'always',
  params: {},
  reply: rolesReply,
  errors: ['SECURITY_DISABLED'],
  example: { query: 'cmd=rolelist' },
  run: (_args, { services: { access }, caller }) => access.roles(caller),
});
