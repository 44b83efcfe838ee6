import { commandCases } from '../../../test/test-service.ts';

const NODE = '00000000-0000-4000-8000-000000000001';

commandCases('baseline', [
  [
    'returns the nodes that hold data',
    ['baseline', { active: true, baseline: [NODE], topologyVersion: 1, servers: [NODE] }],
  ],
  [
    'reports that the cluster is inactive',
    ['inactive', 'inactive started'],
    ['baseline', { active: false, baseline: [NODE], topologyVersion: 1, servers: [NODE] }],
  ],
]);
