import { chain } from '../../base/maybe-promise.ts';
import { command, ON_SERVICE } from '../command.ts';
import { changeState } from '../deactivation.ts';
import { audited, flag } from '../params.ts';
import { stringReply } from '../reply.ts';

export const deactivate = command({
  ...ON_SERVICE,
  failures: 'bare',
  name: 'deactivate',
  request: 'CLUSTER_DEACTIVATE',
  group: 'cluster',
  summary: 'Sets the state INACTIVE (old form of `setstate`).',
  access: 'write',
  needs: 'adminState',
  audit: 'always',
  params: {
    force: audited(flag('force', 'Deactivate even if that drops entries of non-persistent caches.', false)),
  },
  reply: stringReply('`deactivate started`.'),
  errors: ['NOT_A_BOOLEAN', 'DEACTIVATION_STOPPED'],
  example: { query: 'cmd=deactivate' },
  run: ({ force }, { grid, compatibilityFlags }) =>
    chain(changeState(grid, 'INACTIVE', force, compatibilityFlags), () => 'deactivate started'),
});
