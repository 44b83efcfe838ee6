import { commandCases, referenceCases, refused } from '../../../test/test-service.ts';

commandCases('destcache', [
  [
    'destroys the cache',
    ['getorcreate cacheName=c', null],
    ['destcache cacheName=c', null],
    ['size cacheName=c', refused('Failed to find cache')],
  ],
  [
    'takes the entries with it',
    ['getorcreate cacheName=c', null],
    ['put cacheName=c key=a val=1', true],
    ['destcache cacheName=c', null],
    ['getorcreate cacheName=c', null],
    ['size cacheName=c', 0],
  ],
  ['is a success where there is no cache', ['destcache cacheName=none', null]],
  ['empties the default cache, which stays', ['put key=a val=1', true], ['destcache', null], ['size', 0]],
  ['leaves counters alone', ['incr key=n delta=1', 1], ['destcache', null], ['incr key=n delta=1', 2]],
]);

referenceCases('destcache', [
  [
    'an empty name is an illegal argument, status 4',
    ['destcache cacheName=', refused('Cache name must not be null or empty.', 4)],
  ],
]);
