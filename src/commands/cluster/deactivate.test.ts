import { commandCases, failsWith } from '../../../test/test-service.ts';

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
      'rejects the change while entries would be lost',
      ['put cacheName=temporary key=a val=1', true],
      ['deactivate', failsWith('temporary')],
      ['state', 'ACTIVE'],
    ],
    [
      'drops the entries with force=true',
      ['put cacheName=temporary key=a val=1', true],
      ['deactivate force=true', 'deactivate started'],
      ['state', 'INACTIVE'],
    ],
  ],
  { caches: [{ name: 'temporary', region: 'memory' }], regions: [{ name: 'memory', persistent: false }] },
);
