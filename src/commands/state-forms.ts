/** The older forms of `setstate`. The two of each kind differ only in name. */
import { chain } from '../base/maybe-promise.ts';
import { command, ON_SERVICE, type RegisteredCommand } from './command.ts';
import { changeState, previewState } from './deactivation.ts';
import { audited, flag } from './params.ts';
import { stringReply } from './reply.ts';

const STATE_FORM = {
  ...ON_SERVICE,
  failures: 'bare',
  group: 'cluster',
  access: 'write',
  needs: 'adminState',
  audit: 'always',
} as const;

/** Declares a command that sets the state ACTIVE. */
export function activation(name: string, request: string): RegisteredCommand {
  const response = `${name} started`;
  return command({
    ...STATE_FORM,
    name,
    request,
    summary: 'Sets the state ACTIVE (old form of `setstate`).',
    params: {},
    reply: stringReply(`\`${response}\`.`),
    errors: [],
    example: { query: `cmd=${name}`, response },
    run: (_args, { grid }) => chain(grid.cluster.setState('ACTIVE', true), () => response),
    preview: (_args, context) => previewState('ACTIVE', true, context),
  });
}

/** Declares a command that sets the state INACTIVE. */
export function deactivation(name: string, request: string): RegisteredCommand {
  const response = `${name} started`;
  return command({
    ...STATE_FORM,
    name,
    request,
    summary: 'Sets the state INACTIVE (old form of `setstate`).',
    params: {
      force: audited(flag('force', 'Deactivate even if that drops entries of non-persistent caches.', false)),
    },
    reply: stringReply(`\`${response}\`.`),
    errors: ['DEACTIVATION_STOPPED'],
    example: { query: `cmd=${name}` },
    run: ({ force }, { grid, compatibility }) =>
      chain(changeState(grid, 'INACTIVE', force, compatibility), () => response),
    preview: ({ force }, context) => previewState('INACTIVE', force, context),
  });
}
