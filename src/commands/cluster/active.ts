import { chain } from '../../base/maybe-promise.ts';
import { command, ON_SERVICE } from '../command.ts';
import { stringReply } from '../reply.ts';

export const active = command({
  ...ON_SERVICE,
  failures: 'bare',
  name: 'active',
  request: 'CLUSTER_ACTIVE',
  group: 'cluster',
  summary: 'Sets the state ACTIVE (old form of `setstate`).',
  access: 'write',
  needs: 'adminState',
  audit: 'always',
  params: {},
  reply: stringReply('`active started`.'),
  errors: [],
  example: { query: 'cmd=active', response: 'active started' },
  run: (_args, { grid }) => chain(grid.cluster.setState('ACTIVE', true), () => 'active started'),
});
