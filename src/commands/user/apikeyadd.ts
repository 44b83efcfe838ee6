import { command, ON_SERVICE } from '../command.ts';
import { audited, optionalString, requiredString } from '../params.ts';
import { apiKeyTtlMs, issuedKeyReply, millisecondsOf } from './api-key-params.ts';

export const apikeyadd = command({
  ...ON_SERVICE,
  name: 'apikeyadd',
  request: 'API_KEY_ADD',
  group: 'user',
  summary: 'Creates an API key for a program. It may do what its user and its scope allow.',
  since: '1.1.0',
  access: 'write',
  needs: 'session',
  guardedFromKeys: true,
  returnsSecret: true,
  rejectsUndeclared: true,
  audit: 'always',
  params: {
    name: audited(requiredString('name', 'Name of the key, unique among those of the user.')),
    user: audited(optionalString('user', 'User that the key acts for; default: the caller.', true), 'about'),
    scope: optionalString(
      'scope',
      'What the key may do: a JSON object like a role of the configuration, with `commands`, `caches`, `tables`, ' +
        '`counters`, `tasks` and `administration`. Default: everything that the user may do, except administration.',
      true,
    ),
    addresses: optionalString(
      'addresses',
      'Addresses and networks (10.0.0.0/8) of the clients that may use the key, separated by commas; default: any.',
      true,
    ),
    rate: optionalString(
      'rate',
      'Requests with the key in a time: `100/s`, `5000/m`, `100000/h`, `20/10s`; default: `rateLimit.apiKey`.',
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
