import { command, ON_SERVICE } from '../command.ts';
import { textReply } from '../reply.ts';

export const state = command({
  ...ON_SERVICE,
  name: 'state',
  request: 'CLUSTER_STATE',
  group: 'cluster',
  summary: 'Tells the state of the cluster.',
  access: 'read',
  needs: 'session',
  params: {},
  reply: textReply('ACTIVE, ACTIVE_READ_ONLY or INACTIVE.'),
  errors: [],
  example: { query: 'cmd=state', response: 'ACTIVE' },
  run: (_, { grid }) => grid.cluster.state(),
});
