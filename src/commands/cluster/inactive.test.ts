import { commandCases, refused } from '../../../test/test-service.ts';

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
      'refuses to lose entries',
      ['put cacheName=temporary key=a val=1', true],
      ['inactive', refused('temporary')],
      ['state', 'ACTIVE'],
    ],
    [
      'loses them by force',
      ['put cacheName=temporary key=a val=1', true],
      ['inactive force=true', 'inactive started'],
      ['state', 'INACTIVE'],
    ],
  ],
  { caches: [{ name: 'temporary', region: 'memory' }], regions: [{ name: 'memory', persistent: false }] },
);
