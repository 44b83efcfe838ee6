import { chain } from '../../base/maybe-promise.ts';
import { command, ON_SERVICE } from '../command.ts';
import { stringReply } from '../reply.ts';

export const activate = command({
  ...ON_SERVICE,
  failures: 'bare',
  name: 'activate',
  request: 'CLUSTER_ACTIVATE',
  group: 'cluster',
  summary: 'Sets the state ACTIVE (old form of `setstate`).',
  access: 'write',
  needs: 'adminState',
  audit: 'always',
  params: {},
  reply: stringReply('`activate started`.'),
  errors: [],
  example: { query: 'cmd=activate', response: 'activate started' },
  run: (_args, { grid }) => chain(grid.cluster.setState('ACTIVE', true), () => 'activate started'),
});
