import { commandCases, failsWith } from '../../../test/test-service.ts';
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
  describe: (include: { metrics: boolean; attributes: boolean; caches: boolean }) => [
    { ...NODE, metrics: include.metrics ? { cpus: 2 } : null, caches: include.caches ? NODE.caches : null },
  ],
};
const options = { nodes };

commandCases(
  'top',
  [
    ['returns all nodes', ['top', [NODE]]],
    ['ignores the address', ['top ip=10.0.0.8', [NODE]]],
    ['rejects an invalid id', ['top id=here', failsWith('here')]],
  ],
  options,
);
