import { commandCases, refused } from '../../../test/test-service.ts';

commandCases('deactivate', [
  ['sets the state INACTIVE', ['deactivate', 'deactivate started'], ['state', 'INACTIVE']],
  [
    'keeps persistent entries',
    ['put key=a val=1', true],
    ['deactivate', 'deactivate started'],
    ['activate', 'activate started'],
    ['get key=a', '1'],
  ],
]);

commandCases(
  'deactivate with a cache that is not persistent',
  [
    [
      'refuses to lose entries',
      ['put cacheName=temporary key=a val=1', true],
      ['deactivate', refused('temporary')],
      ['state', 'ACTIVE'],
    ],
    [
      'loses them by force',
      ['put cacheName=temporary key=a val=1', true],
      ['deactivate force=true', 'deactivate started'],
      ['state', 'INACTIVE'],
    ],
  ],
  { caches: [{ name: 'temporary', region: 'memory' }], regions: [{ name: 'memory', persistent: false }] },
);
