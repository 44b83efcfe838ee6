import { commandCases, compatibilityCases, failsWith } from '../../../test/test-service.ts';

commandCases('getorcreate', [
  ['creates a cache', ['getorcreate cacheName=c', null], ['put cacheName=c key=a val=1', true]],
  [
    'does not change an existing cache',
    ['getorcreate cacheName=c backups=1', null],
    ['put cacheName=c key=a val=1', true],
    ['getorcreate cacheName=c backups=2', null],
    ['get cacheName=c key=a', '1'],
  ],
  ['accepts any string as a name', ['getorcreate cacheName=%C3%A4%20/x', null], ['size cacheName=%C3%A4%20/x', 0]],
  [
    'compares names case-sensitively',
    ['getorcreate cacheName=c', null],
    ['size cacheName=C', failsWith('Failed to find cache')],
  ],
  ['accepts a template name in any letter case', ['getorcreate cacheName=c templateName=replicated', null]],
  [
    'rejects an unknown template and lists the known ones',
    [
      'getorcreate cacheName=c templateName=X',
      failsWith('Failed to find cache template [templateName=X, templates=[PARTITIONED'),
    ],
    ['size cacheName=c', failsWith('Failed to find cache')],
  ],
  [
    'rejects an unknown region and lists the known ones',
    [
      'getorcreate cacheName=c dataRegion=X',
      failsWith('Failed to find data region [dataRegion=X, dataRegions=[default'),
    ],
    ['size cacheName=c', failsWith('Failed to find cache')],
  ],
  [
    'rejects a non-numeric number of backups',
    ['getorcreate cacheName=c backups=x', failsWith('Failed to parse number of cache backups: x')],
  ],
  [
    'rejects a negative number of backups',
    ['getorcreate cacheName=c backups=-1', failsWith('Number of cache backups must not be negative')],
  ],
  [
    'rejects an unknown write synchronization mode',
    [
      'getorcreate cacheName=c writeSynchronizationMode=full_sync',
      failsWith('Failed to parse cache write synchronization mode: full_sync'),
    ],
  ],
  [
    'treats empty parameters as absent',
    ['getorcreate cacheName=c backups= templateName= dataRegion= cacheGroup= writeSynchronizationMode=', null],
  ],
  [
    'rejects a different number of backups within a group',
    ['getorcreate cacheName=c cacheGroup=g backups=1', null],
    [
      'getorcreate cacheName=d cacheGroup=g backups=2',
      failsWith('Backups mismatch for caches related to the same group [groupName=g, existingCache=c'),
    ],
  ],
  [
    'keeps the keys of caches in a group apart',
    ['getorcreate cacheName=c cacheGroup=g', null],
    ['getorcreate cacheName=d cacheGroup=g', null],
    ['put cacheName=c key=a val=1', true],
    ['get cacheName=d key=a', null],
  ],
  ['defaults to the existing default cache', ['getorcreate', null], ['size', 0]],
]);

commandCases(
  'getorcreate with a limit of caches',
  [
    [
      'rejects more caches than the limit',
      ['getorcreate cacheName=c', null],
      ['getorcreate cacheName=d', failsWith('the number of caches has reached its limit [limit=2]')],
    ],
  ],
  {
    limits: { caches: 2 },
  },
);

compatibilityCases('getorcreate', [
  [
    'rejects an empty name as an illegal argument with status 4',
    ['getorcreate cacheName=', failsWith('Ouch! Argument is invalid: Cache name must not be null or empty.', 4)],
  ],
  ['rejects an absent name', ['getorcreate', failsWith('mandatory parameter in request: cacheName')]],
]);
