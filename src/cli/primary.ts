/** Finds the primary among the addresses of services that take over from each other. */
import { type Clock, sleep } from '../base/clock.ts';
import { EXIT_CODES } from '../base/exit-codes.ts';
import { CommandLineError, interruptedError } from './failures.ts';

/** Longer than a takeover with the default lease. */
const TAKEOVER_MS = 30_000;
/** A hand-over takes a few of them. */
const PAUSE_MS = 200;
/** A suspended service accepts connections and does not respond. */
const ANSWER_MS = 3_000;
const UNAVAILABLE = 503;
/** From a service that executes nothing. */
export const STANDBY = 'STANDBY';
/** Codes of services that currently execute no commands, because another service is the primary, or none is. */
export const NOT_PRIMARY: ReadonlySet<string | null> = new Set([STANDBY, 'DEPOSED', 'NOT_READY', 'STOPPING']);

export interface PrimaryOptions {
  /** Comma-separated addresses of endpoints. */
  readonly url: string;
  readonly clock: Clock;
  readonly interrupted: AbortSignal;
  /** Sends a request without credentials. */
  fetch(url: string, signal: AbortSignal): Promise<Response>;
}

export class Primary {
  readonly #options: PrimaryOptions;
  readonly #urls: readonly string[];
  #found: string | undefined;

  constructor(options: PrimaryOptions) {
    this.#options = options;
    this.#urls = options.url.split(',');
    // A single address needs no search.
    if (!this.isSearched) this.#found = options.url;
  }

  get isSearched(): boolean {
    return this.#urls.length > 1;
  }

  /** Starts a new search with the next request. Returns whether there will be one. */
  forget(): boolean {
    if (this.isSearched) this.#found = undefined;
    return this.isSearched;
  }

  /** Returns its address; waits for it while one of the services responds that it is not the primary. */
  async find(): Promise<string> {
    if (this.#found !== undefined) return this.#found;
    const { clock, interrupted } = this.#options;
    const endMs = clock.monotonicMs() + TAKEOVER_MS;
    for (;;) {
      let answered = 0;
      for (const url of this.#urls) {
        const answer = await this.#answerOf(url);
        if (answer === 'primary') this.#found = url;
        if (answer === 'primary') return url;
        if (answer === 'standby') answered++;
      }
      if (interrupted.aborted) throw interruptedError();
      const addresses = this.#urls.join(' and ');
      if (answered === 0) throw new CommandLineError(EXIT_CODES.unreachable, `no service answers at ${addresses}`);
      if (clock.monotonicMs() > endMs) {
        throw new CommandLineError(EXIT_CODES.unreachable, `none of the services at ${addresses} is the primary`);
      }
      await sleep(clock, PAUSE_MS);
    }
  }

  async #answerOf(url: string): Promise<'primary' | 'standby' | undefined> {
    const { interrupted } = this.#options;
    try {
      const signal = AbortSignal.any([interrupted, AbortSignal.timeout(ANSWER_MS)]);
      const response = await this.#options.fetch(`${url}?cmd=version&httpStatus=true`, signal);
      await response.body?.cancel();
      const code = response.headers.get('error-code');
      // Without a code, it is a proxy whose service is away.
      const isAway = response.status === UNAVAILABLE && (code === null || NOT_PRIMARY.has(code));
      return isAway ? 'standby' : 'primary';
    } catch {
      return undefined;
    }
  }
}
