import { command, ON_SERVICE } from '../command.ts';
import { password, userName } from '../credentials.ts';
import { trueReply } from '../reply.ts';

export const updateuser = command({
  ...ON_SERVICE,
  name: 'updateuser',
  request: 'UPDATE_USER',
  group: 'user',
  summary: 'Changes the password of a user. All users may change their own password.',
  access: 'write',
  needs: 'session',
  guardedFromKeys: true,
  audit: 'always',
  params: {
    user: userName,
    password,
  },
  reply: trueReply('Always true.'),
  errors: [
    'PARAMETER_MISSING',
    'SECURITY_DISABLED',
    'USER_OPERATION',
    'PERMISSION_DENIED',
    'USER_NOT_FOUND',
    'INACTIVE',
  ],
  example: {
    before: ['cmd=adduser&user=ann&password=secret'],
    query: 'cmd=updateuser&user=ann&password=new',
    response: true,
  },
  run: ({ user, password }, { users, caller }) => users.update(caller, user, password),
  async preview({ user, password }, { users, caller }) {
    await users.check(caller, { kind: 'update', name: user, password });
    return [{ user, change: 'changed' }];
  },
});
