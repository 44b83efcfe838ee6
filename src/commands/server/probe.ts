import { command, ON_SERVICE } from '../command.ts';
import { optionalText } from '../params.ts';
import { textReply } from '../reply.ts';

export const probe = command({
  ...ON_SERVICE,
  name: 'probe',
  request: 'PROBE',
  group: 'server',
  summary: 'Tells that the service has started.',
  access: 'read',
  needs: 'open',
  params: { kind: optionalText('kind', 'startup, liveness or readiness; the answer is the same.') },
  reply: textReply('`grid has started`; while it starts or stops the answer is 503.'),
  errors: [],
  example: { query: 'cmd=probe', response: 'grid has started' },
  run: (_args, _context) => 'grid has started',
});
