import { command, ON_SERVICE } from '../command.ts';
import { audited, optionalString } from '../params.ts';
import { keysReply } from './api-key-params.ts';

export const apikeylist = command({
  ...ON_SERVICE,
  name: 'apikeylist',
  request: 'API_KEY_LIST',
  group: 'user',
  summary: 'Lists API keys without their secrets: your own, or all if you are an administrator.',
  since: '1.1.0',
  access: 'read',
  needs: 'session',
  guardedFromKeys: true,
  audit: 'always',
  params: {
    user: audited(optionalString('user', 'List only the keys of this user.', true), 'about'),
  },
  reply: keysReply,
  errors: ['SECURITY_DISABLED', 'USER_OPERATION', 'NOT_SUPPORTED', 'INACTIVE'],
  example: { before: ['cmd=apikeyadd&name=nightly'], query: 'cmd=apikeylist' },
  run: ({ user }, { services: { apiKeys }, caller }) => apiKeys.list(caller, user),
});
