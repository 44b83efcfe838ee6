import { command, ON_SERVICE } from '../command.ts';
import { password, userName } from '../credentials.ts';
import { checkedByHandler } from '../params.ts';
import { trueReply } from '../reply.ts';

export const adduser = command({
  ...ON_SERVICE,
  name: 'adduser',
  request: 'ADD_USER',
  group: 'user',
  summary: 'Adds a user.',
  access: 'write',
  needs: 'adminUsers',
  audit: 'always',
  params: {
    user: checkedByHandler(userName),
    password,
  },
  reply: trueReply('Always true.'),
  errors: ['SECURITY_DISABLED', 'USER_OPERATION', 'PERMISSION_DENIED', 'USER_EXISTS', 'INACTIVE'],
  example: { query: 'cmd=adduser&user=ann&password=secret', response: true },
  // Ignite reports an absent name as an empty one (docs/spec/ignite-cluster.md 7).
  run: ({ user, password }, { services: { users }, caller }) => users.add(caller, user ?? '', password),
  async preview({ user = '', password }, { services: { users }, caller }) {
    await users.check(caller, { kind: 'add', name: user, password });
    return [{ user, change: 'added' }];
  },
});
