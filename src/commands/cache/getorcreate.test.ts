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
    'rejects a different mode within a group',
    ['getorcreate cacheName=c cacheGroup=g templateName=REPLICATED', null],
    [
      'getorcreate cacheName=d cacheGroup=g',
      failsWith('existingCache=c, existingCacheMode=REPLICATED, startingCache=d, startingCacheMode=PARTITIONED]'),
    ],
  ],
  [
    'rejects the name of a system cache',
    ['getorcreate cacheName=ignite-sys-cache', failsWith('because it is reserved for internal purposes')],
    ['size cacheName=ignite-sys-cache', failsWith('Failed to get cache because it is a system cache')],
  ],
  [
    'keeps the keys of caches in a group apart',
    ['getorcreate cacheName=c cacheGroup=g', null],
    ['getorcreate cacheName=d cacheGroup=g', null],
    ['put cacheName=c key=a val=1', true],
    ['get cacheName=d key=a', null],
  ],
  [
    'gives entries a time to live',
    ['getorcreate cacheName=c ttlMs=1000', null],
    ['put cacheName=c key=a val=1', true],
    ['put cacheName=c key=b val=1 ttlMs=0', true],
    ['put cacheName=c key=d val=1 ttlMs=5000', true],
    ['put cacheName=c key=e val=1 exp=0', true],
    ['ttl cacheName=c key=a', 1_000],
    ['ttl cacheName=c key=b', null],
    ['ttl cacheName=c key=d', 5_000],
    ['ttl cacheName=c key=e', 1_000],
    600,
    ['append cacheName=c key=a val=1', true],
    ['ttl cacheName=c key=a', 1_000],
    600,
    ['getall cacheName=c k1=a k2=b k3=d k4=e', { a: '11', b: '1', d: '1' }],
  ],
  [
    'extends the time to live of entries that are read',
    ['getorcreate cacheName=c ttlMs=1000 sliding=true', null],
    ['put cacheName=c key=a val=1', true],
    ['put cacheName=c key=b val=1', true],
    600,
    ['get cacheName=c key=a', '1'],
    ['conkey cacheName=c key=b', true],
    600,
    ['conkeys cacheName=c k1=a', true],
    ['conkeys cacheName=c k1=b', false],
  ],
  [
    'rejects an invalid time to live',
    ['getorcreate cacheName=c ttlMs=-1', failsWith('Time to live must not be negative [ttlMs=-1]')],
    ['getorcreate cacheName=c ttlMs=x', failsWith('Failed to parse parameter of Long type [ttlMs=x]')],
    ['getorcreate cacheName=c sliding=true', failsWith('Sliding expiry needs a time to live of the cache')],
    ['getorcreate cacheName=c sliding=1 ttlMs=1', failsWith('Failed to parse parameter of Boolean type [sliding=1]')],
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
