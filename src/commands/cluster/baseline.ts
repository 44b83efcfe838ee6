import type { Baseline } from '../../grid/grid.ts';
import { command, ON_SERVICE } from '../command.ts';
import { type JsonSchema, jsonReply, members } from '../reply.ts';

const SCHEMA: JsonSchema = {
  type: 'object',
  ...members({
    active: { type: 'boolean' },
    baseline: { type: 'array', items: { type: 'string' } },
    topologyVersion: { type: 'integer' },
    servers: { type: 'array', items: { type: 'string' } },
  }),
};

export const baseline = command({
  ...ON_SERVICE,
  name: 'baseline',
  request: 'BASELINE_CURRENT_STATE',
  group: 'cluster',
  summary: 'Returns the baseline: the nodes that hold data.',
  access: 'read',
  needs: 'adminMetrics',
  params: {},
  reply: jsonReply<Baseline>('baseline', SCHEMA, 'The consistent ids of the baseline nodes and of the servers.'),
  errors: [],
  example: { query: 'cmd=baseline' },
  run: (_args, { grid }) => grid.cluster.baseline(),
});
