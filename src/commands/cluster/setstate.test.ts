import { commandCases, compatibilityCases, failsWith } from '../../../test/test-service.ts';

const TEMPORARY = {
  caches: [{ name: 'temporary', region: 'memory' }],
  regions: [{ name: 'memory', persistent: false }],
};

commandCases('setstate', [
  [
    'rejects writes while read-only',
    ['setstate state=ACTIVE_READ_ONLY', 'setstate done'],
    ['put key=a val=1', failsWith('cluster is in read-only mode')],
    ['get key=a', null],
  ],
  [
    'rejects reads and writes of entries while inactive',
    ['put key=a val=1', true],
    ['setstate state=INACTIVE', 'setstate done'],
    ['get key=a', failsWith('the cluster is inactive')],
    ['setstate state=ACTIVE', 'setstate done'],
    ['get key=a', '1'],
  ],
  [
    'succeeds when the state does not change',
    ['setstate state=ACTIVE', 'setstate done'],
    ['setstate state=ACTIVE', 'setstate done'],
  ],
  ['requires a state', ['setstate', failsWith("State can't be null.")]],
  [
    'accepts states in upper case only',
    ['setstate state=active', failsWith('Failed to parse parameter of ClusterState type [state=active]')],
    ['state', 'ACTIVE'],
  ],
]);

commandCases(
  'setstate with a cache that is not persistent',
  [
    [
      'rejects the change while entries would be lost',
      ['put cacheName=temporary key=a val=1', true],
      ['setstate state=INACTIVE', failsWith('temporary')],
      ['state', 'ACTIVE'],
    ],
    [
      'drops the entries with force=true',
      ['put cacheName=temporary key=a val=1', true],
      ['setstate state=INACTIVE force=true', 'setstate done'],
      ['setstate state=ACTIVE', 'setstate done'],
      ['size cacheName=temporary', 0],
    ],
    ['needs no force when no entry would be lost', ['setstate state=INACTIVE', 'setstate done']],
    [
      'ignores expired entries',
      ['put cacheName=temporary key=a val=1 exp=10', true],
      10,
      ['setstate state=INACTIVE', 'setstate done'],
    ],
  ],
  TEMPORARY,
);

compatibilityCases('setstate', [
  ['needs no force while every cache is persistent', ['setstate state=INACTIVE', 'setstate done']],
]);

commandCases(
  'setstate with an empty cache that is not persistent, in compatibility mode reference',
  [
    [
      'needs force',
      ['setstate state=INACTIVE', failsWith('Deactivation stopped.')],
      ['inactive', failsWith('In memory caches: [temporary]')],
      ['deactivate force=yes', failsWith("To deactivate cluster pass '--force' flag")],
      ['state', 'ACTIVE'],
      ['setstate state=INACTIVE force=true', 'setstate done'],
    ],
    [
      'needs no force when the state does not change',
      ['setstate state=INACTIVE force=true', 'setstate done'],
      ['setstate state=INACTIVE', 'setstate done'],
      ['deactivate', 'deactivate started'],
    ],
  ],
  { ...TEMPORARY, compatibility: 'reference' },
);
