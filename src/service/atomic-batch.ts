/** Executes the commands of a batch as one transaction. */
import { type Clock, sleep } from '../base/clock.ts';
import { GridError, gridError } from '../base/errors.ts';
import { SLICE_MS } from '../base/slices.ts';
import type { BatchCommand } from '../commands/batch-commands.ts';
import type { RegisteredCommand } from '../commands/command.ts';
import type { BatchOptions, Caller, UserService } from '../commands/context.ts';
import { TransactionAborted, type TransactionOptions, type TransactionStep } from '../grid/grid.ts';
import { BatchRequest } from './batch-request.ts';
import { RecordedCall } from './recorded-call.ts';
import type { Outcome, RawRequest } from './request.ts';
import { ownerOf } from './request-context.ts';
import { RequestExecution } from './request-execution.ts';
import type { PipelineOptions, PreparedCommand } from './service-options.ts';

const rejectUser = () =>
  Promise.reject(gridError('BATCH_COMMAND', 'The statement', 'changes of users cannot be undone'));
const NO_USERS: UserService = { check: rejectUser, add: rejectUser, update: rejectUser, remove: rejectUser };

/** A command of the batch that can be executed. */
export interface AllowedCommand {
  readonly item: BatchCommand;
  readonly prepared: PreparedCommand;
}

/** A command whose handler waits for its call's result. */
interface Waiting {
  readonly name: string;
  readonly recorded: RecordedCall;
  readonly step: TransactionStep;
  readonly outcome: Promise<Outcome>;
}

export class AtomicBatch {
  readonly #options: PipelineOptions;
  readonly #request: RawRequest;
  readonly #caller: Caller;

  constructor(options: PipelineOptions, request: RawRequest, caller: Caller) {
    this.#options = { ...options, users: NO_USERS };
    this.#request = request;
    this.#caller = caller;
  }

  /**
   * Executes the commands, with a key only once. `allowed` returns what to execute for a command, or throws the reason
   * why it cannot be part of the batch. With `rollsBack`, nothing is changed. Returns the outcome of each; a failed one
   * has taken effect, and only its response could not be written. Throws the error of a failed command, with its
   * number; in that case nothing is changed.
   */
  async run(
    commands: readonly BatchCommand[],
    allowed: (command: BatchCommand) => AllowedCommand,
    { timeoutMs, tenant }: BatchOptions,
    once: TransactionOptions['once'],
    rollsBack = false,
  ): Promise<readonly Outcome[]> {
    const waiting: Waiting[] = [];
    const outcomes: Outcome[] = [];
    const pause = pauses(this.#options.clock);
    try {
      for (const command of commands) {
        waiting.push(await this.#begin(command, waiting.length, allowed));
        await pause(this.#request.signal());
      }
      if (waiting.length === 0) return [];
      const { grid, gridOf } = this.#options;
      const { transactions } = gridOf === undefined ? grid : await gridOf(this.#caller);
      const steps = waiting.map(({ step }) => step);
      const signal = this.#request.signal();
      const options = { owner: ownerOf(this.#caller), tenant, timeoutMs, signal, rollsBack, ...(once && { once }) };
      const results = await transactions.run(steps, options);
      for (const [index, { name, recorded, outcome }] of waiting.entries()) {
        recorded.resolve(results[index]);
        const known = await outcome;
        if (rollsBack && known.failure !== undefined) throw failedCommand(index, name, known.failure);
        outcomes.push(known);
        await pause();
      }
    } catch (error) {
      const known = error instanceof TransactionAborted ? this.#aborted(error, waiting) : error;
      for (const { recorded } of waiting) recorded.reject(known);
      await Promise.all(waiting.map(({ outcome }) => outcome));
      throw known;
    }
    return outcomes;
  }

  /** Executes a command up to its call of the grid. */
  async #begin(
    command: BatchCommand,
    index: number,
    allowed: (command: BatchCommand) => AllowedCommand,
  ): Promise<Waiting> {
    let name = command.cmd ?? '';
    try {
      const { item, prepared } = allowed(command);
      name = prepared.command.name;
      const condition = conditionOf(item, prepared.command);
      const recorded = new RecordedCall();
      const request = new BatchRequest(this.#request, item, this.#options.serviceName);
      const execution = new RequestExecution(this.#options, prepared, request, recorded);
      const outcome = Promise.resolve(execution.execute(this.#caller));
      await Promise.race([recorded.called, outcome]);
      const call = recorded.recorded;
      if (call !== undefined) return { name, recorded, step: condition ? { call, condition } : { call }, outcome };
      const { failure } = await outcome;
      throw failure ?? new Error(`${name} did not call the grid`);
    } catch (error) {
      throw error instanceof GridError ? failedCommand(index, name, error) : error;
    }
  }

  #aborted({ step, reason }: TransactionAborted, waiting: readonly Waiting[]): GridError {
    return failedCommand(step, waiting[step]?.name ?? '', reason);
  }
}

/**
 * Returns a function that lets the thread serve others at the end of a time slice. It throws REQUEST_TIMEOUT if the
 * client has meanwhile disconnected.
 */
function pauses(clock: Clock): (signal?: AbortSignal) => Promise<void> {
  let endMs = clock.monotonicMs() + SLICE_MS;
  return async (signal) => {
    if (clock.monotonicMs() < endMs) return;
    await sleep(clock, 0);
    if (signal?.aborted === true) throw gridError('REQUEST_TIMEOUT');
    endMs = clock.monotonicMs() + SLICE_MS;
  };
}

/** Returns a command's error as the batch's error, with the status of its code. */
function failedCommand(index: number, name: string, reason: GridError): GridError {
  const { message } = gridError('BATCH_ABORTED', index + 1, name, reason.message);
  const code = reason.code === 'BATCH_CONDITION' ? 'BATCH_ABORTED' : reason.code;
  const response = JSON.stringify({ command: index + 1, cmd: name });
  const { parameter, position } = reason;
  return new GridError(code, message, { cause: reason, response, parameter, position });
}

/** Returns a command's condition: the declared one, unless the batch sets another. */
function conditionOf(
  { options: { abortOnFalse, expectedRows } }: BatchCommand,
  { name, reply, rightsOn, isCondition }: RegisteredCommand,
): TransactionStep['condition'] {
  const isStatement = rightsOn === 'statement';
  if (expectedRows !== undefined) {
    if (!isStatement) throw gridError('BATCH_COMMAND', name, 'expectedRows is for statements');
    return { kind: 'rows', count: expectedRows };
  }
  if (abortOnFalse !== undefined && reply.kind !== 'boolean') {
    throw gridError('BATCH_COMMAND', name, 'abortOnFalse is for commands that return true or false');
  }
  return (abortOnFalse ?? isCondition === true) ? { kind: 'notFalse' } : undefined;
}
