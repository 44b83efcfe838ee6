/** The body of the request that a connection is receiving: its bytes, its sender and its time limit. */
import type { GridError } from '../base/errors.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { PreAuthentication } from '../service/request.ts';
import type { BodyReader } from './body-reader.ts';
import type { BufferAccount } from './buffer-budget.ts';
import type { ServerTicks } from './server-ticks.ts';

/** Seconds (ticks) to wait for the small body of a request with wrong credentials in its head. */
const REJECTED_HEAD_SECONDS = 2;

export class IncomingBody {
  readonly reader: BodyReader;
  readonly #ticks: ServerTicks;
  readonly #account: BufferAccount | undefined;
  /** undefined if the head is not pre-authenticated. Replaced by its result when it resolves. */
  preAuthentication: MaybePromise<PreAuthentication> | undefined;
  /** When the body began, when its current idle period began, and the bytes that had arrived by then. */
  #startTick: number;
  #progressTick: number;
  #progressBytes = 0;
  #latestTick = Number.POSITIVE_INFINITY;
  #deadline: number;

  /** `account` is undefined if the body is not kept, or is complete. */
  constructor(
    ticks: ServerTicks,
    reader: BodyReader,
    account: BufferAccount | undefined,
    preAuthentication: MaybePromise<PreAuthentication> | undefined,
  ) {
    this.#ticks = ticks;
    this.reader = reader;
    this.#account = account;
    this.#startTick = ticks.tick;
    this.#progressTick = ticks.tick;
    this.#deadline = ticks.tick + ticks.idleTicks;
    this.preAuthentication = preAuthentication;
    if (typeof preAuthentication === 'object' && !(preAuthentication instanceof Promise)) this.#expireSoon();
  }

  /** The tick by which more of the body must have arrived. */
  get deadline(): number {
    return Math.min(this.#deadline, this.#latestTick);
  }

  /** Records the result of a pre-authentication that was pending. */
  settle(preAuthentication: PreAuthentication): void {
    this.preAuthentication = preAuthentication;
    if (preAuthentication === 'known') this.#account?.markAuthenticated();
    else if (preAuthentication !== 'unknown') this.#expireSoon();
  }

  /** Does not count the current tick, in which the service did not read the body. */
  skipTick(): void {
    this.#startTick++;
    this.#progressTick++;
    this.#deadline++;
  }

  #expireSoon(): void {
    this.#latestTick = this.#ticks.tick + REJECTED_HEAD_SECONDS;
  }

  /**
   * Extends the deadline by the bytes that have arrived. Overall, the body must keep the minimum rate after the first
   * idle time and, in each idle time, half of it, however much came before.
   */
  noteProgress(): void {
    const { tick, idleTicks, bodyBytesPerTick } = this.#ticks;
    const { readBytes } = this.reader;
    if (readBytes - this.#progressBytes >= (bodyBytesPerTick * idleTicks) / 2) {
      this.#progressBytes = readBytes;
      this.#progressTick = tick;
    }
    const wholeTicks = Math.ceil(readBytes / bodyBytesPerTick);
    this.#deadline = idleTicks + Math.min(this.#progressTick, this.#startTick + wholeTicks);
  }
}

/** Returns whether a head was pre-authenticated and rejected. */
export function isRejected(
  preAuthentication: MaybePromise<PreAuthentication> | undefined,
): preAuthentication is GridError {
  return typeof preAuthentication === 'object' && !(preAuthentication instanceof Promise);
}
