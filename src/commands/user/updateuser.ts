import { command, ON_SERVICE } from '../command.ts';
import { password, userName } from '../credentials.ts';
import { trueReply } from '../reply.ts';

export const updateuser = command({
  ...ON_SERVICE,
  name: 'updateuser',
  request: 'UPDATE_USER',
  group: 'user',
  summary: 'Changes the password of a user; everybody may change the own one.',
  access: 'write',
  needs: 'session',
  params: {
    user: userName,
    password,
  },
  reply: trueReply('Always true.'),
  errors: ['SECURITY_DISABLED', 'USER_OPERATION', 'PARAMETER_MISSING', 'PERMISSION_DENIED'],
  example: { query: 'cmd=updateuser&user=ann&password=secret' },
  run: ({ user, password }, { users, caller }) => users.update(caller, user, password),
});
