import { commandCases, failsWith } from '../../../test/test-service.ts';

commandCases('inactive', [
  ['sets the state INACTIVE', ['inactive', 'inactive started'], ['state', 'INACTIVE']],
  [
    'keeps persistent entries',
    ['put key=a val=1', true],
    ['inactive', 'inactive started'],
    ['activate', 'activate started'],
    ['get key=a', '1'],
  ],
]);

commandCases(
  'inactive with a cache that is not persistent',
  [
    [
      'rejects the change while entries would be lost',
      ['put cacheName=temporary key=a val=1', true],
      ['inactive', failsWith('temporary')],
      ['state', 'ACTIVE'],
    ],
    [
      'drops the entries with force=true',
      ['put cacheName=temporary key=a val=1', true],
      ['inactive force=true', 'inactive started'],
      ['state', 'INACTIVE'],
    ],
  ],
  { caches: [{ name: 'temporary', region: 'memory' }], regions: [{ name: 'memory', persistent: false }] },
);
