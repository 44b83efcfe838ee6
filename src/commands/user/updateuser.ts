import type { MaybePromise } from '../../base/maybe-promise.ts';
import { command, ON_SERVICE } from '../command.ts';
import type { Caller, Context } from '../context.ts';
import { oldPassword, password, userName } from '../credentials.ts';
import { trueReply } from '../reply.ts';

export const updateuser = command({
  ...ON_SERVICE,
  name: 'updateuser',
  request: 'UPDATE_USER',
  group: 'user',
  summary: 'Changes the password of a user. Users may change their own, with the old one.',
  access: 'write',
  needs: 'session',
  guardedFromKeys: true,
  audit: 'always',
  params: {
    user: userName,
    password,
    oldPassword,
  },
  reply: trueReply('Always true.'),
  errors: [
    'SECURITY_DISABLED',
    'USER_OPERATION',
    'PERMISSION_DENIED',
    'OLD_PASSWORD_WRONG',
    'USER_NOT_FOUND',
    'INACTIVE',
  ],
  example: {
    before: ['cmd=adduser&user=fay&password=secret'],
    query: 'cmd=updateuser&user=fay&password=new',
    response: true,
  },
  run: async ({ user, password, oldPassword }, context) =>
    context.services.users.update(await senderOf(user, oldPassword, context), user, password),
  async preview({ user, password, oldPassword }, context) {
    const caller = await senderOf(user, oldPassword, context);
    await context.services.users.check(caller, { kind: 'update', name: user, password });
    return [{ user, change: 'changed' }];
  },
});

/** Returns the sender, who confirms the old password to change their own. */
function senderOf(user: string, oldPassword: string | undefined, context: Context): MaybePromise<Caller> {
  const { caller } = context;
  return oldPassword === undefined || caller.user !== user ? caller : context.confirmPassword(oldPassword);
}
