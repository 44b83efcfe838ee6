import { command, ON_SERVICE } from '../command.ts';
import { stringReply } from '../reply.ts';

export const version = command({
  ...ON_SERVICE,
  name: 'version',
  request: 'VERSION',
  group: 'server',
  summary: 'Returns the version of the server.',
  access: 'read',
  needs: 'session',
  readsNoData: true,
  // Row 23 of docs/differences.md.
  openedBy: 'reference',
  params: {},
  reply: stringReply('The version, for example 1.0.0.'),
  errors: [],
  example: { query: 'cmd=version' },
  run: (_, { grid }) => grid.cluster.version(),
});
