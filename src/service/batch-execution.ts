/** Executes the commands of a batch, each like a separate request from the batch's sender. */
import { type Clock, sleep } from '../base/clock.ts';
import { GridError, gridError } from '../base/errors.ts';
import { ERROR_CHARACTERS } from '../base/limits.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { completeAtOnce, SLICE_MS, SliceQueue, STEP_CHARACTERS } from '../base/slices.ts';
import { type BatchCommand, parseBatch } from '../commands/batch-commands.ts';
import type { BatchUse, RegisteredCommand } from '../commands/command.ts';
import type { BatchOptions, Caller } from '../commands/context.ts';
import { nearestCommands } from '../commands/nearest.ts';
import { DEFAULT_CACHE, namedCacheOf } from '../grid/declarations.ts';
import type { IdempotencyKey } from '../grid/idempotency.ts';
import { type AllowedCommand, AtomicBatch } from './atomic-batch.ts';
import { BatchRequest, credentialNames } from './batch-request.ts';
import { BODY_RULES } from './body-rules.ts';
import { IDEMPOTENCY_KEY, keyOf, keyOfCommand } from './idempotency-keys.ts';
import { envelopeHead, failedOutcome, failureFormOf, type Outcome, type RawRequest } from './request.ts';
import { executeRequest, mayChange } from './request-execution.ts';
import type { PipelineOptions } from './service-options.ts';

/** Maximum number of changes started before the first result is known. */
const GROUP_COMMANDS = 256;
/** Kinds of replies whose length has a small bound. */
const SHORT_REPLIES: ReadonlySet<string> = new Set(['boolean', 'null', 'long']);
/** Maximum number of characters in a result that is an error, or one of {@link SHORT_REPLIES}. */
const RESULT_CHARACTERS = 2 * ERROR_CHARACTERS;

/** Returns the reason why a command must be separate from others, or undefined if it may be part of an atomic batch. */
export function separateReason({ batch, notAtomicWith = '' }: RegisteredCommand, params: BatchCommand['params']) {
  if (batch !== 'atomic') return NOT_ATOMIC;
  return params.has(notAtomicWith) ? `${notAtomicWith} needs a commit of its own` : undefined;
}

const REJECTIONS: { readonly [U in BatchUse]: string | undefined } = {
  atomic: undefined,
  separate: undefined,
  streams: 'send it by itself, because its body or response is a stream',
  logsIn: 'log in before, and send the credentials with the batch',
  isBatch: 'a batch cannot contain another one',
  returnsRows: 'it returns rows instead of JSON; send it by itself',
  returnsChanges: 'its response is a stream; send it by itself',
  returnsBytes: 'it can return bytes instead of JSON; send it by itself',
};

const NOT_ATOMIC = 'an atomic batch has commands on entries and counters, and statements on rows';

const COUNTER = { kind: 'counter' } as const;

const NO_COMMAND = { cmd: '', params: new Map<string, string>() };

/** Creates the executor of batches. */
export function createBatches(clock: Clock): PipelineOptions['batches'] {
  const queue = new SliceQueue(clock);
  return (pipeline, request, caller, onReplay) => ({
    run: async (text, options) => {
      const read = await parse(text, request, pipeline, queue);
      const isKeyed = options.rollsBack !== true && request.header(IDEMPOTENCY_KEY) !== null;
      const key = isKeyed ? await keyOf(request, nameOf(request), caller, pipeline) : undefined;
      return new BatchExecution(pipeline, request, caller, key, onReplay).run(read, options);
    },
  });
}

/** Returns the name of a request's command in its usual form. */
function nameOf({ cmd = '' }: RawRequest): string {
  return cmd.toLowerCase();
}

/** Parses the commands; if there are many, in slices between which the thread serves others. */
async function parse(
  text: string,
  request: RawRequest,
  { limits, json }: PipelineOptions,
  queue: SliceQueue,
): Promise<readonly BatchCommand[]> {
  const steps = parseBatch(text, limits, json.types && request.jsonTypes !== undefined, BODY_RULES.findStructured);
  return text.length <= STEP_CHARACTERS ? completeAtOnce(steps) : queue.complete(request.signal(), steps);
}

class BatchExecution {
  readonly #pipeline: PipelineOptions;
  readonly #request: RawRequest;
  readonly #caller: Caller;
  readonly #key: IdempotencyKey | undefined;
  readonly #onReplay: () => void;
  /** Characters of the results so far. */
  #characters = 0;

  /** With a key, each command is executed once. */
  constructor(
    pipeline: PipelineOptions,
    request: RawRequest,
    caller: Caller,
    key: IdempotencyKey | undefined,
    onReplay: () => void,
  ) {
    this.#key = key;
    this.#onReplay = onReplay;
    this.#pipeline = pipeline;
    this.#request = request;
    this.#caller = caller;
  }

  /** Executes the commands. Returns the executed commands' envelopes as a JSON array. */
  async run(commands: readonly BatchCommand[], options: BatchOptions): Promise<string> {
    const key = this.#key;
    if (!options.atomic) {
      const results: string[] = [];
      await this.#runEach(commands, options, results);
      return `[${results.join(',')}]`;
    }
    const once = key && { key, onReplay: this.#onReplay };
    const batch = new AtomicBatch(this.#pipeline.contract, this.#request, this.#caller);
    const allowed = (command: BatchCommand) => this.#allowed(command, true);
    const outcomes = await batch.run(commands, allowed, options, once, options.rollsBack);
    const results: string[] = [];
    // The transaction has already bounded the results.
    for (const outcome of outcomes) results.push((await this.#result(outcome, Number.POSITIVE_INFINITY, true)).text);
    return `[${results.join(',')}]`;
  }

  /**
   * Records that a batch with a key begins. Returns the outcomes of its first commands if they were started without
   * waiting for that, because a second commit would take as long as the first.
   */
  async #begin(group: readonly BatchCommand[]): Promise<ReadonlyArray<MaybePromise<Outcome>> | undefined> {
    if (this.#key === undefined) return undefined;
    const begun = this.#beginOnce(this.#key);
    const first = this.#sharesCommit(group) ? group.map((each, index) => this.#execute(each, index, false)) : undefined;
    await begun;
    return first;
  }

  /** Whether commands can be started together with the batch's key. */
  #sharesCommit(commands: readonly BatchCommand[]): boolean {
    const { find, grid, gridOf, defaultCache } = this.#pipeline;
    if (gridOf !== undefined) return false;
    return commands.every((each) => {
      const { cmd = '', params } = each;
      const name = namedCacheOf(params.get('cacheName') || DEFAULT_CACHE, defaultCache);
      const target = find(cmd)?.command.group === 'counter' ? COUNTER : ({ kind: 'cache', name } as const);
      return this.#isShortChange(each) && grid.idempotency?.sharesCommit(target) === true;
    });
  }

  /** Records that a batch with a key begins, so that another batch cannot use the key. */
  async #beginOnce(key: IdempotencyKey): Promise<void> {
    const { grid, gridOf } = this.#pipeline;
    const { idempotency } = gridOf === undefined ? grid : await gridOf(this.#caller);
    if (idempotency === undefined) throw gridError('NOT_SUPPORTED', 'Idempotency-Key', 'the engine keeps no results');
    if ((await idempotency.begin(key, '')) !== undefined) this.#onReplay();
  }

  /**
   * Executes commands one after another, and adds their results. Consecutive changes that depend on no result
   * share a commit.
   */
  async #runEach(commands: readonly BatchCommand[], { stopOnError }: BatchOptions, results: string[]): Promise<void> {
    const { clock, limits } = this.#pipeline;
    const signal = this.#request.signal();
    const groupAt = (at: number) => commands.slice(at, at + (stopOnError ? 1 : this.#groupSize(commands, at)));
    const first = groupAt(0);
    const begun = await this.#begin(first);
    let sliceEndMs = clock.monotonicMs() + SLICE_MS;
    for (let at = 0; at < commands.length; ) {
      // The results are no longer needed.
      if (signal.aborted) throw gridError('REQUEST_TIMEOUT');
      const group = at === 0 ? first : groupAt(at);
      const known = at === 0 ? begun : undefined;
      const outcomes = known ?? group.map((command, index) => this.#execute(command, at + index, true));
      at += group.length;
      let waits = false;
      for (const [index, outcome] of outcomes.entries()) {
        waits ||= outcome instanceof Promise;
        const known = outcome instanceof Promise ? await outcome : outcome;
        const tookEffect = known.failure === undefined && this.#mayChange(group[index]);
        const result = await this.#result(known, limits.batchResponseCharacters, tookEffect);
        results.push(result.text);
        if (result.isLast || (stopOnError && result.failed)) return;
      }
      // Commands that wait for something let the thread serve others in the meantime.
      if (!waits && clock.monotonicMs() >= sliceEndMs) await sleep(clock, 0);
      else if (!waits) continue;
      sliceEndMs = clock.monotonicMs() + SLICE_MS;
    }
  }

  /**
   * Returns how many commands from an index on can be started before their results are known: changes to the same
   * cache, which a single-node engine makes in the order of their calls. Their results are short.
   */
  #groupSize(commands: readonly BatchCommand[], start: number): number {
    const { grid, gridOf, limits } = this.#pipeline;
    if (grid.capabilities.manyNodes || gridOf !== undefined) return 1;
    const cache = commands[start]?.params.get('cacheName');
    const fitting = Math.floor((limits.batchResponseCharacters - this.#characters) / RESULT_CHARACTERS);
    let size = 0;
    while (size < Math.min(fitting, GROUP_COMMANDS)) {
      const next = commands[start + size];
      if (next === undefined || next.params.get('cacheName') !== cache || !this.#isShortChange(next)) break;
      size++;
    }
    return Math.max(size, 1);
  }

  #isShortChange({ cmd = '', params }: BatchCommand): boolean {
    const command = this.#pipeline.find(cmd)?.command;
    if (command === undefined || command.batch !== 'atomic' || command.rightsOn !== undefined) return false;
    return command.access === 'write' && SHORT_REPLIES.has(command.reply.kind) && !params.has('destId');
  }

  #mayChange({ cmd = '', params }: Pick<BatchCommand, 'cmd' | 'params'> = NO_COMMAND): boolean {
    const command = this.#pipeline.find(cmd)?.command;
    return command !== undefined && mayChange(command, params);
  }

  #execute(command: BatchCommand, index: number, hasBegun: boolean): MaybePromise<Outcome> {
    const pipeline = this.#pipeline;
    try {
      const { item, prepared } = this.#allowed(command, false);
      const key = this.#key && keyOfCommand(this.#key, index, hasBegun);
      const request = new BatchRequest(this.#request, item, pipeline.serviceName, key, true);
      return executeRequest(pipeline, prepared, request, this.#caller);
    } catch (error) {
      if (error instanceof GridError) return failedOutcome(error, this.#errorObjects);
      throw error;
    }
  }

  get #errorObjects(): boolean {
    return failureFormOf(this.#request, this.#pipeline).errorObjects;
  }

  /** Returns a command that can be executed, or throws the reason why it cannot. */
  #allowed(item: BatchCommand, atomic: boolean): AllowedCommand {
    const { find, serviceName } = this.#pipeline;
    const { cmd, params, options, failure } = item;
    if (cmd === undefined || cmd === '')
      throw gridError('COMMAND_MISSING', 'Each command of a batch has a member cmd.');
    const prepared = find(cmd);
    if (prepared === undefined) throw gridError('COMMAND_UNKNOWN', cmd, nearestCommands(cmd));
    const { name, batch } = prepared.command;
    const reason = REJECTIONS[batch] ?? (atomic ? separateReason(prepared.command, params) : undefined);
    if (reason !== undefined) throw gridError('BATCH_COMMAND', name, reason);
    const credential = credentialNames(serviceName).find((each) => params.has(each));
    if (credential !== undefined) {
      throw gridError('BATCH_COMMAND', name, `send ${credential} with the batch, not inside it`);
    }
    const option = atomic ? undefined : Object.entries(options).find(([, value]) => value !== undefined)?.[0];
    if (option !== undefined) throw gridError('BATCH_COMMAND', name, `${option} needs atomic=true`);
    if (failure !== undefined) throw failure;
    return { item, prepared };
  }

  /**
   * Returns the envelope of an outcome, whose response is read completely. For a command that took effect it is a
   * success even if its response has to be omitted: a client would repeat what is reported as failed.
   */
  async #result(
    outcome: Outcome,
    limit: number,
    tookEffect: boolean,
  ): Promise<{ text: string; failed: boolean; isLast: boolean }> {
    if (tookEffect && outcome.failure !== undefined) return this.#omitted(outcome, false);
    let shown = outcome;
    let response = 'null';
    let isLast = false;
    try {
      response = await collect(outcome.response, limit - this.#characters);
    } catch (error) {
      isLast = error instanceof TooLong;
      if (isLast && tookEffect) return this.#omitted(outcome, true);
      const failure = isLast
        ? gridError(
            'LIMIT_EXCEEDED',
            'batch response characters',
            limit,
            `more than ${limit}`,
            'batchResponseCharacters',
          )
        : error;
      if (!(failure instanceof GridError)) throw error;
      shown = failedOutcome(failure, this.#errorObjects);
    }
    const { failure, errorObject } = shown;
    // All commands share one header, so each envelope has its error's code.
    const code = failure === undefined || errorObject !== undefined ? '' : `,"errorCode":"${failure.code}"`;
    const text = `${envelopeHead({ ...shown, sessionToken: null })}${response}${code}}`;
    this.#characters += text.length;
    return { text, failed: shown.successStatus !== 0, isLast };
  }

  #omitted(outcome: Outcome, isLast: boolean): { text: string; failed: boolean; isLast: boolean } {
    const done = { ...outcome, successStatus: 0, error: null, errorObject: undefined, sessionToken: null } as const;
    const text = `${envelopeHead(done)}null,"responseOmitted":true}`;
    this.#characters += text.length;
    return { text, failed: false, isLast };
  }
}

/** Thrown for a response that exceeds the space left for the batch's results. */
class TooLong extends Error {}

/** Returns the whole text. Throws TooLong if it has more than `characters`. */
export async function collect(response: Outcome['response'], characters: number): Promise<string> {
  let text = '';
  for await (const chunk of typeof response === 'string' ? [response] : response) {
    text += chunk;
    if (text.length > characters) throw new TooLong();
  }
  return text;
}
