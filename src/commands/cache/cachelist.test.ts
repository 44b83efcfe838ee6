import { expect } from 'bun:test';
import { commandCases, failsWith } from '../../../test/test-service.ts';

const MEMBERS = { prim: null, mapped: null, mode: 'PARTITIONED', atomicity: 'ATOMIC', backups: 0, affCls: null };
const DEFAULT = {
  cacheName: 'default',
  cacheId: 1544803905,
  grpName: 'default',
  grpId: 1544803905,
  ...MEMBERS,
  cacheSize: 0,
};
const a = { cacheName: 'a', cacheId: 97, ...MEMBERS, cacheSize: 1 };
const GROUP = [
  ['getorcreate cacheName=a cacheGroup=g', null],
  ['getorcreate cacheName=b cacheGroup=g', null],
  ['put cacheName=a key=1 val=1', true],
  ['putall cacheName=b k1=1 v1=1 k2=2 v2=2', true],
] as const;

commandCases('cachelist', [
  ['lists the default cache', ['cachelist', [DEFAULT]]],
  [
    'lists caches by name, with their sizes',
    ...GROUP,
    [
      'cachelist',
      [
        { ...a, grpName: 'g', grpId: 103 },
        { ...a, cacheName: 'b', cacheId: 98, grpName: 'g', grpId: 103, cacheSize: 2 },
        DEFAULT,
      ],
    ],
  ],
  [
    'lists the caches whose whole name matches',
    ...GROUP,
    [
      'cachelist regex=[ab]',
      [
        { ...a, grpName: 'g', grpId: 103 },
        { ...a, cacheName: 'b', cacheId: 98, grpName: 'g', grpId: 103, cacheSize: 2 },
      ],
    ],
    ['cachelist regex=def', []],
    ['cachelist regex=def.*', [DEFAULT]],
  ],
  [
    'lists groups',
    ...GROUP,
    ['cachelist groups=true regex=g', [{ grpName: 'g', grpId: 103, ...MEMBERS, cachesCnt: 2, cacheSize: 3 }]],
  ],
  [
    'lists configurations',
    ['getorcreate cacheName=c templateName=REPLICATED writeSynchronizationMode=PRIMARY_SYNC', null],
    [
      'cachelist config=true regex=c',
      [
        {
          cacheName: 'c',
          mapped: null,
          configuration: {
            name: 'c',
            groupName: null,
            mode: 'REPLICATED',
            atomicityMode: 'ATOMIC',
            backups: 2_147_483_647,
            writeSynchronizationMode: 'PRIMARY_SYNC',
            dataRegionName: 'default',
            persistent: true,
            sqlSchema: null,
          },
        },
      ],
    ],
  ],
  [
    'tells of a time to live',
    ['getorcreate cacheName=c ttlMs=60000', null],
    ['cachelist regex=c', [expect.objectContaining({ cacheName: 'c', ttlMs: 60_000, sliding: false })]],
  ],
  ['lists no sequences', ['cachelist seq=true', []]],
  [
    'rejects two lists at once',
    ['cachelist groups=true config=true', failsWith('groups and config cannot be combined')],
  ],
  ['rejects an invalid regular expression', ['cachelist regex=(', failsWith('Failed to parse the regular expression')]],
  [
    'rejects an unknown node',
    ['cachelist nodeId=3f0c1c9e-6c55-4a0e-8a8e-0d3f7a4b2c11', failsWith('Failed to find a node with this id')],
  ],
  [
    'fails while inactive',
    ['setstate state=INACTIVE', 'setstate done'],
    ['cachelist', failsWith('the cluster is inactive')],
  ],
]);
