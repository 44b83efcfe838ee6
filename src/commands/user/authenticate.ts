import { command, ON_SERVICE } from '../command.ts';
import { consoleSession, login, loginPassword } from '../credentials.ts';
import { trueReply } from '../reply.ts';

/** The request pipeline logs in before the handler runs, so the handler does nothing. */
export const authenticate = command({
  ...ON_SERVICE,
  batch: 'logsIn',
  name: 'authenticate',
  request: 'AUTHENTICATE',
  group: 'user',
  summary: 'Logs in with svc.login and svc.password. The envelope contains the new session token.',
  access: 'read',
  needs: 'login',
  audit: 'always',
  params: { login, password: loginPassword, console: consoleSession },
  reply: trueReply('Always true; invalid credentials are rejected.'),
  errors: ['CREDENTIALS_WRONG', 'TOO_MANY_ATTEMPTS', 'SESSION_LIMIT', 'USER_SHARE'],
  example: {
    before: ['cmd=adduser&user=ben&password=secret'],
    query: 'cmd=authenticate&svc.login=ben&svc.password=secret',
    response: true,
  },
  run: () => {},
});
