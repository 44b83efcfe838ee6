import { commandCases, failsWith } from '../../../test/test-service.ts';
import type { ApiKeyService, IssuedApiKey } from '../context.ts';

const DISABLED = failsWith('Operation cannot be performed: security disabled.');
const ISSUED: IssuedApiKey = { id: 'i', name: 'n', user: 'u', key: 'k', expiresAt: null, overlapUntil: null };

/** Returns what it was called with in place of a name. */
const echo: ApiKeyService = {
  add: async (_caller, key) => ({ ...ISSUED, name: JSON.stringify(key) }),
  list: async () => [],
  rotate: async (_caller, ...args) => ({ ...ISSUED, name: JSON.stringify(args) }),
  remove: async () => {},
};
const issued = (name: unknown) => ({ ...ISSUED, name: JSON.stringify(name) });

commandCases(
  'API keys',
  [
    ['a key has a name', ['apikeyadd', failsWith('mandatory parameter in request: name')]],
    ['a key without anything else', ['apikeyadd name=a', issued({ name: 'a' })]],
    ['empty parameters are absent', ['apikeyadd name=a user= scope= addresses= rate=', issued({ name: 'a' })]],
    [
      'a key with everything',
      [
        'apikeyadd name=a user=ann scope={} addresses=::1 rate=5/s ttlMs=5',
        issued({ name: 'a', user: 'ann', scope: '{}', addresses: '::1', rate: '5/s', ttlMs: 5 }),
      ],
    ],
    ['a time that is none', ['apikeyadd name=a ttlMs=1h', failsWith('ttlMs')]],
    ['a list', ['apikeylist', []]],
    ['a rotation names a key', ['apikeyrotate', failsWith('mandatory parameter in request: id')]],
    ['a rotation overlaps by a day', ['apikeyrotate id=x', issued(['x', 86_400_000, null])]],
    ['a rotation with times', ['apikeyrotate id=x overlapMs=0 ttlMs=7', issued(['x', 0, 7])]],
    ['a removal names a key', ['apikeyrmv', failsWith('mandatory parameter in request: id')]],
    ['a removal', ['apikeyrmv id=x', true]],
  ],
  { apiKeys: echo },
);

commandCases('API keys without authentication', [
  ['apikeyadd fails', ['apikeyadd name=a', DISABLED]],
  ['apikeylist fails', ['apikeylist', DISABLED]],
  ['apikeyrotate fails', ['apikeyrotate id=a', DISABLED]],
  ['apikeyrmv fails', ['apikeyrmv id=a', DISABLED]],
]);
