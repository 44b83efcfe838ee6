/** How often, and after which pauses, a request is sent again. */
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
/** Longer pauses help no service, and users wait for them. */
const MAX_DELAY_MS = 10_000;
/** A standby may take over at any moment. */
const MAX_DELAY_OF_SEVERAL_MS = 1_000;
/** So many pauses stay as short as the first one, where a standby takes over: a hand-over ends meanwhile. */
const SHORT_DELAYS = 8;
const TOO_MANY_REQUESTS = 429;
const UNAVAILABLE = 503;
/** Answers of a proxy that does not know whether the service executed the request. */
const UNKNOWN_OUTCOME: ReadonlySet<number> = new Set([502, 504]);
/** Of a service that starts, stops, or is not the primary. */
const AWAY: ReadonlySet<ErrorCode | undefined> = new Set<ErrorCode | undefined>([
  // That of a proxy.
  undefined,
  'NOT_READY',
  'STOPPING',
  'STANDBY',
  'DEPOSED',
  'CLUSTER_UNREACHABLE',
]);
/** A failure whose cause may have passed, and after which nothing has changed. */
const STILL_RUNNING: ErrorCode = 'IDEMPOTENCY_KEY_IN_USE';
/** How runtimes say that they had no connection to send a request over. */
const UNSENT = /^(?:ECONNREFUSED|ConnectionRefused|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|FailedToOpenSocket)$/;

export interface RetryOptions {
  /** How often a request is repeated that a busy service has rejected; default 4. 0: no request is repeated. */
  readonly retries?: number;
  /**
   * How long a request is repeated while the service is away, because it restarts or a standby takes over; default
   * 30,000 ms, but until it has answered for the first time, only as often as `retries` says.
   */
  readonly retryMs?: number;
}

/** A failure that may pass. */
interface Passing {
  /** The service is away; otherwise it is busy. */
  readonly isAway: boolean;
  /** The request may have been executed. */
  readonly isUnknown: boolean;
}

/** Returns what is known of a failure; undefined: it does not pass. */
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

/** The attempts of one request, or of one stream of changes. */
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

  /** Begins anew after a success. From now on only `retryMs` bounds the attempts. */
  reset(retryMs: number): void {
    this.#retryMs = retryMs;
    this.#isTimed = true;
    this.#tried.clear();
    this.#rejections = 0;
    this.#absences = 0;
    this.#sinceMs = undefined;
  }

  /**
   * Waits before the request is sent again after a failure that may pass, unless another address is left to try. Throws
   * the failure if no attempt is left, and what the signal aborts with.
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
