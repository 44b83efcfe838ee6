/**
 * Shadow mode: sends a sample of the successful reads to a second service and compares its responses with those that
 * clients got. Clients never wait for it, and never notice it. Loaded only if configured.
 */
import { type Clock, sleep } from '../base/clock.ts';
import { errorText } from '../base/errors.ts';
import { SHADOW_BOUNDS } from '../base/limits.ts';
import { qrycls } from '../commands/query/qrycls.ts';
import { findCommand } from '../commands/registry.ts';
import { authenticate } from '../commands/user/authenticate.ts';
import type { Log } from '../service/monitoring/log.ts';
import type { ShadowResult } from '../service/monitoring/metrics.ts';
import { type CommandService, envelopeHead, type Outcome, type RawRequest } from '../service/request.ts';
import { type Answer, compareAnswers, type Difference } from './comparison.ts';
import { cursorOf, isSecretParameter } from './exchange.ts';
import { isRead } from './reads.ts';

export interface ShadowSettings {
  /** Address of the second service's endpoint. */
  readonly url: string;
  /** Share of the reads that are sent, 0 to 1. */
  readonly sampleRatio: number;
  /** Time limit for a request to the second service. */
  readonly timeoutMs: number;
  /** The user that logs in to the second service, or undefined for none. */
  readonly user: string | undefined;
  readonly password: string | undefined;
}

export interface ShadowOptions extends ShadowSettings {
  readonly clock: Clock;
  readonly log: Log;
  count(result: ShadowResult): void;
}

/** A value may change between the two reads: a difference counts if it is still there after this time. */
const RETRY_MS = 1_000;
/** Maximum number of differences that the log distinguishes; the rest are only counted. */
const MAX_LOGGED = 1_000;
/** The log repeats a difference, or that the service does not respond, after this time. */
const LOG_AGAIN_MS = 10 * 60_000;
const FORM = 'application/x-www-form-urlencoded';
const UNAUTHORIZED = 401;
const AUTHORIZATION_FAILED = /"successStatus"\s*:\s*2\b/;
const INDEX = /\[\d+\]/g;
/** Both sides have the same status, because `httpStatus` of the two services may differ. */
const SAME_STATUS = 200;

/** One thread's part of shadow mode. */
export class Shadow {
  readonly #options: ShadowOptions;
  /** Time of the last log entry, by its subject. */
  readonly #loggedMs = new Map<string, number>();
  #inFlight = 0;
  /** The reads that are due to be sent, as a fraction. */
  #due = 0;
  #token: Promise<string | undefined> | undefined;

  constructor(options: ShadowOptions) {
    this.#options = options;
  }

  /** Returns the service with its reads observed. */
  wrap(service: CommandService): CommandService {
    return {
      ...service,
      execute: (request, caller) => {
        const outcome = service.execute(request, caller);
        if (outcome instanceof Promise) void outcome.then((known) => this.#sample(request, known));
        else this.#sample(request, outcome);
        return outcome;
      },
    };
  }

  /** Compares a read that is due, if it succeeded: the second service does not know what its sender may do. */
  #sample(request: RawRequest, outcome: Outcome): void {
    if (outcome.successStatus === 0 && this.#isSampled(request)) this.#observe(request, outcome);
  }

  /** Reports whether the request is a read that is due. Reads are chosen at equal intervals. */
  #isSampled({ cmd = '', params }: RawRequest): boolean {
    const command = findCommand(cmd);
    if (command === undefined || command.access === 'write' || command.cursor !== undefined) return false;
    this.#due += this.#options.sampleRatio;
    if (this.#due < 1) return false;
    this.#due -= 1;
    return command.group !== 'user' && isRead({ cmd, params });
  }

  #observe({ cmd = '', params }: RawRequest, outcome: Outcome): void {
    const { response, contentType, bytes } = outcome;
    const isComparable = typeof response === 'string' && contentType === undefined && bytes === undefined;
    if (!isComparable || response.length > SHADOW_BOUNDS.answerCharacters || this.#inFlight >= SHADOW_BOUNDS.inFlight) {
      this.#options.count('skipped');
      return;
    }
    const own = { status: SAME_STATUS, text: `${envelopeHead(outcome)}${response}}` };
    const body = new URLSearchParams([...params].filter(([name]) => !isSecretParameter(name)));
    body.set('cmd', cmd);
    this.#inFlight++;
    void this.#compare(cmd, params.get('qry'), own, body)
      .catch((error: unknown) => {
        this.#options.count('unanswered');
        const reason = errorText(error);
        this.#log('The shadow service does not answer', { reason });
      })
      .finally(() => this.#inFlight--);
  }

  async #compare(cmd: string, sql: string | undefined, own: Answer, body: URLSearchParams): Promise<void> {
    const { clock, count } = this.#options;
    const command = findCommand(cmd);
    let difference = compareAnswers(command, sql, own, await this.#read(body));
    if (difference !== undefined) {
      await sleep(clock, RETRY_MS);
      difference = compareAnswers(command, sql, own, await this.#read(body));
    }
    count(difference === undefined ? 'equal' : difference.kind);
    if (difference !== undefined) this.#report(cmd, difference);
  }

  /** Logs where responses differ, without their values. */
  #report(command: string, { kind, path }: Difference): void {
    this.#log('An answer of the shadow service differs', { command, kind, path: path.replace(INDEX, '[]') });
  }

  #log(message: string, fields: Readonly<Record<string, string>>): void {
    const { clock, log } = this.#options;
    const key = `${message} ${Object.values(fields).join(' ')}`;
    const nowMs = clock.monotonicMs();
    const lastMs = this.#loggedMs.get(key);
    if (lastMs === undefined ? this.#loggedMs.size >= MAX_LOGGED : nowMs - lastMs < LOG_AGAIN_MS) return;
    this.#loggedMs.set(key, nowMs);
    log.warn(message, fields);
  }

  /** Executes a read in the second service and closes the cursor that it may have opened there. */
  async #read(body: URLSearchParams): Promise<Answer> {
    const answer = await this.#authorized(body);
    const cursor = cursorOf(answer.text);
    if (cursor?.isOpen === true) {
      await this.#authorized(new URLSearchParams({ cmd: qrycls.name, qryId: cursor.id }));
    }
    return { status: SAME_STATUS, text: answer.text };
  }

  async #authorized(body: URLSearchParams): Promise<Answer> {
    if (this.#options.user === undefined) return this.#send(body);
    const answer = await this.#send(withToken(body, await this.#login()));
    if (answer.status !== UNAUTHORIZED && !AUTHORIZATION_FAILED.test(answer.text)) return answer;
    // The session has expired.
    this.#token = undefined;
    return this.#send(withToken(body, await this.#login()));
  }

  #login(): Promise<string | undefined> {
    if (this.#token === undefined) {
      const token = this.#openSession();
      this.#token = token;
      token.catch(() => {
        this.#token = undefined;
      });
    }
    return this.#token;
  }

  async #openSession(): Promise<string | undefined> {
    const { url, user = '', password = '' } = this.#options;
    const name = new URL(url).pathname.split('/').at(-1) ?? '';
    const credentials = { cmd: authenticate.name, [`${name}.login`]: user, [`${name}.password`]: password };
    const { text } = await this.#send(new URLSearchParams(credentials));
    return /"sessionToken"\s*:\s*"([^"]+)"/.exec(text)?.[1];
  }

  async #send(body: URLSearchParams): Promise<Answer> {
    const response = await fetch(this.#options.url, {
      method: 'POST',
      headers: { 'content-type': FORM },
      body: body.toString(),
      redirect: 'error',
      signal: AbortSignal.timeout(this.#options.timeoutMs),
    });
    return { status: response.status, text: await response.text() };
  }
}

function withToken(body: URLSearchParams, token: string | undefined): URLSearchParams {
  const sent = new URLSearchParams(body);
  if (token !== undefined) sent.set('sessionToken', token);
  return sent;
}
