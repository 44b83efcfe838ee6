import { commandCases, refused } from '../../../test/test-service.ts';

commandCases('size', [
  ['counts entries', ['size', 0], ['putall k1=a v1=1 k2=b v2=2', true], ['size', 2]],
  ['counts no expired entry', ['put key=a val=1 exp=10', true], ['put key=b val=1', true], 10, ['size', 1]],
  ['needs a cache that exists', ['size cacheName=none', refused('Failed to find cache for given cache name: none')]],
  [
    'refuses a node that there is not',
    ['size destId=3f0c1c9e-6c55-4a0e-8a8e-0d3f7a4b2c11', refused('Cluster group is empty.')],
  ],
  ['ignores a node that is no id', ['size destId=here', 0]],
]);
