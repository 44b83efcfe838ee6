import { gridError } from '../../base/errors.ts';
import { command, ON_SERVICE } from '../command.ts';
import { audited, optionalString } from '../params.ts';
import { longReply } from '../reply.ts';

export const sessionrmv = command({
  ...ON_SERVICE,
  name: 'sessionrmv',
  request: 'SESSION_REMOVE',
  group: 'user',
  summary: 'Ends a session, or all sessions of a user, immediately.',
  since: '1.1.0',
  access: 'write',
  needs: 'session',
  guardedFromKeys: true,
  audit: 'always',
  params: {
    id: audited(optionalString('id', 'Id of the session, from `sessionlist`.', true)),
    user: {
      ...audited(optionalString('user', 'User whose sessions to end, in place of `id`.', true), 'about'),
      alternativeTo: 'id',
    },
  },
  reply: longReply('The number of sessions that ended.'),
  errors: ['PARAMETER_MISSING', 'SECURITY_DISABLED', 'USER_OPERATION', 'SESSION_NOT_FOUND', 'INACTIVE'],
  example: {
    before: ['cmd=adduser&user=erik&password=secret'],
    query: 'cmd=sessionrmv&user=erik',
    response: 0,
  },
  run({ id, user }, { services: { access }, caller }) {
    if (user !== undefined) return access.endSessions(caller, user);
    if (id === undefined) throw gridError('PARAMETER_MISSING', 'id', 'id');
    return access.endSession(caller, id);
  },
});
