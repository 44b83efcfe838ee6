/** A service with one node. */
import type { NodeDescription } from '../context.ts';

export const NODE: NodeDescription = {
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
/** Options of a test service that has only this node. */
export const options = { nodes };
