/**
 * The request pipeline: checks each request in a fixed order, runs the handler of its command, and converts the result
 * or error to an outcome.
 *
 * Order: command known, signature, credentials, parameters decoded, permission, required parameters, node, handler. The
 * first failure is the answer. In compatibility mode `reference`, parameters are decoded before credentials
 * (docs/spec/ignite-data.md 2.2).
 */
import { fail, GridError } from '../base/errors.ts';
import { SliceQueue } from '../base/slices.ts';
import { compileDecoder } from '../commands/decode.ts';
import { nearestCommands } from '../commands/nearest.ts';
import { findCommand } from '../commands/registry.ts';
import { createBatches } from './batch-execution.ts';
import { claimantOf } from './claimants.ts';
import { createDryRuns } from './dry-runs.ts';
import { LargeRequests } from './large-requests.ts';
import { type CommandService, failedOutcome, type Outcome, type RawRequest } from './request.ts';
import { type PreparedCommand, RequestExecution } from './request-execution.ts';
import { commandHint } from './request-hints.ts';
import type { PipelineOptions, ServiceOptions } from './service-options.ts';

/** Creates the service of all registered commands. */
export function createService(options: ServiceOptions): CommandService {
  const pipeline: PipelineOptions = {
    ...options,
    ...largePartsOf(options),
    batches: createBatches({
      clock: options.clock,
      pipeline: () => pipeline,
      find: (cmd) => find(cmd),
      execute: (...request) => service.execute(...request),
    }),
    dryRuns: createDryRuns({ pipeline: () => pipeline, find: (cmd) => find(cmd) }),
  };
  const find = prepareCommands(options.serviceName);
  const commandOf = (request: RawRequest): PreparedCommand | GridError => {
    const { cmd } = request;
    if (cmd === undefined || cmd === '') return fail('COMMAND_MISSING', commandHint(request, options.serviceName));
    return find(cmd) ?? fail('COMMAND_UNKNOWN', cmd, nearestCommands(cmd));
  };
  const executionOf = (request: RawRequest): RequestExecution | Outcome => {
    const found = commandOf(request);
    return found instanceof GridError ? failedOutcome(found, 400) : new RequestExecution(pipeline, found, request);
  };
  const { signature, authentication } = options;
  const guarded = signature !== undefined || authentication !== undefined;

  const own: CommandService = {
    execute(request, identity) {
      const execution = executionOf(request);
      return execution instanceof RequestExecution ? execution.execute(identity) : execution;
    },
    arrayParameter: (cmd) => find(cmd)?.command.array,
    streamsBody: (cmd) => find(cmd)?.command.body === 'stream',
    claimantOf(request, identity) {
      const caller = identity?.caller ?? authentication?.callerWithoutWaiting(request);
      return claimantOf(caller, request, options.isAdministrator);
    },
    identify: guarded
      ? (request) => {
          const execution = executionOf(request);
          return execution instanceof RequestExecution ? execution.identify() : execution;
        }
      : undefined,
    judgeHead: guarded
      ? (request) => {
          const found = request.cmd === undefined ? undefined : commandOf(request);
          if (found instanceof GridError) return found;
          try {
            signature?.check(request);
          } catch (error) {
            return error instanceof GridError ? error : 'unknown';
          }
          return authentication === undefined ? 'known' : authentication.judgeHead(request, found?.command);
        }
      : undefined,
    reject: guarded
      ? (request, error) => {
          const found = request.cmd === undefined ? undefined : commandOf(request);
          if (found instanceof GridError) return failedOutcome(found, 400);
          if (found !== undefined) return new RequestExecution(pipeline, found, request).reject(error);
          const { http } = error.entry;
          const outcome = failedOutcome(error, options.httpStatus || error.entry.httpAlways === true ? http : 200);
          options.observer.rejected(outcome, request);
          return outcome;
        }
      : undefined,
  };
  const service = options.wrap?.(own) ?? own;
  return service;
}

/** Returns what runs long requests and those on large entries. */
function largePartsOf({
  grid,
  clock,
  limits,
}: ServiceOptions): Pick<PipelineOptions, 'decodes' | 'digests' | 'boundedGrid' | 'largeRequests'> {
  return {
    decodes: new SliceQueue(clock),
    digests: new SliceQueue(clock),
    boundedGrid: grid.largeEntries === undefined ? grid : { ...grid, entries: grid.largeEntries.bounded },
    largeRequests: new LargeRequests(clock, limits.valueCharacters),
  };
}

/**
 * Returns a function that finds a command by its name in any letter case. It prepares each when it is asked for first:
 * all of them take a tenth of the time until the service has started.
 */
function prepareCommands(serviceName: string): (cmd: string) => PreparedCommand | undefined {
  const prepared = new Map<string, PreparedCommand>();
  return (cmd) => {
    const known = prepared.get(cmd);
    if (known !== undefined) return known;
    const command = findCommand(cmd);
    if (command === undefined) return undefined;
    const found = prepared.get(command.name) ?? { command, decoder: compileDecoder(command, serviceName) };
    prepared.set(command.name, found);
    return found;
  };
}
