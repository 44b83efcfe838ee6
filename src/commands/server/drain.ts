import { gridError } from '../../base/errors.ts';
import { command, ON_SERVICE } from '../command.ts';
import { audited, checkedByHandler, choiceInAnyCase, flag } from '../params.ts';
import { jsonReply, members } from '../reply.ts';

const ACTIONS = ['start', 'stop', 'status'] as const;

interface DrainStatus {
  readonly draining: boolean;
}

/** A command of GridGain 8. */
export const drain = command({
  ...ON_SERVICE,
  name: 'drain',
  request: 'DRAIN',
  group: 'server',
  summary: 'Makes the service report that it is not ready, so load balancers stop sending it traffic.',
  since: '1.1.0',
  access: 'write',
  needs: 'adminState',
  audit: 'always',
  params: {
    action: audited(
      checkedByHandler(
        choiceInAnyCase('action', ACTIONS, 'The action; `status` changes nothing.', (text) =>
          gridError('DRAIN_ACTION_INVALID', text, ACTIONS.join(', ')),
        ),
      ),
    ),
    force: flag('force', 'Accepted for GridGain clients; has no effect.', false),
  },
  reply: jsonReply<DrainStatus>(
    'drain',
    { type: 'object', ...members({ draining: { type: 'boolean' } }) },
    'Whether the service is draining. It drains until `stop` or a restart.',
  ),
  errors: ['PARAMETER_MISSING', 'DRAIN_ACTION_INVALID'],
  example: { query: 'cmd=drain&action=status', response: { draining: false } },
  run({ action }, { services: { readiness } }) {
    if (action === undefined) throw gridError('PARAMETER_MISSING', 'action', 'action');
    if (action !== 'status') readiness.setDraining(action === 'start');
    return { draining: readiness.isDraining() };
  },
});
