import { expect, test } from 'bun:test';
import { commandCases, openTestService, referenceCases, refused } from '../../../test/test-service.ts';

const NOTHING = { types: [], keyClasses: {}, valClasses: {}, fields: {}, indexes: {} };

commandCases('metadata', [
  ['describes the default cache', ['metadata', { cacheName: 'default', ...NOTHING }]],
  [
    'describes the named cache',
    ['getorcreate cacheName=c', null],
    ['metadata cacheName=c', { cacheName: 'c', ...NOTHING }],
  ],
  [
    'gives an array of all for *',
    ['getorcreate cacheName=c', null],
    [
      'metadata cacheName=*',
      [
        { cacheName: 'default', ...NOTHING },
        { cacheName: 'c', ...NOTHING },
      ],
    ],
  ],
  ['needs a cache that exists', ['metadata cacheName=none', refused('Failed to find cache')]],
]);

referenceCases('metadata', [
  ['is an array of all caches', ['metadata', [{ cacheName: 'default', ...NOTHING }]]],
  ['fails for a cache that is not there with its own text', ['metadata cacheName=no', refused('no is not found')]],
  ['fails for a named cache on one node', ['metadata cacheName=default', refused('default is not found')]],
]);

test('a cache that is destroyed while all are described is left out', async () => {
  const service = openTestService();
  await service.ask('getorcreate cacheName=c');
  const described = service.ask('metadata cacheName=*');
  await service.ask('destcache cacheName=c');
  expect((await described).error).toBeNull();
});
