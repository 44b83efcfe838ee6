/**
 * The requests of a thread that wait for something or send their response. When users, roles, sessions or keys change,
 * each is authorized again, and ends if its sender could no longer send it: whatever it runs ends with its signal, as
 * after a client disconnects.
 */
import { type Clock, sleep, type Timer } from '../base/clock.ts';
import { type ErrorCode, GridError } from '../base/errors.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { ByteResponse } from '../commands/reply.ts';
import type { Outcome, RawRequest } from './request.ts';

export interface RunningRequest {
  /** Whether a session runs it, which counts as in use meanwhile. */
  readonly usesSession: boolean;
  /** Whether its sender is known: the rights that are read meanwhile may be those before a change. */
  readonly isAuthenticated: boolean;
  /** Checks credentials and permission again. Throws the error that the request would be rejected with. */
  reauthorize(): MaybePromise<void>;
  /** Ends it with this error. */
  end(failure: GridError): void;
  /** The reason why it has been ended. */
  readonly ended: GridError | undefined;
}

export interface RunningRequestsOptions {
  readonly clock: Clock;
  /** Returns a number that every change of users, roles, sessions and keys increments. */
  readonly securityEpoch: () => number;
  /** Time in ms after which requests are authorized again even if this process has changed nothing. */
  readonly trustMs: number;
}

/** Time between checks of the epoch while requests run. */
const LOOK_MS = 250;

/** Errors that mean that the sender can no longer send the request. Others, such as an expired token, do not. */
const ENDING: ReadonlySet<ErrorCode> = new Set([
  'TOKEN_UNKNOWN',
  'CREDENTIALS_WRONG',
  'API_KEY_UNKNOWN',
  'PERMISSION_DENIED',
]);

export class RunningRequests {
  readonly #options: RunningRequestsOptions;
  readonly #running = new Set<RunningRequest>();
  #timer: Timer | undefined;
  #checkedEpoch: number;
  #checkedAtMs: number;

  constructor(options: RunningRequestsOptions) {
    this.#options = options;
    this.#checkedEpoch = options.securityEpoch();
    this.#checkedAtMs = options.clock.monotonicMs();
  }

  add(request: RunningRequest): void {
    this.#running.add(request);
    this.#timer ??= this.#options.clock.every(LOOK_MS, () => this.#look());
  }

  /**
   * Returns the outcome of a request, which runs until its response has been sent. The change feed authorizes its
   * consumers itself.
   */
  untilSent(request: RunningRequest, outcome: Outcome): Outcome {
    const { response, bytes, stop } = outcome;
    if ((typeof response === 'string' && bytes === undefined) || stop !== undefined) {
      this.#running.delete(request);
      return outcome;
    }
    this.add(request);
    const onEnd = (): void => void this.#running.delete(request);
    if (bytes === undefined) return { ...outcome, response: untilEnded(partsOf(response), request, onEnd) };
    return { ...outcome, bytes: new ByteResponse(untilEnded(bytes.chunks, request, onEnd), bytes.fileName) };
  }

  #look(): void {
    const { clock, securityEpoch, trustMs } = this.#options;
    const epoch = securityEpoch();
    const nowMs = clock.monotonicMs();
    const isChanged = epoch !== this.#checkedEpoch || nowMs - this.#checkedAtMs >= trustMs;
    if (isChanged) {
      this.#checkedEpoch = epoch;
      this.#checkedAtMs = nowMs;
    }
    if (this.#running.size === 0) {
      this.#timer?.cancel();
      this.#timer = undefined;
    }
    for (const request of this.#running) {
      if (isChanged || request.usesSession) void this.#check(request);
    }
  }

  /** Authorizes a request again once it is authenticated, until that succeeds or fails for a lasting reason. */
  async #check(request: RunningRequest): Promise<void> {
    while (this.#running.has(request)) {
      try {
        if (request.isAuthenticated) {
          await request.reauthorize();
          return;
        }
      } catch (error) {
        if (!(error instanceof GridError)) return;
        if (ENDING.has(error.code)) {
          if (this.#running.delete(request)) request.end(error);
          return;
        }
        if (error.successStatus !== 1) return;
      }
      // The users cannot be read at the moment, or have been read for the request itself.
      await sleep(this.#options.clock, 4 * LOOK_MS);
    }
  }
}

/** Yields the parts of a response. Throws once its request has been ended. */
async function* untilEnded<T>(parts: AsyncIterable<T>, request: RunningRequest, onEnd: () => void): AsyncGenerator<T> {
  try {
    for await (const part of parts) {
      if (request.ended !== undefined) throw request.ended;
      yield part;
    }
  } finally {
    onEnd();
  }
}

async function* partsOf(response: string | AsyncIterable<string>): AsyncGenerator<string> {
  if (typeof response === 'string') yield response;
  else yield* response;
}

/** Returns a request with a session token as its only credentials. */
export function withSession(request: RawRequest, token: string): RawRequest {
  return {
    method: request.method,
    cmd: request.cmd,
    params: new Map([['sessionToken', token]]),
    header: () => null,
    peerAddress: () => request.peerAddress(),
    peerNetwork: () => request.peerNetwork(),
    signal: () => request.signal(),
    end: (failure) => request.end(failure),
  };
}
