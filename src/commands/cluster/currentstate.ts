import { chain } from '../../base/maybe-promise.ts';
import { command, ON_SERVICE } from '../command.ts';
import { booleanReply } from '../reply.ts';

export const currentstate = command({
  ...ON_SERVICE,
  name: 'currentstate',
  request: 'CLUSTER_CURRENT_STATE',
  group: 'cluster',
  summary: 'Reports whether the cluster is active (old form of `state`).',
  access: 'read',
  needs: 'session',
  readsNoData: true,
  params: {},
  reply: booleanReply('True for ACTIVE and ACTIVE_READ_ONLY.'),
  errors: [],
  example: { query: 'cmd=currentstate', response: true },
  run: (_, { grid }) => chain(grid.cluster.state(), (state) => state !== 'INACTIVE'),
});
