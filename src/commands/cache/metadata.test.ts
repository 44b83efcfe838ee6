import { expect, test } from 'bun:test';
import { commandCases, compatibilityCases, failsWith, openTestService } from '../../../test/test-service.ts';

const NOTHING = { types: [], keyClasses: {}, valClasses: {}, fields: {}, indexes: {} };

commandCases('metadata', [
  ['describes the default cache', ['metadata', { cacheName: 'default', ...NOTHING }]],
  [
    'describes the named cache',
    ['getorcreate cacheName=c', null],
    ['metadata cacheName=c', { cacheName: 'c', ...NOTHING }],
  ],
  [
    'returns an array of all caches for *',
    ['getorcreate cacheName=c', null],
    [
      'metadata cacheName=*',
      [
        { cacheName: 'default', ...NOTHING },
        { cacheName: 'c', ...NOTHING },
      ],
    ],
  ],
  ['rejects an unknown cache', ['metadata cacheName=none', failsWith('Failed to find cache')]],
]);

compatibilityCases('metadata', [
  ['returns an array of all caches', ['metadata', [{ cacheName: 'default', ...NOTHING }]]],
  ['rejects an unknown cache with an error text of its own', ['metadata cacheName=no', failsWith('no is not found')]],
  ['rejects any cache name on a single node', ['metadata cacheName=default', failsWith('default is not found')]],
]);

test('metadata omits a cache that is destroyed while all caches are described', async () => {
  const service = openTestService();
  await service.send('getorcreate cacheName=c');
  const described = service.send('metadata cacheName=*');
  await service.send('destcache cacheName=c');
  expect((await described).error).toBeNull();
});
