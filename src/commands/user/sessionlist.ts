import { command, ON_SERVICE } from '../command.ts';
import { audited, optionalInteger, optionalString } from '../params.ts';
import { sessionsReply } from './access-replies.ts';

/** A longer list would take an administrator long to read, and the service long to write. */
const DEFAULT_LIMIT = 1_000;

export const sessionlist = command({
  ...ON_SERVICE,
  name: 'sessionlist',
  request: 'SESSION_LIST',
  group: 'user',
  summary: 'Lists sessions without their tokens: your own, or all if you may manage users.',
  since: '1.1.0',
  access: 'read',
  needs: 'session',
  guardedFromKeys: true,
  audit: 'always',
  params: {
    user: audited(optionalString('user', 'List only the sessions of this user.', true), 'about'),
    limit: optionalInteger('limit', 'Maximum number of sessions.', String(DEFAULT_LIMIT)),
  },
  reply: sessionsReply,
  errors: ['SECURITY_DISABLED', 'USER_OPERATION', 'INACTIVE'],
  example: { query: 'cmd=sessionlist&limit=10' },
  run: ({ user, limit = DEFAULT_LIMIT }, { services: { access }, caller }) =>
    access.sessions(caller, user, Math.max(0, limit)),
});
