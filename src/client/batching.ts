/** Collects the calls by key made in one tick, which the client sends as one batch. */
import { passing } from './attempts.ts';
import { COMMAND_TRAITS, type CommandParameters, ERROR_STATUSES, type ErrorCode } from './commands.ts';
import type { Json } from './exact-json.ts';
import { type Envelope, envelopeIn, failureOf, type SvcError } from './failures.ts';

/** A call that waits for its result. */
export interface BatchedCall {
  readonly command: keyof CommandParameters;
  /** Its parameters as a JSON object, which is not empty. */
  readonly body: string;
  /** The text of its key, or undefined if other texts may be the same key. */
  readonly key: string | undefined;
  readonly resolve: (response: Json | Promise<Json>) => void;
  readonly reject: (reason: unknown) => void;
}

/** A quarter of what services accept by default, in commands and in characters, so that responses begin earlier. */
const BATCH_CALLS = 250;
const BATCH_CHARACTERS = 1_048_576;
/** Programs that wait for results of the same batch make their next calls within this many microtasks. */
const MICROTASKS = 8;

/** Calls that wait for the previous batch. If none waited, callers would split into ever smaller groups. */
interface Lane {
  calls: BatchedCall[];
  isBusy: boolean;
}

export class Batching {
  readonly #send: (calls: readonly BatchedCall[]) => Promise<void>;
  #calls: BatchedCall[] = [];
  readonly #reads: Lane = { calls: [], isBusy: false };
  readonly #others: Lane = { calls: [], isBusy: false };

  /** `send` settles the calls, and never rejects. */
  constructor(send: (calls: readonly BatchedCall[]) => Promise<void>) {
    this.#send = send;
  }

  /** Sends a call together with the others of this tick, after earlier ones with the same key. */
  add(call: Omit<BatchedCall, 'resolve' | 'reject'>): Promise<Json> {
    const { promise, resolve, reject } = withResolvers();
    this.#calls.push({ ...call, resolve, reject });
    if (this.#calls.length === 1) void this.#sendAll();
    return promise;
  }

  async #sendAll(): Promise<void> {
    for (let before = 0; before < this.#calls.length; ) {
      before = this.#calls.length;
      for (let at = 0; at < MICROTASKS; at++) await undefined;
    }
    const calls = this.#calls;
    this.#calls = [];
    const [reads, others] = independent(calls);
    void this.#sendInOrder(this.#reads, reads);
    void this.#sendInOrder(this.#others, others);
  }

  async #sendInOrder(lane: Lane, calls: readonly BatchedCall[]): Promise<void> {
    lane.calls.push(...calls);
    if (lane.isBusy) return;
    lane.isBusy = true;
    while (lane.calls.length > 0) {
      const waiting = lane.calls;
      lane.calls = [];
      for (const batch of batchesOf(waiting)) await this.#send(batch);
    }
    lane.isBusy = false;
  }
}

/**
 * Returns reads of keys that no other call changes, and the rest: changes without reads between them share a commit,
 * and the reads do not wait for it.
 */
export function independent<C extends Pick<BatchedCall, 'command' | 'key'>>(
  calls: readonly C[],
): readonly [reads: readonly C[], others: readonly C[]] {
  const isRead = ({ command }: C): boolean => COMMAND_TRAITS[command].repeats === 'any';
  const changed = new Set(calls.filter((call) => !isRead(call)).map(({ key }) => key));
  const isApart = (call: C): boolean => isRead(call) && !changed.has(call.key);
  if (changed.size === 0) return [calls, []];
  if (calls.some(({ key }) => key === undefined)) return [[], calls];
  return [calls.filter(isApart), calls.filter((call) => !isApart(call))];
}

/** Promise.withResolvers is missing in Node 20. */
function withResolvers(): Pick<BatchedCall, 'resolve' | 'reject'> & { readonly promise: Promise<Json> } {
  let resolve: BatchedCall['resolve'] = () => {};
  let reject: BatchedCall['reject'] = () => {};
  const promise = new Promise<Json>((...settle) => {
    [resolve, reject] = settle;
  });
  return { promise, resolve, reject };
}

/** Splits calls, in order, into batches that a service accepts. */
export function batchesOf<C extends Pick<BatchedCall, 'body'>>(calls: readonly C[]): readonly C[][] {
  const batches: C[][] = [];
  let characters = BATCH_CHARACTERS;
  for (const call of calls) {
    const last = batches.at(-1);
    characters += call.body.length;
    if (last === undefined || last.length === BATCH_CALLS || characters > BATCH_CHARACTERS) {
      batches.push([call]);
      characters = call.body.length;
    } else last.push(call);
  }
  return batches;
}

/** Writes the commands of calls as the body of a batch. */
export function batchBody(calls: readonly BatchedCall[]): string {
  return `{"commands":[${calls.map(({ command, body }) => `{"cmd":"${command}",${body.slice(1)}`).join(',')}]}`;
}

/** With these, a service rejects a batch before it executes any of it. */
const REJECTIONS: ReadonlySet<ErrorCode | undefined> = new Set<ErrorCode | undefined>([
  'BATCH_COMMAND',
  'BODY_TOO_LARGE',
  'COMMAND_UNKNOWN',
  'IDEMPOTENCY_UNSUPPORTED',
  'LIMIT_EXCEEDED',
  'NOT_SUPPORTED',
  'PERMISSION_DENIED',
  'REQUEST_MALFORMED',
]);

/** Whether a batch as a whole was rejected, so that its commands may be sent separately. */
export function isBatchRejected({ code, http }: SvcError): boolean {
  return http !== OK && REJECTIONS.has(code);
}

const OK = 200;
const UNAUTHORIZED = 401;
const INTERNAL = 500;

/** Returns the results of a batch: envelopes of the executed commands. */
export function resultsIn({ response }: Envelope): ReadonlyArray<Envelope | undefined> {
  const results: readonly Json[] = Array.isArray(response) ? response : [];
  return results.map((each) => {
    const { errorCode, responseOmitted } = Object(each);
    const envelope = envelopeIn(each, typeof errorCode === 'string' ? errorCode : undefined);
    return envelope && { ...envelope, ...(responseOmitted === true && OMITTED) };
  });
}

const OMITTED = { successStatus: 1, error: 'The change was made, but its response was omitted from that of the batch' };

/** Returns a call's response, its failure, or that it must be sent separately. */
export function outcomeOf(result: Envelope | undefined, { command }: BatchedCall, hasUser: boolean) {
  // The batch ended before it.
  if (result === undefined) return 'alone';
  if (result.successStatus === 0) return result;
  const failure = failureIn(result, command);
  const isRead = COMMAND_TRAITS[command].repeats === 'any';
  const may = passing(failure);
  if (may !== undefined && (isRead || !may.isUnknown)) return 'alone';
  if (failure.http === UNAUTHORIZED && hasUser) return 'alone';
  // It may be the limit of the batch.
  if (failure.code === 'LIMIT_EXCEEDED' && isRead) return 'alone';
  return failure;
}

/** Returns the first failure of a change that may have been made: only the batch's key makes retrying it safe. */
export function unknownIn(answer: Envelope, calls: readonly BatchedCall[]): SvcError | undefined {
  for (const [at, result] of resultsIn(answer).entries()) {
    const command = calls[at]?.command;
    if (command === undefined || result === undefined || result.successStatus === 0) continue;
    const failure = failureIn(result, command);
    if (COMMAND_TRAITS[command].repeats !== 'any' && passing(failure)?.isUnknown === true) return failure;
  }
  return undefined;
}

function failureIn(result: Envelope, command: BatchedCall['command']): SvcError {
  return failureOf(result, command, ERROR_STATUSES[result.details.code ?? ''] ?? INTERNAL);
}
