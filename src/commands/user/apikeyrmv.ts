import { command, ON_SERVICE } from '../command.ts';
import { trueReply } from '../reply.ts';
import { apiKeyId } from './api-key-params.ts';

export const apikeyrmv = command({
  ...ON_SERVICE,
  name: 'apikeyrmv',
  request: 'API_KEY_REMOVE',
  group: 'user',
  summary: 'Revokes and removes an API key, effective immediately.',
  since: '1.1.0',
  access: 'write',
  needs: 'session',
  guardedFromKeys: true,
  audit: 'always',
  params: { id: apiKeyId },
  reply: trueReply('Always true.'),
  errors: ['SECURITY_DISABLED', 'API_KEY_NOT_FOUND', 'NOT_SUPPORTED', 'INACTIVE'],
  example: { before: ['cmd=apikeyadd&name=once'], query: 'cmd=apikeyrmv&id={id}', response: true },
  run: ({ id }, { services: { apiKeys }, caller }) => apiKeys.remove(caller, id),
});
