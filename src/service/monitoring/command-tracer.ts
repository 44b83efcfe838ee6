/** Records a command as part of a distributed trace. */
import type { CommandDeclaration } from '../../commands/command.ts';
import type { Caller } from '../../commands/context.ts';
import type { Outcome, RawRequest } from '../request.ts';

export interface CommandTracer {
  /** Records a command that has just ended. */
  ended(command: CommandDeclaration, outcome: Outcome, durationMs: number, caller: Caller, request: RawRequest): void;
}
