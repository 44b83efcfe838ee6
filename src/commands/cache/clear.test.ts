import { commandCases, referenceCases, refused } from '../../../test/test-service.ts';

commandCases('clear', [
  [
    'empties the named cache and no other',
    ['getorcreate cacheName=c', null],
    ['put cacheName=c key=a val=1', true],
    ['put key=a val=1', true],
    ['clear cacheName=c', true],
    ['size cacheName=c', 0],
    ['size', 1],
  ],
  ['empties the default cache by its name', ['put key=a val=1', true], ['clear cacheName=default', true], ['size', 0]],
  [
    'empties nothing by omission',
    ['put key=a val=1', true],
    ['clear', refused('mandatory parameter in request: cacheName')],
    ['clear cacheName=', refused('cacheName')],
    ['size', 1],
  ],
  ['needs a cache that exists', ['clear cacheName=none', refused('Failed to find cache for given cache name: none')]],
]);

referenceCases('clear', [
  [
    'always misses its keys',
    ['getorcreate cacheName=c', null],
    ['clear cacheName=c', refused('mandatory parameter in request: keys')],
  ],
]);
