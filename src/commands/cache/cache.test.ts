import { commandCases, failsWith } from '../../../test/test-service.ts';

const START_MS = 1_700_000_000_000;

commandCases('cache', [
  [
    'counts reads, hits, misses and writes',
    ['put key=a val=1', true],
    ['get key=a', '1'],
    ['get key=b', null],
    5,
    ['get key=a', '1'],
    [
      'cache',
      { createTime: START_MS, readTime: START_MS + 5, writeTime: START_MS, hits: 2, misses: 1, reads: 3, writes: 1 },
    ],
  ],
  [
    'reports 0 as times before the first read and write',
    7,
    ['getorcreate cacheName=c', null],
    [
      'cache cacheName=c',
      { createTime: START_MS + 7, readTime: 0, writeTime: 0, hits: 0, misses: 0, reads: 0, writes: 0 },
    ],
  ],
  ['rejects an unknown cache', ['cache cacheName=none', failsWith('Failed to find cache for given cache name: none')]],
  [
    'rejects an unknown node',
    ['cache destId=3f0c1c9e-6c55-4a0e-8a8e-0d3f7a4b2c11', failsWith('Cluster group is empty.')],
  ],
]);
