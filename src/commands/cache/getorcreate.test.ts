import { commandCases, referenceCases, refused } from '../../../test/test-service.ts';

commandCases('getorcreate', [
  ['makes a cache', ['getorcreate cacheName=c', null], ['put cacheName=c key=a val=1', true]],
  [
    'leaves an existing one as it is',
    ['getorcreate cacheName=c backups=1', null],
    ['put cacheName=c key=a val=1', true],
    ['getorcreate cacheName=c backups=2', null],
    ['get cacheName=c key=a', '1'],
  ],
  ['takes any text as a name', ['getorcreate cacheName=%C3%A4%20/x', null], ['size cacheName=%C3%A4%20/x', 0]],
  [
    'names differ by letter case',
    ['getorcreate cacheName=c', null],
    ['size cacheName=C', refused('Failed to find cache')],
  ],
  ['takes a template in any letter case', ['getorcreate cacheName=c templateName=replicated', null]],
  [
    'refuses an unknown template and names those there are',
    [
      'getorcreate cacheName=c templateName=X',
      refused('Failed to find cache template [templateName=X, templates=[PARTITIONED'),
    ],
    ['size cacheName=c', refused('Failed to find cache')],
  ],
  [
    'refuses an unknown region and names those there are',
    ['getorcreate cacheName=c dataRegion=X', refused('Failed to find data region [dataRegion=X, dataRegions=[default')],
    ['size cacheName=c', refused('Failed to find cache')],
  ],
  [
    'refuses backups that are no number',
    ['getorcreate cacheName=c backups=x', refused('Failed to parse number of cache backups: x')],
  ],
  [
    'refuses negative backups',
    ['getorcreate cacheName=c backups=-1', refused('Number of cache backups must not be negative')],
  ],
  [
    'refuses an unknown write mode',
    [
      'getorcreate cacheName=c writeSynchronizationMode=full_sync',
      refused('Failed to parse cache write synchronization mode: full_sync'),
    ],
  ],
  [
    'takes empty texts as absent',
    ['getorcreate cacheName=c backups= templateName= dataRegion= cacheGroup= writeSynchronizationMode=', null],
  ],
  [
    'refuses other backups in the same group',
    ['getorcreate cacheName=c cacheGroup=g backups=1', null],
    [
      'getorcreate cacheName=d cacheGroup=g backups=2',
      refused('Backups mismatch for caches related to the same group [groupName=g, existingCache=c'),
    ],
  ],
  [
    'caches of a group share no keys',
    ['getorcreate cacheName=c cacheGroup=g', null],
    ['getorcreate cacheName=d cacheGroup=g', null],
    ['put cacheName=c key=a val=1', true],
    ['get cacheName=d key=a', null],
  ],
  ['without a name it is the default cache, which exists', ['getorcreate', null], ['size', 0]],
]);

commandCases(
  'getorcreate with a limit of caches',
  [
    [
      'refuses one more',
      ['getorcreate cacheName=c', null],
      ['getorcreate cacheName=d', refused('the number of caches has reached its limit [limit=2]')],
    ],
  ],
  {
    limits: { caches: 2 },
  },
);

referenceCases('getorcreate', [
  [
    'an empty name is an illegal argument, status 4',
    ['getorcreate cacheName=', refused('Ouch! Argument is invalid: Cache name must not be null or empty.', 4)],
  ],
  ['an absent name is missing', ['getorcreate', refused('mandatory parameter in request: cacheName')]],
]);
