import { gridError } from '../../base/errors.ts';
import { chain } from '../../base/maybe-promise.ts';
import { CLUSTER_STATES } from '../../grid/grid.ts';
import { command, ON_SERVICE } from '../command.ts';
import { changeState, previewState } from '../deactivation.ts';
import { audited, checkedByHandler, choice, flag } from '../params.ts';
import { stringReply } from '../reply.ts';

export const setstate = command({
  ...ON_SERVICE,
  failures: 'bare',
  name: 'setstate',
  request: 'CLUSTER_SET_STATE',
  group: 'cluster',
  summary: 'Sets the state of the cluster.',
  access: 'write',
  needs: 'adminState',
  audit: 'always',
  params: {
    state: audited(
      checkedByHandler(
        choice('state', CLUSTER_STATES, 'The new state.', (text) => gridError('STATE_INVALID', text), false),
      ),
    ),
    force: audited(flag('force', 'Deactivate even if that drops entries of non-persistent caches.', false)),
  },
  reply: stringReply('`setstate done`.'),
  errors: ['STATE_MISSING', 'STATE_INVALID', 'DEACTIVATION_STOPPED'],
  example: { query: 'cmd=setstate&state=ACTIVE', response: 'setstate done' },
  run({ state, force }, { grid, compatibility }) {
    if (state === undefined) throw gridError('STATE_MISSING');
    return chain(changeState(grid, state, force, compatibility), () => 'setstate done');
  },
  preview({ state, force }, context) {
    if (state === undefined) throw gridError('STATE_MISSING');
    return previewState(state, force, context);
  },
});
