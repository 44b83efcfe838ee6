/** How a request body is read. The command decides, even while the service answers no commands. */
import { findCommand } from '../commands/registry.ts';
import type { CommandService } from './request.ts';

export const BODY_RULES: Required<Pick<CommandService, 'findStructured' | 'streamsBody'>> = {
  findStructured(params) {
    const command = findCommand(params.get('cmd') ?? '');
    // A dry run has the parameters of the command that it simulates.
    return command?.acceptsOthers === true ? findCommand(params.get('of') ?? '') : command;
  },
  streamsBody: (cmd) => findCommand(cmd)?.body === 'stream',
};
