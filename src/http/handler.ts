/** One request on its way: bytes judged, parameters read, the service asked, the answer written. */
import type { Clock, Timer } from '../base/clock.ts';
import { fail, type GridError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { CommandService, Outcome } from '../service/outcome.ts';
import { Admission } from './admission.ts';
import type { BrowserGuard } from './browser-guard.ts';
import { addBodyParameters, checkHead, type HeaderTable, HttpRequest, queryParameters } from './request.ts';
import { answer, type ExtraHeaders, isRefusal, JSON_TYPE, plainAnswer, refusal, streamedAnswer } from './response.ts';
import { coalesce, collectUpTo } from './streaming.ts';

/** The part of the runtime's server that handling a request needs. */
export interface Connections {
  requestIP(request: Request): { readonly address: string } | null;
  /** Seconds after which a silent connection is closed; 0: never. */
  timeout(request: Request, seconds: number): void;
}

/** What is served beside commands. */
export interface Pages {
  /** Whether commands can be answered: started, not stopping, active, able to write. */
  ready(): MaybePromise<boolean>;
  /** The figures in Prometheus' format, after whatever check they need. */
  metrics(request: HttpRequest): MaybePromise<Outcome>;
  /** The OpenAPI document. */
  openApi(): string;
}

export interface HandlerOptions {
  readonly service: CommandService;
  readonly serviceName: string;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly guard: BrowserGuard;
  readonly idleTimeoutSeconds: number;
  readonly pages: Pages;
  /** Logs a failure that is not of the catalogue and gives the one to answer with. */
  readonly unexpected: (error: unknown) => GridError;
}

/** Figures since the start. Bytes are those of heads and bodies as far as the service sees them. */
export interface HttpStatistics {
  readonly requests: number;
  readonly refused: number;
  readonly inWork: number;
  readonly waiting: number;
  readonly receivedBytes: number;
  readonly sentBytes: number;
}

interface Pending {
  readonly request: Request;
  readonly connections: Connections;
  seen: boolean;
  lengthened: boolean;
}

const SLASH = 47;
const CLOSE = /(?:^|,)\s*close\s*(?:,|$)/i;
const METHODS = 'GET, POST';
const TEXT_TYPE = 'text/plain;charset=utf-8';
/** Answers up to this many characters are sent whole, so that a failure among their pieces can still be told. */
const WHOLE_CHARACTERS = 64 * 1024;

export class Handler {
  readonly #options: HandlerOptions;
  readonly #path: string;
  readonly #admission: Admission;
  readonly #pending = new Set<Pending>();
  readonly #watch: Timer;
  #stopping = false;
  #requests = 0;
  #refused = 0;
  #receivedBytes = 0;
  #sentBytes = 0;

  constructor(options: HandlerOptions) {
    this.#options = options;
    this.#path = `/${options.serviceName}`;
    this.#admission = new Admission(options.limits.requestsInWork, options.limits.requestsWaiting);
    // The runtime's idle timer also runs while an answer is being made, so requests in work are taken off it in time.
    const intervalMs = Math.max(1, options.idleTimeoutSeconds) * 250;
    this.#watch = options.clock.every(intervalMs, () => this.#lengthenPending());
  }

  /** Handles one request. Never throws and never rejects. */
  handle(request: Request, connections: Connections): MaybePromise<Response> {
    this.#requests++;
    let extra: ExtraHeaders | undefined;
    try {
      const { url } = request;
      // A bare path when the Host header is absent or no host; never `new URL`, which would refuse those.
      const pathStart = url.charCodeAt(0) === SLASH ? 0 : url.indexOf('/', 8);
      const question = url.indexOf('?', pathStart);
      const pathEnd = question < 0 ? url.length : question;
      const headers: HeaderTable = request.headers.toJSON();
      const headBytes = checkHead(url, headers, this.#options.limits.requestHeadBytes);
      this.#receivedBytes += headBytes;
      const isCommand = this.#isCommandPath(url, pathStart, pathEnd);
      const health = isCommand ? undefined : this.#health(url.slice(pathStart, pathEnd), request.method);
      if (health !== undefined) return health;
      extra = this.#options.guard.check(headers, pathStart === 0 ? '' : url.slice(url.indexOf('/') + 2, pathStart));
      // The runtime closes the connection but does not say so, and clients that pool connections then lose a request.
      if (headers.connection !== undefined && CLOSE.test(headers.connection)) extra = { ...extra, Connection: 'close' };
      if (this.#stopping) throw fail('STOPPING');
      if (!isCommand) return this.#page(url.slice(pathStart, pathEnd), request, headers, connections, extra);
      const { method } = request;
      if (method !== 'GET' && method !== 'POST') return this.#otherMethod(method, headers, extra);
      const params = queryParameters(url, question < 0 ? url.length : question + 1, this.#options.limits);
      if (method === 'GET') return this.#execute(params, headers, request, connections, extra);
      return this.#withBody(params, headers, request, connections, extra);
    } catch (error) {
      return this.#failed(error, extra);
    }
  }

  /** From now on every request is refused; those in work are finished. */
  beginStop(): void {
    this.#stopping = true;
  }

  endStop(): void {
    this.#watch.cancel();
  }

  statistics(): HttpStatistics {
    return {
      requests: this.#requests,
      refused: this.#refused,
      inWork: this.#admission.inWork,
      waiting: this.#admission.waiting,
      receivedBytes: this.#receivedBytes,
      sentBytes: this.#sentBytes,
    };
  }

  #isCommandPath(url: string, start: number, end: number): boolean {
    const length = end - start;
    const own = this.#path.length;
    return (
      (length === own || (length === own + 1 && url.charCodeAt(end - 1) === SLASH)) && url.startsWith(this.#path, start)
    );
  }

  async #withBody(
    params: Map<string, string>,
    headers: HeaderTable,
    request: Request,
    connections: Connections,
    extra: ExtraHeaders | undefined,
  ): Promise<Response> {
    try {
      this.#receivedBytes += await addBodyParameters(request, headers, params, this.#options.limits);
      return await this.#execute(params, headers, request, connections, extra);
    } catch (error) {
      return this.#failed(error, extra);
    }
  }

  #execute(
    params: ReadonlyMap<string, string>,
    headers: HeaderTable,
    request: Request,
    connections: Connections,
    extra: ExtraHeaders | undefined,
  ): MaybePromise<Response> {
    const raw = new HttpRequest(params, headers, request, connections);
    if (this.#admission.tryBegin()) return this.#perform(raw, request, connections, extra);
    return this.#admission.begin().then(() => this.#perform(raw, request, connections, extra));
  }

  /** Asks the service; the request's place has been taken before. */
  #perform(
    raw: HttpRequest,
    request: Request,
    connections: Connections,
    extra: ExtraHeaders | undefined,
  ): MaybePromise<Response> {
    let outcome: MaybePromise<Outcome>;
    try {
      outcome = this.#options.service.execute(raw);
    } catch (error) {
      this.#admission.end();
      return this.#failed(error, extra);
    }
    if (!(outcome instanceof Promise)) {
      this.#admission.end();
      return this.#respond(outcome, request, connections, extra);
    }
    const pending: Pending = { request, connections, seen: false, lengthened: false };
    this.#pending.add(pending);
    return outcome.then(
      (done) => {
        this.#leave(pending);
        return this.#respond(done, request, connections, extra);
      },
      (error: unknown) => {
        this.#leave(pending);
        return this.#failed(error, extra);
      },
    );
  }

  #leave(pending: Pending): void {
    this.#admission.end();
    this.#pending.delete(pending);
    // A connection keeps the time that a request of it was given.
    if (pending.lengthened) pending.connections.timeout(pending.request, this.#options.idleTimeoutSeconds);
  }

  #lengthenPending(): void {
    for (const pending of this.#pending) {
      if (pending.seen && !pending.lengthened) {
        pending.lengthened = true;
        pending.connections.timeout(pending.request, 0);
      }
      pending.seen = true;
    }
  }

  #respond(
    outcome: Outcome,
    request: Request,
    connections: Connections,
    extra: ExtraHeaders | undefined,
  ): MaybePromise<Response> {
    const { response } = outcome;
    if (typeof response !== 'string') return this.#stream(outcome, response, request, connections, extra);
    this.#sentBytes += response.length;
    return answer(outcome, response, extra);
  }

  /** Sends pieces as they come. A client that stops reading is cut by the idle timer, a slow engine is not. */
  async #stream(
    outcome: Outcome,
    pieces: AsyncIterable<string>,
    request: Request,
    connections: Connections,
    extra: ExtraHeaders | undefined,
  ): Promise<Response> {
    const idle = this.#options.idleTimeoutSeconds;
    connections.timeout(request, 0);
    try {
      const begun = await collectUpTo(pieces, WHOLE_CHARACTERS);
      if (begun.rest === undefined) {
        connections.timeout(request, idle);
        this.#sentBytes += begun.text.length;
        return answer(outcome, begun.text, extra);
      }
      const body = coalesce(begun.text, begun.rest, WHOLE_CHARACTERS, {
        beforePiece: (text) => {
          this.#sentBytes += text.length;
          connections.timeout(request, idle);
        },
        afterPiece: () => connections.timeout(request, 0),
        end: (error) => {
          connections.timeout(request, idle);
          if (error !== undefined) this.#options.unexpected(error);
        },
      });
      return streamedAnswer(outcome, body, extra);
    } catch (error) {
      connections.timeout(request, idle);
      return this.#failed(error, extra);
    }
  }

  #failed(error: unknown, extra: ExtraHeaders | undefined): Response {
    this.#refused++;
    return refusal(isRefusal(error) ? error : this.#options.unexpected(error), extra);
  }

  #otherMethod(method: string, headers: HeaderTable, extra: ExtraHeaders | undefined): Response {
    const { guard } = this.#options;
    if (method === 'OPTIONS' && guard.hasOrigins) {
      const allow = { Allow: `${METHODS}, OPTIONS` };
      const preflight = extra === undefined ? undefined : guard.preflight(headers, extra, METHODS);
      return new Response(null, { status: 204, headers: { ...allow, ...preflight } });
    }
    this.#refused++;
    const allowed = guard.hasOrigins ? `${METHODS}, OPTIONS` : METHODS;
    return refusal(fail('METHOD_REFUSED', allowed), { ...extra, Allow: allowed });
  }

  /** Up or down, and nothing more: these need no credentials and are asked by anybody. */
  #health(path: string, method: string): MaybePromise<Response> | undefined {
    if (path !== '/health/live' && path !== '/health/ready') return undefined;
    if (method !== 'GET' && method !== 'HEAD') {
      return refusal(fail('METHOD_REFUSED', 'GET, HEAD'), { Allow: 'GET, HEAD' });
    }
    if (path === '/health/live') return healthAnswer(true);
    if (this.#stopping) return healthAnswer(false);
    const ready = this.#options.pages.ready();
    return ready instanceof Promise ? ready.then(healthAnswer, () => healthAnswer(false)) : healthAnswer(ready);
  }

  #page(
    path: string,
    request: Request,
    headers: HeaderTable,
    connections: Connections,
    extra: ExtraHeaders | undefined,
  ): MaybePromise<Response> {
    if (path !== '/openapi.json' && path !== '/metrics') throw fail('PATH_NOT_FOUND', this.#path);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return refusal(fail('METHOD_REFUSED', 'GET, HEAD'), { ...extra, Allow: 'GET, HEAD' });
    }
    if (path === '/openapi.json') return plainAnswer(200, JSON_TYPE, this.#options.pages.openApi(), extra);
    const question = request.url.indexOf('?');
    const params = queryParameters(request.url, question < 0 ? request.url.length : question + 1, this.#options.limits);
    const raw = new HttpRequest(params, headers, request, connections);
    const outcome = this.#options.pages.metrics(raw);
    if (!(outcome instanceof Promise)) return this.#respond(outcome, request, connections, extra);
    return outcome.then(
      (done) => this.#respond(done, request, connections, extra),
      (error: unknown) => this.#failed(error, extra),
    );
  }
}

function healthAnswer(up: boolean): Response {
  return up
    ? plainAnswer(200, JSON_TYPE, '{"status":"up"}')
    : plainAnswer(503, JSON_TYPE, '{"status":"down"}', { 'Retry-After': '1' });
}

/** Answers the port of figures alone, which knows no command. */
export function onlyPages(handler: Handler, serviceName: string) {
  return (request: Request, connections: Connections): MaybePromise<Response> => {
    const { url } = request;
    const path = url.slice(url.charCodeAt(0) === SLASH ? 0 : url.indexOf('/', 8)).split('?')[0];
    if (path === `/${serviceName}` || path === `/${serviceName}/` || path === '/openapi.json') {
      return plainAnswer(404, TEXT_TYPE, 'Commands are not answered on this port.\n');
    }
    return handler.handle(request, connections);
  };
}
