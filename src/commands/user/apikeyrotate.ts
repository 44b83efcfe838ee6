import { command, ON_SERVICE } from '../command.ts';
import { optionalLong } from '../params.ts';
import { apiKeyId, apiKeyTtlMs, issuedKeyReply, millisecondsOf } from './api-key-params.ts';

const DAY_MS = 24 * 3_600_000;

export const apikeyrotate = command({
  ...ON_SERVICE,
  name: 'apikeyrotate',
  request: 'API_KEY_ROTATE',
  group: 'user',
  summary: 'Replaces the secret of an API key. The previous secret remains valid for a while.',
  since: '1.1.0',
  access: 'write',
  needs: 'session',
  guardedFromKeys: true,
  returnsSecret: true,
  rejectsUndeclared: true,
  audit: 'always',
  params: {
    id: apiKeyId,
    overlapMs: optionalLong('overlapMs', 'How long the previous secret remains valid, in milliseconds.', {
      defaultText: String(DAY_MS),
      unit: 'milliseconds',
    }),
    ttlMs: apiKeyTtlMs('Default: unchanged.'),
  },
  reply: issuedKeyReply,
  errors: ['SECURITY_DISABLED', 'API_KEY_NOT_FOUND', 'API_KEY_INVALID', 'NOT_SUPPORTED', 'INACTIVE'],
  example: {
    before: ['cmd=apikeyadd&name=deploy'],
    query: 'cmd=apikeyrotate&id={id}&overlapMs=3600000',
  },
  run: ({ id, overlapMs, ttlMs }, { services: { apiKeys }, caller }) =>
    apiKeys.rotate(caller, id, millisecondsOf(overlapMs) ?? DAY_MS, millisecondsOf(ttlMs)),
});
