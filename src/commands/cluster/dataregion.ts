import type { RegionMetrics } from '../../grid/grid.ts';
import { command, ON_SERVICE } from '../command.ts';
import { jsonReply, members } from '../reply.ts';

export const dataregion = command({
  ...ON_SERVICE,
  name: 'dataregion',
  request: 'DATA_REGION_METRICS',
  group: 'cluster',
  summary: 'Returns the metrics of the data regions.',
  access: 'read',
  needs: 'adminMetrics',
  params: {},
  reply: jsonReply<readonly RegionMetrics[]>(
    'regions',
    {
      type: 'array',
      items: {
        type: 'object',
        ...members({ name: { type: 'string' } }),
        additionalProperties: { type: 'number' },
      },
    },
    'One object for each region; an empty array while the cluster is inactive.',
  ),
  errors: [],
  example: { query: 'cmd=dataregion' },
  run: (_args, { grid }) => grid.cluster.regions(),
});
