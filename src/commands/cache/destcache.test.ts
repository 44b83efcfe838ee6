import { commandCases, compatibilityCases, failsWith } from '../../../test/test-service.ts';

commandCases('destcache', [
  [
    'destroys the cache',
    ['getorcreate cacheName=c', null],
    ['destcache cacheName=c', null],
    ['size cacheName=c', failsWith('Failed to find cache')],
  ],
  [
    'removes the entries of the cache',
    ['getorcreate cacheName=c', null],
    ['put cacheName=c key=a val=1', true],
    ['destcache cacheName=c', null],
    ['getorcreate cacheName=c', null],
    ['size cacheName=c', 0],
  ],
  ['succeeds for an unknown cache', ['destcache cacheName=none', null]],
  ['clears the default cache instead of destroying it', ['put key=a val=1', true], ['destcache', null], ['size', 0]],
  ['does not affect counters', ['incr key=n delta=1', 1], ['destcache', null], ['incr key=n delta=1', 2]],
]);

compatibilityCases('destcache', [
  [
    'rejects an empty name as an illegal argument with status 4',
    ['destcache cacheName=', failsWith('Cache name must not be null or empty.', 4)],
  ],
]);
