import { NODE, options } from '../../../test/fixtures/commands/nodes.ts';
import { commandCases, failsWith } from '../../../test/test-service.ts';

commandCases(
  'node',
  [
    ['finds a node by its id', [`node id=${NODE.nodeId}`, NODE]],
    ['accepts an upper-case id with short groups', ['node id=A000000-B-4000-8000-1', NODE]],
    ['finds a node by an address', ['node ip=10.0.0.7', NODE]],
    ['requires both id and address to match', [`node id=${NODE.nodeId} ip=10.0.0.8`, null]],
    ['returns null for an unknown node', ['node ip=10.0.0.8', null]],
    ['includes metrics with mtr=true', ['node ip=10.0.0.7 mtr=true', { ...NODE, metrics: { cpus: 2 } }]],
    ['omits caches with caches=false', ['node ip=10.0.0.7 caches=false', { ...NODE, caches: null }]],
    ['requires an id or an address', ['node', failsWith('Failed to handle request: [req=NODE')]],
    ['rejects an invalid id', ['node id=here', failsWith('here')]],
  ],
  options,
);

commandCases(
  'node in compatibility mode reference',
  [
    [
      'quotes the schema name',
      ['node ip=10.0.0.7', { ...NODE, caches: [{ name: 'default', mode: 'PARTITIONED', sqlSchema: '"PUBLIC"' }] }],
    ],
  ],
  { ...options, compatibility: 'reference' },
);
