import { commandCases, failsWith } from '../../../test/test-service.ts';

commandCases('size', [
  ['counts entries', ['size', 0], ['putall k1=a v1=1 k2=b v2=2', true], ['size', 2]],
  ['does not count expired entries', ['put key=a val=1 exp=10', true], ['put key=b val=1', true], 10, ['size', 1]],
  ['rejects an unknown cache', ['size cacheName=none', failsWith('Failed to find cache for given cache name: none')]],
  [
    'rejects an unknown node',
    ['size destId=3f0c1c9e-6c55-4a0e-8a8e-0d3f7a4b2c11', failsWith('Cluster group is empty.')],
  ],
  ['ignores a destId that is not a node id', ['size destId=here', 0]],
]);
