import { command, ON_SERVICE } from '../command.ts';
import { userName } from '../credentials.ts';
import { trueReply } from '../reply.ts';

export const removeuser = command({
  ...ON_SERVICE,
  name: 'removeuser',
  request: 'REMOVE_USER',
  group: 'user',
  summary: "Removes a user and ends the user's sessions.",
  access: 'write',
  needs: 'adminUsers',
  audit: 'always',
  params: {
    user: userName,
  },
  reply: trueReply('Always true.'),
  errors: ['SECURITY_DISABLED', 'USER_OPERATION', 'PERMISSION_DENIED', 'USER_NOT_FOUND', 'INACTIVE'],
  example: { before: ['cmd=adduser&user=cleo&password=secret'], query: 'cmd=removeuser&user=cleo', response: true },
  run: ({ user }, { services: { users }, caller }) => users.remove(caller, user),
  async preview({ user }, { services: { users }, caller }) {
    await users.check(caller, { kind: 'remove', name: user });
    return [{ user, change: 'removed' }];
  },
});
