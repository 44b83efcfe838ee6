/**
 * The request pipeline: checks each request in a fixed order, runs the handler of its command, and converts the result
 * or error to an outcome.
 *
 * Order: signature, credentials, command known, parameters decoded, permission, required parameters, node, handler. The
 * first failure is the response. In compatibility mode `reference`, the command comes first, and parameters are decoded
 * before credentials (docs/spec/ignite-data.md 2.2).
 */
import { GridError, gridError } from '../base/errors.ts';
import { chain, type MaybePromise } from '../base/maybe-promise.ts';
import { placeOfPage } from '../base/meant-pages.ts';
import { compileDecoder } from '../commands/decode.ts';
import { nearestCommands } from '../commands/nearest.ts';
import { findCommand } from '../commands/registry.ts';
import { createBatches } from './batch-execution.ts';
import { BODY_RULES } from './body-rules.ts';
import { dryRuns } from './dry-runs.ts';
import { answerOnce } from './kept-answers.ts';
import {
  type CommandService,
  failedOutcome,
  failureFormOf,
  httpOf,
  type Outcome,
  type PreAuthentication,
  type RawRequest,
  type RequiredAccess,
} from './request.ts';
import { executeRequest, RequestExecution } from './request-execution.ts';
import { commandHint } from './request-hints.ts';
import { type PreparedCommand, type ServiceOptions, withContract } from './service-options.ts';
import { tenantOf } from './tenants.ts';

/** Creates the service of all registered commands. */
export function createService(options: ServiceOptions): CommandService {
  const find = prepareCommands(options.serviceName);
  const pipeline = withContract({ ...options, find, batches: createBatches(options.clock), dryRuns });
  const commandOf = (request: RawRequest): PreparedCommand | GridError => {
    const { cmd } = request;
    if (cmd === undefined || cmd === '') return gridError('COMMAND_MISSING', commandHint(request, options.serviceName));
    return (
      find(cmd) ??
      gridError('COMMAND_UNKNOWN', cmd, nearestCommands(cmd), placeOfPage(cmd.toLowerCase(), options.pages))
    );
  };
  const { signature, authentication } = options;
  const guarded = signature !== undefined || authentication !== undefined;
  // Ignite decodes parameters before it checks credentials (docs/differences.md, row 39).
  const commandFirst = options.compatibility === 'reference';
  const withoutCommand = withoutCommandIn(options);

  return {
    execute(request, caller) {
      const found = commandOf(request);
      if (!(found instanceof GridError)) return executeRequest(pipeline, found, request, caller);
      return caller === undefined ? withoutCommand(request, found) : unexecuted(request, found, options);
    },
    ...BODY_RULES,
    answerOnce: (request) => answerOnce(pipeline, request),
    tenantOf: (request) => tenantOf(authentication?.callerWithoutWaiting(request), request, options.isAdministrator),
    preAuthenticate: guarded
      ? (request) => preAuthenticate(options, request, request.cmd === undefined ? undefined : commandOf(request))
      : undefined,
    reject: guarded
      ? (request, error) => {
          const found = request.cmd === undefined ? undefined : commandOf(request);
          if (found instanceof GridError) return unexecuted(request, error, options);
          if (found !== undefined) return new RequestExecution(pipeline, found, request).reject(error);
          const { errorObjects, httpStatus } = failureFormOf(request, options);
          const outcome = failedOutcome(error, errorObjects, httpOf(error.entry, httpStatus));
          options.observer.rejected(outcome, request);
          return outcome;
        }
      : undefined,
    unread: guarded && !commandFirst ? withoutCommand : undefined,
  };
}

/** Checks the head of a request whose command is `found`, unless the body names it. */
function preAuthenticate(
  { signature, authentication, compatibility }: ServiceOptions,
  request: RawRequest,
  found: PreparedCommand | GridError | undefined,
): MaybePromise<PreAuthentication> {
  const isUnknown = found instanceof GridError;
  if (isUnknown && compatibility === 'reference') return found;
  try {
    signature?.check(request);
  } catch (error) {
    return error instanceof GridError ? error : 'unknown';
  }
  const judged = authentication?.preAuthenticate(request, isUnknown ? undefined : found?.command) ?? 'known';
  return isUnknown ? chain(judged, (each) => (each === 'known' ? found : each)) : judged;
}

/** Returns the access that a request needs although it is not executed: its credentials still count. */
function unexecutedCommand({ cmd = '' }: RawRequest): RequiredAccess {
  const { params = {}, acceptsOthers } = findCommand(cmd) ?? {};
  return { needs: 'session', params, ...(acceptsOthers && { acceptsOthers }) };
}

/** HTTP status of a request that names no command or cannot be read, unless it asks for its error's. Recorded. */
const UNEXECUTED = 400;

/** Returns the outcome of a request that names no command or cannot be read. */
function unexecuted(request: RawRequest, error: GridError, options: ServiceOptions): Outcome {
  const { errorObjects, httpStatus } = failureFormOf(request, options);
  // Clients look for Retry-After only with its own status.
  const isOwn = httpStatus || error.code === 'RATE_LIMITED';
  return failedOutcome(error, errorObjects, isOwn ? error.entry.http : UNEXECUTED);
}

/**
 * Returns a function that answers a request that names no command or cannot be read. Without valid credentials, the
 * error is about these (docs/differences.md, rows 2 and 39).
 */
function withoutCommandIn(options: ServiceOptions): (request: RawRequest, error: GridError) => MaybePromise<Outcome> {
  const { signature, authentication, rateLimiter, observer, compatibility } = options;
  return (request, error) => {
    if (compatibility === 'reference') return unexecuted(request, error, options);
    const rejected = (reason: unknown): Outcome => {
      if (!(reason instanceof GridError)) throw reason;
      const told = reason.code === 'TOKEN_MISSING' ? gridError('TOKEN_MISSING_UNREAD', error.message) : reason;
      const outcome = unexecuted(request, told, options);
      observer.rejected(outcome, request);
      return outcome;
    };
    try {
      const usage = rateLimiter?.begin(request);
      usage?.check();
      signature?.check(request);
      const caller = authentication?.authenticate(request, unexecutedCommand(request));
      if (!(caller instanceof Promise)) return unexecuted(request, error, options);
      return caller.then(() => unexecuted(request, error, options), rejected);
    } catch (reason) {
      return rejected(reason);
    }
  };
}

/**
 * Returns a function that finds a command by its name in any letter case. It prepares each on first use: preparing all
 * of them would delay startup.
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
