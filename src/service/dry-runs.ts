/** Predicts what commands would do: with a transaction that is rolled back, or from their declarations. */
import { GridError, gridError } from '../base/errors.ts';
import type { Tenant } from '../base/shares.ts';
import type { BatchCommand } from '../commands/batch-commands.ts';
import type { RegisteredCommand } from '../commands/command.ts';
import type { Caller, DryRunResult, DryRunService, Effect } from '../commands/context.ts';
import type { Decoder } from '../commands/decode.ts';
import { nearestCommands } from '../commands/nearest.ts';
import { nullReply } from '../commands/reply.ts';
import type { Value } from '../values/value.ts';
import { AtomicBatch } from './atomic-batch.ts';
import { collect, separateReason } from './batch-execution.ts';
import { BatchRequest, credentialNames } from './batch-request.ts';
import { followsContract, type RawRequest, type RequestObserver } from './request.ts';
import { impliedTypesOf, RequestSource } from './request-context.ts';
import { RequestExecution } from './request-execution.ts';
import { type PipelineOptions, type PreparedCommand, withContract } from './service-options.ts';

/** Returns a function that performs a dry run of a request's command. */
export function dryRuns(pipeline: PipelineOptions, request: RawRequest, caller: Caller): DryRunService {
  return {
    async run(name, tenant) {
      const prepared = pipeline.find(name);
      if (prepared === undefined) throw gridError('COMMAND_UNKNOWN', name, nearestCommands(name));
      const { command } = prepared;
      if (command.access === 'read' && command.rightsOn !== 'statement') {
        throw gridError('DRY_RUN_UNSUPPORTED', command.name, 'it changes nothing; send it by itself');
      }
      // Dry runs are neither counted nor recorded in the audit log.
      const quietly = withContract({ ...pipeline, observer: quiet(pipeline.observer) });
      const options = followsContract(request) ? quietly.contract : quietly;
      const item = itemOf(prepared, request, options.serviceName);
      const previewed = command.preview && (await preview(options, prepared, item, request, caller));
      if (previewed !== undefined) return previewed;
      if (command.batch === 'isBatch') return ofBatch(options, prepared, item, { request, caller, tenant });
      const reason = separateReason(command, item.params);
      if (command.batch === 'atomic' && reason !== undefined)
        throw gridError('DRY_RUN_UNSUPPORTED', command.name, reason);
      if (command.batch === 'atomic') return runAndRollBack(options, prepared, item, { request, caller, tenant });
      throw gridError('DRY_RUN_UNSUPPORTED', command.name, 'its effect is known only when it is executed');
    },
  };
}

/** Returns an observer that records only unexpected errors. */
function quiet(observer: RequestObserver): RequestObserver {
  return {
    begin() {},
    waits() {},
    end() {},
    ignored: (...args) => observer.ignored(...args),
    rejected() {},
    unexpected: (...args) => observer.unexpected(...args),
  };
}

/** Returns a request's command. */
function itemOf({ command }: PreparedCommand, request: RawRequest, serviceName: string): BatchCommand {
  const params = new Map(request.params);
  for (const name of ['cmd', 'of', ...credentialNames(serviceName)]) params.delete(name);
  // The response false is a valid result here.
  const abortOnFalse = command.reply.kind === 'boolean' ? false : undefined;
  return {
    cmd: command.name,
    params,
    types: request.jsonTypes ?? new Map(),
    options: { abortOnFalse, expectedRows: undefined },
    failure: undefined,
  };
}

/** Checks a command, and returns the effects that its declaration predicts; undefined if none. */
async function preview(
  options: PipelineOptions,
  { command, decoder }: PreparedCommand,
  item: BatchCommand,
  request: RawRequest,
  caller: Caller,
): Promise<DryRunResult | undefined> {
  let effects: readonly Effect[] | undefined;
  const previewed: RegisteredCommand = {
    ...command,
    reply: nullReply(''),
    async run(args, context) {
      effects = await command.preview?.(args, context);
    },
  };
  const ownRequest = new BatchRequest(request, item, options.serviceName);
  const execution = new RequestExecution(options, { command: previewed, decoder }, ownRequest);
  const { failure } = await execution.execute(caller);
  if (failure !== undefined) throw failure;
  if (effects === undefined) return undefined;
  return {
    of: command.name,
    response: 'null',
    effects,
    types: await typesOf(options, { command, decoder }, ownRequest),
  };
}

interface DryRunRequest {
  readonly request: RawRequest;
  readonly caller: Caller;
  readonly tenant: Tenant;
}

/** Runs the commands of a batch as one transaction that is rolled back: each sees the changes of those before it. */
async function ofBatch(
  options: PipelineOptions,
  { command, decoder }: PreparedCommand,
  item: BatchCommand,
  { request, caller, tenant }: DryRunRequest,
): Promise<DryRunResult> {
  let response = '[]';
  let isAtomic = false;
  const rolledBack: RegisteredCommand = {
    ...command,
    reply: nullReply(''),
    async run(args, { batches }) {
      isAtomic = args.atomic === true;
      const timeoutMs = Number(args.timeout ?? 0);
      const batchOptions = { atomic: true, stopOnError: true, timeoutMs, tenant, rollsBack: true };
      response = await batches.run(String(args.commands), batchOptions);
    },
  };
  const ownRequest = new BatchRequest(request, item, options.serviceName);
  const execution = new RequestExecution(options, { command: rolledBack, decoder }, ownRequest);
  const { failure } = await execution.execute(caller);
  if (failure !== undefined)
    throw (isAtomic ? undefined : unsupportedCommand(failure, command.name, options.find)) ?? failure;
  return { of: command.name, response, effects: null, types: {} };
}

/**
 * Returns the reason why a batch has no dry run, if it failed because of a command that is allowed in batches but not
 * in transactions, or undefined for other failures.
 */
function unsupportedCommand(failure: unknown, name: string, find: PipelineOptions['find']): GridError | undefined {
  if (!(failure instanceof GridError) || failure.code !== 'BATCH_COMMAND' || failure.response === undefined) return;
  const { command: number, cmd } = JSON.parse(failure.response) as { readonly command: number; readonly cmd: string };
  const use = find(cmd)?.command.batch;
  if (use !== 'atomic' && use !== 'separate') return undefined;
  const reason = `it runs as an atomic one, which command ${number} (${cmd}) cannot be part of; run that dry by itself`;
  return gridError('DRY_RUN_UNSUPPORTED', name, reason);
}

/** Runs a command as a transaction that is rolled back, and returns its response. */
async function runAndRollBack(
  options: PipelineOptions,
  prepared: PreparedCommand,
  item: BatchCommand,
  { request, caller, tenant }: DryRunRequest,
): Promise<DryRunResult> {
  const batch = new AtomicBatch(options, request, caller);
  try {
    const timeoutMs = timeLimitOf(options, prepared.decoder, item);
    const batchOptions = { atomic: true, stopOnError: true, timeoutMs, tenant };
    const [outcome] = await batch.run([item], () => ({ item, prepared }), batchOptions, undefined, true);
    const { name } = prepared.command;
    const response = await collect(outcome?.response ?? 'null', options.limits.batchResponseCharacters);
    const types = await typesOf(options, prepared, new BatchRequest(request, item, options.serviceName));
    return { of: name, response, effects: null, types };
  } catch (error) {
    throw reasonOf(error, prepared.command.name);
  }
}

/** Returns the time limit that the command requests, in milliseconds; 0 to use the setting. */
function timeLimitOf(options: PipelineOptions, decoder: Decoder, item: BatchCommand): number {
  if (!item.params.has('timeout')) return 0;
  const { timeout } = decoder.read(new RequestSource(options, item.params));
  return typeof timeout === 'number' ? timeout : 0;
}

/** Returns the command's own error, to which a batch adds its number. */
function reasonOf(error: unknown, name: string): unknown {
  if (!(error instanceof GridError)) return error;
  const reason = error.cause instanceof GridError ? error.cause : error;
  return reason.code === 'BATCH_COMMAND' ? gridError('DRY_RUN_UNSUPPORTED', name, reason.message) : reason;
}

/** Returns the types to which the keys and values are converted. */
async function typesOf(
  options: PipelineOptions,
  { command, decoder }: PreparedCommand,
  request: RawRequest,
): Promise<DryRunResult['types']> {
  const types: Record<string, string | readonly string[]> = {};
  const implied = await impliedTypesOf(options, command, request);
  for (const [name, value] of Object.entries(decoder.read(new RequestSource(options, request.params, implied)))) {
    if (isValue(value)) types[name] = typeOf(value);
    else if (Array.isArray(value) && value.length > 0 && value.every(isValue)) types[name] = value.map(typeOf);
  }
  return types;
}

function isValue(value: unknown): value is Value {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

function typeOf(value: Value): string {
  return value.type === 'object' ? value.typeName : value.type;
}
