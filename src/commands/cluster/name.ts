import { command, ON_SERVICE } from '../command.ts';
import { optionalTextReply } from '../reply.ts';

export const name = command({
  ...ON_SERVICE,
  name: 'name',
  request: 'NAME',
  group: 'cluster',
  summary: 'Tells the name of the node.',
  access: 'read',
  needs: 'session',
  params: {},
  reply: optionalTextReply('The configured name; null when there is none.'),
  errors: [],
  example: { query: 'cmd=name' },
  run: (_, { grid }) => grid.cluster.name(),
});
