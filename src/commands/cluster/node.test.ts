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
  'node',
  [
    ['is found by its id', [`node id=${NODE.nodeId}`, NODE]],
    ['is found by its id in upper case and with short groups', ['node id=A000000-B-4000-8000-1', NODE]],
    ['is found by one of its addresses', ['node ip=10.0.0.7', NODE]],
    ['must fit both when both are given', [`node id=${NODE.nodeId} ip=10.0.0.8`, null]],
    ['is null where there is none', ['node ip=10.0.0.8', null]],
    ['shows metrics when asked', ['node ip=10.0.0.7 mtr=true', { ...NODE, metrics: { cpus: 2 } }]],
    ['shows no caches when told so', ['node ip=10.0.0.7 caches=false', { ...NODE, caches: null }]],
    ['needs an id or an address', ['node', refused('Failed to handle request: [req=NODE')]],
    ['refuses an id that is none', ['node id=here', refused('here')]],
  ],
  options,
);

commandCases(
  'node in compatibility mode reference',
  [
    [
      'quotes the schema',
      ['node ip=10.0.0.7', { ...NODE, caches: [{ name: 'default', mode: 'PARTITIONED', sqlSchema: '"PUBLIC"' }] }],
    ],
  ],
  { ...options, compatibility: 'reference' },
);
