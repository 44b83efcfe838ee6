import { commandCases, compatibilityCases, failsWith } from '../../../test/test-service.ts';

commandCases('clear', [
  [
    'clears only the given cache',
    ['getorcreate cacheName=c', null],
    ['put cacheName=c key=a val=1', true],
    ['put key=a val=1', true],
    ['clear cacheName=c', true],
    ['size cacheName=c', 0],
    ['size', 1],
  ],
  ['clears the default cache by its name', ['put key=a val=1', true], ['clear cacheName=default', true], ['size', 0]],
  [
    'clears nothing without a cache name',
    ['put key=a val=1', true],
    ['clear', failsWith('mandatory parameter in request: cacheName')],
    ['clear cacheName=', failsWith('cacheName')],
    ['size', 1],
  ],
  ['rejects an unknown cache', ['clear cacheName=none', failsWith('Failed to find cache for given cache name: none')]],
]);

compatibilityCases('clear', [
  [
    'always reports missing keys',
    ['getorcreate cacheName=c', null],
    ['clear cacheName=c', failsWith('mandatory parameter in request: keys')],
  ],
]);
