/** How often, and after which pauses, a request is retried. */
import { certificateAdvice } from '../base/certificate-errors.ts';
import { keepAlive, randomBytes, sleep, systemClock } from '../base/clock.ts';
import type { ErrorCode } from './commands.ts';
import type { Endpoints } from './endpoints.ts';
import { NO_ANSWER, type SvcError } from './failures.ts';

/** A busy service has had 1.5 s by the last of four. */
const RETRIES = 4;
/** Longer than a restart, or than a standby needs to take over with the default lease. */
const RETRY_MS = 30_000;
const FIRST_DELAY_MS = 100;
/** Longer pauses do not help a service, and users wait for them. */
const MAX_DELAY_MS = 10_000;
/** A standby may take over at any moment. */
const MAX_DELAY_OF_SEVERAL_MS = 1_000;
/** This many pauses stay as short as the first one if a standby takes over: a hand-over ends in that time. */
const SHORT_DELAYS = 8;
const TOO_MANY_REQUESTS = 429;
const UNAVAILABLE = 503;
/** Responses of a proxy that does not know whether the service executed the request. */
const UNKNOWN_OUTCOME: ReadonlySet<number> = new Set([502, 504]);
/** From a service that is starting, stopping, or not the primary. */
const AWAY: ReadonlySet<ErrorCode | undefined> = new Set<ErrorCode | undefined>([
  // From a proxy.
  undefined,
  'NOT_READY',
  'STOPPING',
  'STANDBY',
  'DEPOSED',
  'CLUSTER_UNREACHABLE',
]);
/** A failure whose cause may be temporary, and after which nothing has changed. */
const STILL_RUNNING: ErrorCode = 'IDEMPOTENCY_KEY_IN_USE';
/** How runtimes report that they had no connection for a request. */
const UNSENT = /^(?:ECONNREFUSED|ConnectionRefused|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|FailedToOpenSocket)$/;

export interface RetryOptions {
  /** How often a request that a busy service has rejected is repeated; default 4. 0 repeats none. */
  readonly retries?: number;
  /**
   * How long a request is repeated while the service is away, because it restarts or a standby takes over; default
   * 30,000 ms, but until the service has responded for the first time, only as often as `retries` says.
   */
  readonly retryMs?: number;
}

/** A failure that may be temporary. */
interface Passing {
  /** Whether the service is away; otherwise it is busy. */
  readonly isAway: boolean;
  /** Whether the request may have been executed. */
  readonly isUnknown: boolean;
}

/** Returns the known facts about a failure, or undefined if it is permanent. */
export function passing({ http, code, cause }: SvcError): Passing | undefined {
  if (http === NO_ANSWER) {
    const { name, code: reason } = Object(cause);
    if (certificateAdvice(String(reason), '') !== undefined) return undefined;
    return { isAway: name !== 'TimeoutError', isUnknown: !UNSENT.test(String(reason)) };
  }
  if (UNKNOWN_OUTCOME.has(http)) return { isAway: true, isUnknown: true };
  if (http === UNAVAILABLE) return { isAway: AWAY.has(code), isUnknown: code === 'DEPOSED' };
  if (http === TOO_MANY_REQUESTS) return { isAway: false, isUnknown: false };
  return code === STILL_RUNNING ? { isAway: false, isUnknown: true } : undefined;
}

/** The attempts for one request, or for one stream of changes. */
export class Attempts {
  readonly #endpoints: Endpoints;
  readonly #tried = new Set<string>();
  readonly #retries: number;
  #retryMs: number | undefined;
  /** Only the time bounds the attempts. */
  #isTimed = false;
  #rejections = 0;
  #absences = 0;
  #sinceMs: number | undefined;

  constructor({ retries = RETRIES, retryMs }: RetryOptions, endpoints: Endpoints) {
    this.#retries = retries;
    this.#retryMs = retryMs;
    this.#endpoints = endpoints;
  }

  /** Starts over after a success. From now on only `retryMs` bounds the attempts. */
  reset(retryMs: number): void {
    this.#retryMs = retryMs;
    this.#isTimed = true;
    this.#tried.clear();
    this.#rejections = 0;
    this.#absences = 0;
    this.#sinceMs = undefined;
  }

  /**
   * Waits before the request is retried after a temporary failure, unless another address is left to try. Throws the
   * failure if no attempt is left, or the signal's reason.
   */
  async pause(
    failure: SvcError,
    { isAway }: Passing,
    url: string,
    askedMs: number,
    signal?: AbortSignal,
  ): Promise<void> {
    const endpoints = this.#endpoints;
    const isUnanswered = failure.http === NO_ANSWER;
    if ((isAway || isUnanswered) && endpoints.leave(url, this.#tried, failure.message)) return;
    const isTakenOver = isAway && endpoints.hasSeveral;
    const maxMs = endpoints.hasSeveral ? MAX_DELAY_OF_SEVERAL_MS : MAX_DELAY_MS;
    const count = isAway ? this.#absences++ : this.#rejections++;
    const doublings = isTakenOver ? Math.max(0, count - SHORT_DELAYS) : count;
    const longestMs = Math.min(FIRST_DELAY_MS * 2 ** doublings, maxMs);
    const [random = 0] = randomBytes(1);
    // Clients that failed together do not return together.
    const delayMs = Math.max(isTakenOver ? 0 : askedMs, longestMs * (0.5 + random / 512));
    if (this.#isOver(isAway, count, delayMs)) throw failure;
    await wait(delayMs, signal);
  }

  #isOver(isAway: boolean, count: number, delayMs: number): boolean {
    const retryMs = this.#retryMs ?? (this.#endpoints.hasAnswered ? RETRY_MS : undefined);
    const isTimed = this.#isTimed || (isAway && this.#retries > 0);
    if (!isTimed || retryMs === undefined) return count >= this.#retries;
    const nowMs = systemClock.monotonicMs();
    this.#sinceMs ??= nowMs;
    return nowMs + delayMs - this.#sinceMs > retryMs;
  }
}

async function wait(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  const awake = keepAlive();
  let abort = (): void => {};
  const aborted = new Promise<void>((resolve) => {
    abort = resolve;
  });
  signal?.addEventListener('abort', abort, { once: true });
  try {
    await Promise.race([sleep(systemClock, delayMs), aborted]);
    signal?.throwIfAborted();
  } finally {
    awake.cancel();
    signal?.removeEventListener('abort', abort);
  }
}
