import { command, ON_SERVICE } from '../command.ts';
import { optionalStringReply } from '../reply.ts';

export const name = command({
  ...ON_SERVICE,
  name: 'name',
  request: 'NAME',
  group: 'cluster',
  summary: 'Returns the name of the node.',
  access: 'read',
  needs: 'session',
  readsNoData: true,
  params: {},
  reply: optionalStringReply('The configured name; null if there is none.'),
  errors: [],
  example: { query: 'cmd=name' },
  run: (_, { grid }) => grid.cluster.name(),
});
