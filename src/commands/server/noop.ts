import { command, ON_SERVICE } from '../command.ts';
import { nullReply } from '../reply.ts';

export const noop = command({
  ...ON_SERVICE,
  failures: 'wrappedAsTask',
  name: 'noop',
  request: 'NOOP',
  group: 'server',
  summary: 'Does nothing. Clients use it to keep a session alive.',
  access: 'read',
  needs: 'session',
  readsNoData: true,
  params: {},
  reply: nullReply('Always null.'),
  errors: [],
  example: { query: 'cmd=noop', response: null },
  run: (_args, _context) => {},
});
