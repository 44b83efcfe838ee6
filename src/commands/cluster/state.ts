import { command, ON_SERVICE } from '../command.ts';
import { stringReply } from '../reply.ts';

export const state = command({
  ...ON_SERVICE,
  name: 'state',
  request: 'CLUSTER_STATE',
  group: 'cluster',
  summary: 'Returns the state of the cluster.',
  access: 'read',
  needs: 'session',
  readsNoData: true,
  params: {},
  reply: stringReply('ACTIVE, ACTIVE_READ_ONLY or INACTIVE.'),
  errors: [],
  example: { query: 'cmd=state', response: 'ACTIVE' },
  run: (_, { grid }) => grid.cluster.state(),
});
