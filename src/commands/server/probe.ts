import { gridError } from '../../base/errors.ts';
import { chain } from '../../base/maybe-promise.ts';
import { command, ON_SERVICE } from '../command.ts';
import { choiceInAnyCase } from '../params.ts';
import { stringReply } from '../reply.ts';

/** GridGain 8 has the first two; Ignite 2.17 has no kinds. */
const KINDS = ['liveness', 'readiness', 'startup'] as const;

export const probe = command({
  ...ON_SERVICE,
  name: 'probe',
  request: 'PROBE',
  group: 'server',
  summary: 'Reports whether the service is running or ready.',
  access: 'read',
  needs: 'open',
  params: {
    kind: choiceInAnyCase(
      'kind',
      KINDS,
      '`liveness`, the default: whether the service is running. `readiness` or `startup`: whether it can execute commands.',
      (text) => gridError('PROBE_KIND_INVALID', text, KINDS.join(', ')),
    ),
  },
  reply: stringReply('`grid has started` or `ready`. If it is not, the HTTP status is 503.'),
  errors: ['PROBE_KIND_INVALID', 'NOT_READY'],
  example: { query: 'cmd=probe', response: 'grid has started' },
  run({ kind }, { services: { readiness } }) {
    if (kind === undefined || kind === 'liveness') return 'grid has started';
    return chain(readiness.isReady(), (ready) => {
      if (!ready) throw gridError('NOT_READY');
      return 'ready';
    });
  },
});
