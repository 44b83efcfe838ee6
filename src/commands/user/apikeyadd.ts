import { command, ON_SERVICE } from '../command.ts';
import { audited, optionalString, requiredString } from '../params.ts';
import { apiKeyTtlMs, issuedKeyReply, millisecondsOf } from './api-key-params.ts';

export const apikeyadd = command({
  ...ON_SERVICE,
  name: 'apikeyadd',
  request: 'API_KEY_ADD',
  group: 'user',
  summary: 'Creates an API key for a program, with the rights that both its user and its scope grant.',
  since: '1.1.0',
  access: 'write',
  needs: 'session',
  guardedFromKeys: true,
  returnsSecret: true,
  rejectsUndeclared: true,
  audit: 'always',
  json: 'scope',
  lists: { addresses: 'notEmpty' },
  params: {
    name: audited(requiredString('name', "Name of the key, unique among the user's keys.")),
    user: audited(optionalString('user', 'User that the key acts for; default: the caller.', true), 'about'),
    scope: optionalString(
      'scope',
      'Rights of the key: a JSON object like a role in the configuration, with `commands`, `caches`, `tables`, ' +
        '`counters`, `tasks` and `administration`, as an object or its text. Default: all rights of the user except ' +
        'administration.',
      true,
    ),
    addresses: optionalString(
      'addresses',
      'Comma-separated addresses and networks (10.0.0.0/8) of the clients that may use the key; default: any.',
      true,
    ),
    rate: optionalString(
      'rate',
      'Maximum request rate of the key: `100/s`, `5000/m`, `100000/h`, `20/10s`; default: `rateLimit.apiKey`.',
      true,
    ),
    ttlMs: apiKeyTtlMs('Default: never.'),
  },
  reply: issuedKeyReply,
  errors: [
    'LIMIT_EXCEEDED',
    'SECURITY_DISABLED',
    'API_KEY_INVALID',
    'API_KEY_EXISTS',
    'API_KEY_LIMIT',
    'USER_NOT_FOUND',
    'USER_OPERATION',
    'NOT_SUPPORTED',
    'INACTIVE',
  ],
  example: {
    query:
      'cmd=apikeyadd&name=reports&scope=%7B%22commands%22%3A%5B%22%40query%22%5D%2C%22caches%22%3A%7B%22*%22%3A%22read%22%7D%7D',
  },
  run: ({ name, user, scope, addresses, rate, ttlMs }, { services: { apiKeys }, caller }) =>
    apiKeys.add(caller, { name, user, scope, addresses, rate, ttlMs: millisecondsOf(ttlMs) }),
});
