/** How a request body is read. The command decides, even while the service answers no commands. */
import { findCommand } from '../commands/registry.ts';
import type { CommandService } from './request.ts';

export const BODY_RULES: Required<Pick<CommandService, 'jsonParameter' | 'streamsBody'>> = {
  jsonParameter(params) {
    const command = findCommand(params.get('cmd') ?? '');
    // A dry run has the parameters of the command that it simulates.
    return (command?.acceptsOthers === true ? findCommand(params.get('of') ?? '') : command)?.json;
  },
  streamsBody: (cmd) => findCommand(cmd)?.body === 'stream',
};
