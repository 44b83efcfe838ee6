/** Executes the commands of a batch, each like a request of its own with the sender of the batch. */
import { sleep } from '../base/clock.ts';
import { fail, GridError } from '../base/errors.ts';
import { GeneratorWork, runAtOnce, SLICE_MS, SliceQueue } from '../base/slices.ts';
import { type BatchCommand, parseBatch } from '../commands/batch-commands.ts';
import type { BatchUse } from '../commands/command.ts';
import type { BatchService, Caller } from '../commands/context.ts';
import { nearestCommands } from '../commands/nearest.ts';
import { BatchRequest } from './batch-request.ts';
import { type CommandService, envelopeHead, failedOutcome, type Outcome, type RawRequest } from './request.ts';
import type { PreparedCommand } from './request-execution.ts';
import type { ServiceOptions } from './service-options.ts';

/** Shorter texts are parsed at once. */
const AT_ONCE_CHARACTERS = 16 * 1_024;

const REJECTIONS: { readonly [U in BatchUse]: string | undefined } = {
  atomic: undefined,
  separate: undefined,
  logsIn: 'log in before, and send the credentials with the batch',
  isBatch: 'a batch cannot contain another one',
};

export interface BatchParts {
  readonly options: ServiceOptions;
  readonly find: (cmd: string) => PreparedCommand | undefined;
  readonly execute: CommandService['execute'];
}

/** Creates the service that executes the batches of requests. */
export function createBatches(parts: BatchParts): (request: RawRequest, caller: Caller) => BatchService {
  const queue = new SliceQueue(parts.options.clock);
  return (request, caller) => ({
    run: async (text, { stopOnError }) => {
      const commands = await parse(text, request, parts.options, queue);
      return new BatchExecution(parts, request, caller).run(commands, stopOnError);
    },
  });
}

/** Parses the commands; many of them in slices, between which the thread serves others. */
async function parse(
  text: string,
  request: RawRequest,
  { limits }: ServiceOptions,
  queue: SliceQueue,
): Promise<readonly BatchCommand[]> {
  const work = new GeneratorWork(parseBatch(text, limits));
  if (text.length <= AT_ONCE_CHARACTERS) runAtOnce(work);
  else await queue.enqueue(request.signal(), (run) => run(work));
  return work.result ?? [];
}

class BatchExecution {
  readonly #parts: BatchParts;
  readonly #request: RawRequest;
  readonly #caller: Caller;
  /** Characters of the results so far. */
  #characters = 0;

  constructor(parts: BatchParts, request: RawRequest, caller: Caller) {
    this.#parts = parts;
    this.#request = request;
    this.#caller = caller;
  }

  /** Executes the commands in order. Returns the JSON array of the envelopes of those that were executed. */
  async run(commands: readonly BatchCommand[], stopOnError: boolean): Promise<string> {
    const { clock } = this.#parts.options;
    const signal = this.#request.signal();
    const results: string[] = [];
    let sliceEndMs = clock.monotonicMs() + SLICE_MS;
    for (const command of commands) {
      // Nobody waits for the results.
      if (signal.aborted) throw fail('REQUEST_TIMEOUT');
      const outcome = this.#execute(command);
      const waits = outcome instanceof Promise;
      const result = await this.#result(waits ? await outcome : outcome);
      results.push(result.text);
      if (result.isLast || (stopOnError && result.failed)) break;
      // Commands that wait for something let the thread serve others meanwhile.
      if (!waits && clock.monotonicMs() >= sliceEndMs) await sleep(clock, 0);
      else if (!waits) continue;
      sliceEndMs = clock.monotonicMs() + SLICE_MS;
    }
    return `[${results.join(',')}]`;
  }

  #execute(command: BatchCommand): ReturnType<CommandService['execute']> {
    const { options, find, execute } = this.#parts;
    const rejection = rejectionOf(command, find, options.serviceName);
    if (rejection !== undefined) return failedOutcome(rejection);
    return execute(new BatchRequest(this.#request, command, options.serviceName), {
      caller: this.#caller,
      open: false,
    });
  }

  /** Returns the envelope of an outcome, whose response is read as a whole. */
  async #result(outcome: Outcome): Promise<{ text: string; failed: boolean; isLast: boolean }> {
    const limit = this.#parts.options.limits.batchResponseCharacters;
    let shown = outcome;
    let response = 'null';
    let isLast = false;
    try {
      response = await collect(outcome.response, limit - this.#characters);
    } catch (error) {
      isLast = error instanceof TooLong;
      const failure = isLast ? fail('LIMIT_EXCEEDED', 'batch response characters', limit, `more than ${limit}`) : error;
      if (!(failure instanceof GridError)) throw error;
      shown = failedOutcome(failure);
    }
    const text = `${envelopeHead({ ...shown, sessionToken: null })}${response}}`;
    this.#characters += text.length;
    return { text, failed: shown.successStatus !== 0, isLast };
  }
}

/** Returns why a command cannot be executed at all. */
function rejectionOf(
  { cmd, params, failure }: BatchCommand,
  find: BatchParts['find'],
  serviceName: string,
): GridError | undefined {
  if (cmd === undefined || cmd === '') return fail('COMMAND_MISSING', 'Each command of a batch has a member cmd.');
  const found = find(cmd);
  if (found === undefined) return fail('COMMAND_UNKNOWN', cmd, nearestCommands(cmd));
  const { name, batch } = found.command;
  const reason = REJECTIONS[batch];
  if (reason !== undefined) return fail('BATCH_COMMAND', name, reason);
  const credential = ['sessionToken', `${serviceName}.login`, `${serviceName}.password`].find((each) =>
    params.has(each),
  );
  if (credential !== undefined) return fail('BATCH_COMMAND', name, `send ${credential} with the batch, not inside it`);
  return failure;
}

/** Thrown for a response that exceeds what is left for the results of a batch. */
class TooLong extends Error {}

/** Returns the whole text. Throws TooLong if it has more than `characters`. */
async function collect(response: Outcome['response'], characters: number): Promise<string> {
  let text = '';
  for await (const chunk of typeof response === 'string' ? [response] : response) {
    text += chunk;
    if (text.length > characters) throw new TooLong();
  }
  return text;
}
