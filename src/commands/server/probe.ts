import { command, ON_SERVICE } from '../command.ts';
import { optionalString } from '../params.ts';
import { stringReply } from '../reply.ts';

export const probe = command({
  ...ON_SERVICE,
  name: 'probe',
  request: 'PROBE',
  group: 'server',
  summary: 'Reports that the service has started.',
  access: 'read',
  needs: 'open',
  params: { kind: optionalString('kind', '`startup`, `liveness` or `readiness`; the response is the same.') },
  reply: stringReply('`grid has started`. While the service starts or stops, the HTTP status is 503.'),
  errors: [],
  example: { query: 'cmd=probe', response: 'grid has started' },
  run: (_args, _context) => 'grid has started',
});
