/**
 * The request pipeline: checks each request in a fixed order, runs the handler of its command, and converts the result
 * or error to an outcome.
 *
 * Order (docs/spec/ignite-data.md 2.2): command known, signature, parameters decoded, session, permission, required
 * parameters, node, handler. The first failure is the answer.
 */
import { fail, type GridError } from '../base/errors.ts';
import { compileDecoder } from '../commands/decode.ts';
import { nearestCommands } from '../commands/nearest.ts';
import { COMMANDS, findCommand } from '../commands/registry.ts';
import type { CommandService, Outcome, RawRequest } from './request.ts';
import { type PreparedCommand, RequestExecution } from './request-execution.ts';
import type { ServiceOptions } from './service-options.ts';

/** Creates the service of all registered commands. */
export function createService(options: ServiceOptions): CommandService {
  const prepared: ReadonlyMap<string, PreparedCommand> = new Map(
    COMMANDS.map((command) => [command.name, { command, decoder: compileDecoder(command, options.serviceName) }]),
  );
  const find = (cmd: string) => prepared.get(cmd) ?? prepared.get(findCommand(cmd)?.name ?? '');

  const executionOf = (request: RawRequest): RequestExecution | Outcome => {
    const { cmd } = request;
    if (cmd === undefined || cmd === '') return notACommand(fail('COMMAND_MISSING'));
    const found = find(cmd);
    if (found === undefined) return notACommand(fail('COMMAND_UNKNOWN', cmd, nearestCommands(cmd)));
    return new RequestExecution(options, found, request);
  };
  const { signature, authentication } = options;
  const guarded = signature !== undefined || authentication !== undefined;

  return {
    execute(request, identity) {
      const execution = executionOf(request);
      return execution instanceof RequestExecution ? execution.execute(identity) : execution;
    },
    identify: guarded
      ? (request) => {
          const execution = executionOf(request);
          return execution instanceof RequestExecution ? execution.identify() : execution;
        }
      : undefined,
    judgeHead: guarded
      ? (request) => {
          const command = request.cmd === undefined ? undefined : find(request.cmd)?.command;
          try {
            signature?.check(request);
          } catch {
            return command === undefined ? 'unknown' : 'rejected';
          }
          return authentication === undefined ? 'known' : authentication.judgeHead(request, command);
        }
      : undefined,
  };
}

function notACommand(error: GridError): Outcome {
  return {
    successStatus: error.entry.status,
    http: 400,
    error: error.message,
    response: 'null',
    affinityNodeId: undefined,
    sessionToken: null,
    securitySubjectId: null,
  };
}
