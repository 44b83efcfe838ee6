import { commandCases, refused } from '../../../test/test-service.ts';
import type { NodeDescription } from '../context.ts';

const NODE: NodeDescription = {
  nodeId: '0a000000-000b-4000-8000-000000000001',
  consistentId: 'one',
  tcpAddresses: ['127.0.0.1', '10.0.0.7'],
  tcpHostNames: ['one.example.org'],
  tcpPort: 8080,
  order: 1,
  replicaCount: 0,
  defaultCacheMode: 'PARTITIONED',
  metrics: null,
  attributes: null,
  caches: [{ name: '', mode: 'PARTITIONED', sqlSchema: 'PUBLIC' }],
};
const nodes = {
  describe: (wants: { metrics: boolean; attributes: boolean; caches: boolean }) => [
    { ...NODE, metrics: wants.metrics ? { cpus: 2 } : null, caches: wants.caches ? NODE.caches : null },
  ],
};
const options = { nodes };

commandCases(
  'top',
  [
    ['lists all nodes', ['top', [NODE]]],
    ['does not filter by address', ['top ip=10.0.0.8', [NODE]]],
    ['refuses an id that is none', ['top id=here', refused('here')]],
  ],
  options,
);
