/** Follows the change feed of a cache while it is shown. */
import { signal } from '@preact/signals';
import { detailsOf } from '../../client/failures.ts';
import { linesOf } from '../../client/lines.ts';
import { joinNames } from '../../client/names.ts';
import { isOut } from '../requests/connection.ts';
import { checkConnection } from '../requests/connection-check.ts';
import { call, FORBIDDEN, isForbidden, messageOf, SvcError, send } from '../requests/request.ts';
import { markRepeated } from '../requests/sent-requests.ts';
import { type Change, ChangeLog } from './change-log.ts';

/** How often new changes are shown: slow enough to follow, and a fast feed does not block the page. */
const SHOW_MS = 250;
/** Pause between attempts to connect. */
const RETRY_MS = 2_000;
/** Responses of a starting service, or of a proxy in front of a stopped one. */
const PASSING: ReadonlySet<number> = new Set([0, 502, 503, 504]);
/** The feed continues, but from a different position. */
const LOST: ReadonlySet<string> = new Set(['CHANGE_POSITION_GONE', 'CHANGE_CONSUMER_SLOW']);

export type LiveState = 'connecting' | 'open' | 'off' | 'denied' | 'failed';

export class LiveChanges {
  readonly state = signal<LiveState>('connecting');
  /** Why the feed is not followed, or what may be missing; empty if nothing. */
  readonly problem = signal('');
  /** Grows when there is something to show. */
  readonly version = signal(0);
  /** Changes a second, without earlier ones. */
  readonly rate = signal(0);
  readonly log = new ChangeLog();
  readonly #cacheName: string;
  readonly #onChanges: ((changes: readonly Change[]) => void) | undefined;
  #controller = new AbortController();
  /** Why changes may be missing; empty if none are. */
  #missing = '';
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(cacheName: string, onChanges?: (changes: readonly Change[]) => void) {
    this.#cacheName = cacheName;
    this.#onChanges = onChanges;
  }

  /** Begins to follow: from now, or with the oldest change that is kept. */
  start(from: 'now' | 'start' = 'now'): void {
    this.close();
    this.#controller = new AbortController();
    this.log.position = undefined;
    this.#missing = '';
    this.#timer = setInterval(() => this.#show(), SHOW_MS);
    void this.#follow(from, this.#controller.signal);
  }

  close(): void {
    this.#controller.abort();
    clearInterval(this.#timer);
  }

  /** Switches the feed on, and follows it. Throws SvcError. */
  async switchOn(): Promise<void> {
    await call('changefeed', { cacheName: this.#cacheName });
    this.start();
  }

  /** Switches the feed off. Throws SvcError. */
  async switchOff(): Promise<void> {
    await call('changefeed', { cacheName: this.#cacheName, enabled: false });
    this.close();
    this.state.value = 'off';
  }

  #show(): void {
    const changes = this.log.settle();
    const rate = this.log.rate(Date.now());
    if (changes.length > 0) {
      this.version.value++;
      this.#onChanges?.(changes);
    }
    if (rate !== this.rate.peek()) this.rate.value = rate;
  }

  async #follow(from: string, abort: AbortSignal): Promise<void> {
    for (let attempt = 0; !abort.aborted; attempt++) {
      this.state.value = 'connecting';
      try {
        // The page itself repeats it.
        const own = AbortSignal.any([abort]);
        if (attempt > 0) markRepeated(own);
        await this.#read(this.log.position ?? (attempt > 0 && this.#missing !== '' ? 'now' : from), own);
      } catch (problem) {
        if (abort.aborted) return;
        if (!(problem instanceof SvcError)) await checkConnection();
        if (this.#isFinal(problem)) return;
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  /** Notes why the feed cannot be followed. Returns whether another attempt is useless. */
  #isFinal(problem: unknown): boolean {
    this.problem.value =
      problem instanceof SvcError ? messageOf(problem) : 'The connection was interrupted; reconnecting.';
    // A stream that breaks off is not a response: the network or the service is gone.
    if (!(problem instanceof SvcError) || PASSING.has(problem.http)) {
      this.state.value = 'connecting';
      // The frame says that.
      if (isOut.peek()) this.problem.value = '';
      return false;
    }
    const { code = '' } = problem;
    // The session has ended: the next attempt leads to the login.
    if (code === 'TOKEN_UNKNOWN') return false;
    if (LOST.has(code)) {
      this.log.position = undefined;
      this.#missing = `Changes may be missing: ${problem.message}`;
      return false;
    }
    const isOff = code === 'CHANGE_FEED_OFF';
    this.state.value = isOff ? 'off' : isForbidden(problem) ? 'denied' : 'failed';
    return true;
  }

  /** Reads one stream to its end. Throws SvcError if the service says why it ended. */
  async #read(from: string, abort: AbortSignal): Promise<void> {
    const params = { cacheName: joinNames([this.#cacheName]), from, oldValue: true, format: 'ndjson' };
    const response = await send('watch', params, abort, 'application/x-ndjson');
    // By the clock of the service, which has written the times of the changes.
    const openedMs = Date.parse(response.headers.get('Date') ?? '');
    if (!Number.isNaN(openedMs)) this.log.liveFrom(openedMs);
    if (response.body === null) return;
    for await (const lines of linesOf(response.body)) {
      const now = Date.now();
      for (const line of lines) {
        const part = this.log.add(line, now);
        if (part?.event === 'open') {
          this.state.value = 'open';
          this.problem.value = this.#missing;
        } else if (part?.event === 'gap') {
          this.#missing = `Changes may be missing: ${String(part.reason)}`;
          this.problem.value = this.#missing;
        } else if (part?.event === 'end' && part.reason !== 'stopping') {
          const http = part.reason === 'denied' ? FORBIDDEN : response.status;
          const message = String(part.error ?? 'The service ended the stream.');
          throw new SvcError(message, 'watch', 1, http, null, detailsOf({ code: part.errorCode ?? null }));
        }
      }
    }
  }
}
