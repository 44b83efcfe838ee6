import { commandCases, refused } from '../../../test/test-service.ts';

const TEMPORARY = {
  caches: [{ name: 'temporary', region: 'memory' }],
  regions: [{ name: 'memory', persistent: false }],
};

commandCases('setstate', [
  [
    'refuses writes while read-only',
    ['setstate state=ACTIVE_READ_ONLY', 'setstate done'],
    ['put key=a val=1', refused('cluster is in read-only mode')],
    ['get key=a', null],
  ],
  [
    'refuses everything on entries while inactive',
    ['put key=a val=1', true],
    ['setstate state=INACTIVE', 'setstate done'],
    ['get key=a', refused('the cluster is inactive')],
    ['setstate state=ACTIVE', 'setstate done'],
    ['get key=a', '1'],
  ],
  [
    'is a success when nothing changes',
    ['setstate state=ACTIVE', 'setstate done'],
    ['setstate state=ACTIVE', 'setstate done'],
  ],
  ['needs a state', ['setstate', refused("State can't be null.")]],
  [
    'knows its states in upper case',
    ['setstate state=active', refused('Failed to parse parameter of ClusterState type [state=active]')],
    ['state', 'ACTIVE'],
  ],
]);

commandCases(
  'setstate with a cache that is not persistent',
  [
    [
      'refuses to lose entries',
      ['put cacheName=temporary key=a val=1', true],
      ['setstate state=INACTIVE', refused('temporary')],
      ['state', 'ACTIVE'],
    ],
    [
      'loses them by force',
      ['put cacheName=temporary key=a val=1', true],
      ['setstate state=INACTIVE force=true', 'setstate done'],
      ['setstate state=ACTIVE', 'setstate done'],
      ['size cacheName=temporary', 0],
    ],
    ['needs no force when there is nothing to lose', ['setstate state=INACTIVE', 'setstate done']],
    [
      'counts no expired entry',
      ['put cacheName=temporary key=a val=1 exp=10', true],
      10,
      ['setstate state=INACTIVE', 'setstate done'],
    ],
  ],
  TEMPORARY,
);
