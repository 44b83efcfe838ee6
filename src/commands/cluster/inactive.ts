import { chain } from '../../base/maybe-promise.ts';
import { command, ON_SERVICE } from '../command.ts';
import { changeState } from '../deactivation.ts';
import { audited, flag } from '../params.ts';
import { stringReply } from '../reply.ts';

export const inactive = command({
  ...ON_SERVICE,
  failures: 'bare',
  name: 'inactive',
  request: 'CLUSTER_INACTIVE',
  group: 'cluster',
  summary: 'Sets the state INACTIVE (old form of `setstate`).',
  access: 'write',
  needs: 'adminState',
  audit: 'always',
  params: {
    force: audited(flag('force', 'Deactivate even if that drops entries of non-persistent caches.', false)),
  },
  reply: stringReply('`inactive started`.'),
  errors: ['NOT_A_BOOLEAN', 'DEACTIVATION_STOPPED'],
  example: { query: 'cmd=inactive' },
  run: ({ force }, { grid, compatibilityFlags }) =>
    chain(changeState(grid, 'INACTIVE', force, compatibilityFlags), () => 'inactive started'),
});
