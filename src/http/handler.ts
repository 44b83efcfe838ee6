/** Handles one request: checks its origin, reads its parameters, calls the service and writes the answer. */
import type { Clock } from '../base/clock.ts';
import { type ErrorCode, fail, GridError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import { chain, type MaybePromise } from '../base/maybe-promise.ts';
import { inSlices, LARGE_CHARACTERS, STEP_CHARACTERS } from '../base/slices.ts';
import {
  type CommandService,
  failureFormOf,
  type Outcome,
  type PreAuthentication,
  type ResourceAddress,
  type ResourceService,
} from '../service/request.ts';
import { RequestReserve, type ReservedFor } from './admission.ts';
import { BodyGarbage } from './body-garbage.ts';
import { BodyParameters } from './body-parameters.ts';
import type { BrowserGuard } from './browser-guard.ts';
import { CommandPath } from './command-path.ts';
import type { HeaderBlock, RequestLine } from './head/head.ts';
import type { IncomingRequest, RequestHandler, Served } from './incoming-request.ts';
import { isConsole, PAGES, PageHandler, type PageOptions } from './pages/page-handler.ts';
import { readQuery } from './parameters.ts';
import {
  answer,
  byteAnswer,
  ERROR_CODE,
  type ExtraHeaders,
  inAcceptedForm,
  isGridError,
  plainAnswer,
  type Reply,
  rejection,
  streamedAnswer,
} from './reply.ts';
import {
  checkBodyCoding,
  HttpRequest,
  isDecidedByHead,
  isParametersType,
  type RequestHead,
  readsBody,
} from './request.ts';
import { executeResource, HttpResourceRequest, mayHaveBody, pathOf } from './resources/resource-requests.ts';
import { coalesce, collectUpTo, lastLine, PART_CHARACTERS, partsOf, resumed } from './streaming.ts';
import type { BodyStream } from './upload/body-stream.ts';

export interface HandlerOptions extends Omit<PageOptions, 'endpoint'> {
  readonly service: CommandService;
  readonly resources: ResourceService;
  readonly serviceName: string;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly guard: BrowserGuard;
  /** Logs an unexpected error and returns the error to answer with. */
  readonly unexpected: (error: unknown) => GridError;
}

/** Metrics since the start. Bytes are those of heads and bodies as far as the service sees them. */
export interface HttpStatistics {
  readonly requests: number;
  readonly rejected: number;
  readonly inWork: number;
  /** Requests that were rejected because too many are in work. */
  readonly overloaded: number;
  readonly receivedBytes: number;
  readonly sentBytes: number;
}

/** What tells in which form errors are expected: a request, or its head if its parameters have not been read. */
export type AnyRequest = HttpRequest | RequestHead;

/** Parameters that say how failures are reported. */
const FORM_PARAMETERS = ['errors', 'httpStatus'];
const METHODS = 'GET, POST';
const NO_PARAMETERS: ReadonlyMap<string, string> = new Map();
const TEXT_TYPE = 'text/plain;charset=utf-8';
/** Has nginx and others that know the header pass each part on when it arrives. */
const UNBUFFERED: ExtraHeaders = { 'X-Accel-Buffering': 'no' };
const NOT_FOUND: ExtraHeaders = { [ERROR_CODE]: 'PATH_NOT_FOUND' satisfies ErrorCode };
const ONLY_PAGES = 'Only /metrics and /health are answered on this port.\n';

/** Returns the header Accept of a request. */
function acceptOf(received: AnyRequest): string | null {
  return received instanceof HttpRequest ? received.header('accept') : (received.block.headers.get('accept') ?? null);
}

export class Handler implements RequestHandler {
  readonly #options: HandlerOptions;
  readonly #path: CommandPath;
  /** The number of requests that are executed at once without a place in the reserve. */
  readonly #limit: number;
  readonly #reserve: RequestReserve;
  #inWork = 0;
  readonly #bodies: BodyParameters;
  readonly #pages: PageHandler;
  readonly #garbage: BodyGarbage;
  #stopping = false;
  /** Has each response end that arrives while things happen. */
  readonly #live = new Set<() => void>();
  #requests = 0;
  #rejected = 0;
  #receivedBytes = 0;
  #sentBytes = 0;
  /** The header lines that the guard accepted last. Connections repeat them, and often all clients send the same. */
  #accepted: HeaderBlock | undefined;

  constructor(options: HandlerOptions) {
    this.#options = options;
    this.#path = new CommandPath(options.serviceName, options.limits);
    this.#bodies = new BodyParameters({ ...options, path: this.#path });
    this.#garbage = new BodyGarbage(options.clock);
    this.#pages = new PageHandler(
      { ...options, endpoint: this.#path.endpoint },
      {
        failed: (error, incoming, extra) => this.#failed(error, incoming, extra),
        rejectMethod: (allowed, incoming, extra) => this.#rejectMethod(allowed, incoming, extra),
        respond: (outcome, incoming, extra) => this.#respond(outcome, incoming, extra),
      },
    );
    const { requestsInWork, requestsWaiting } = options.limits;
    this.#limit = requestsInWork + requestsWaiting;
    this.#reserve = new RequestReserve(this.#limit);
  }

  handle(incoming: IncomingRequest, serves: Served): MaybePromise<Reply> {
    const { line, body } = incoming;
    const { target, method } = line;
    const question = target.indexOf('?');
    const pathEnd = question < 0 ? target.length : question;
    const { endpoint } = this.#path;
    const isExact = pathEnd === endpoint.length && target.startsWith(endpoint);
    const isEndpoint = isExact || this.#path.isEndpoint(target, pathEnd);
    const path = isEndpoint ? endpoint : target.slice(0, pathEnd);
    if (serves === 'pages' && !PAGES.has(path)) return plainAnswer(404, TEXT_TYPE, ONLY_PAGES, NOT_FOUND);
    this.#requests++;
    this.#receivedBytes += incoming.headBytes + (body?.length ?? 0);
    let extra: ExtraHeaders | undefined;
    try {
      const health = isEndpoint ? undefined : this.#pages.health(path, incoming, this.#stopping);
      if (health !== undefined) return health;
      extra = this.#guard(incoming);
      if (this.#stopping) throw fail('STOPPING');
      const address = isEndpoint ? undefined : this.#options.resources.addressOf(path);
      if (address !== undefined) return this.#resource(path, address, incoming, extra);
      if (!isEndpoint && this.#path.commandOf(target) === undefined) {
        if (serves === 'console' && isConsole(path)) return this.#pages.consoleFile(path, incoming, extra);
        const docs = serves === 'console' ? this.#pages.docs(path, incoming, extra) : undefined;
        return docs ?? this.#pages.page(path, incoming, extra);
      }
      if (method !== 'GET' && method !== 'POST') return this.#otherMethod(incoming, extra);
      let params: Map<string, string>;
      try {
        params = isEndpoint
          ? readQuery(target, pathEnd + 1, this.#options.limits.parametersPerRequest)
          : this.#path.parametersOf(target, question);
      } catch (error) {
        return this.#unread(error, new HttpRequest(this.#formParameters(incoming), incoming), extra);
      }
      if (incoming.stream !== undefined) return this.#handleStream(incoming, incoming.stream, params, extra);
      if (incoming.preAuthentication !== undefined)
        return this.#handlePreAuthenticated(incoming, incoming.preAuthentication, params, extra);
      return this.#handleBody(incoming, params, extra);
    } catch (error) {
      return this.#failed(error, incoming, extra);
    }
  }

  /** Handles a request for a resource. */
  #resource(
    path: string,
    address: ResourceAddress,
    incoming: IncomingRequest,
    extra: ExtraHeaders | undefined,
  ): MaybePromise<Reply> {
    if (incoming.line.method !== 'OPTIONS') return this.#begin(new HttpResourceRequest(path, address, incoming), extra);
    return this.#otherMethod(incoming, extra, this.#options.resources.methodsOf(address));
  }

  /** Handles a request whose command reads the body while it arrives. */
  #handleStream(
    incoming: IncomingRequest,
    stream: BodyStream,
    params: Map<string, string>,
    extra: ExtraHeaders | undefined,
  ): MaybePromise<Reply> {
    checkBodyCoding(incoming.block);
    return chain(this.#handleBody(incoming, params, extra), (reply) => {
      this.#receivedBytes += stream.length;
      return reply;
    });
  }

  /** Handles a request whose head was pre-authenticated before its body arrived. */
  #handlePreAuthenticated(
    incoming: IncomingRequest,
    preAuthentication: MaybePromise<PreAuthentication>,
    params: Map<string, string>,
    extra: ExtraHeaders | undefined,
  ): MaybePromise<Reply> {
    const { block, bodyDropped } = incoming;
    // How the bytes of a body arrive must not decide, so a head that decides is waited for.
    if (!bodyDropped && !isDecidedByHead(block)) return this.#handleBody(incoming, params, extra);
    return chain(preAuthentication, (result) => {
      try {
        if (!(result instanceof GridError)) return this.#handleBody(incoming, params, extra);
        const request = new HttpRequest(params, incoming);
        const rejected = this.#options.service.reject?.(request, result);
        return rejected === undefined ? this.#failed(result, request, extra) : this.#respond(rejected, request, extra);
      } catch (error) {
        return this.#failed(error, incoming, extra);
      }
    });
  }

  /** Reads the parameters of the body and executes the request. Throws what its parameters are rejected with. */
  #handleBody(
    incoming: IncomingRequest,
    params: Map<string, string>,
    extra: ExtraHeaders | undefined,
  ): MaybePromise<Reply> {
    const { body, preAuthentication } = incoming;
    if (body === undefined) return this.#begin(new HttpRequest(params, incoming, preAuthentication), extra);
    const types = this.#bodies.jsonTypesOf(incoming, body, params);
    if (body.length > STEP_CHARACTERS) return this.#handleInSlices(incoming, body, params, types, extra);
    try {
      this.#bodies.readAtOnce(incoming, body, params, types);
    } catch (error) {
      return this.#unread(error, this.#requestOf(incoming, params, types), extra);
    }
    return this.#begin(this.#requestOf(incoming, params, types), extra);
  }

  #requestOf(
    incoming: IncomingRequest,
    params: ReadonlyMap<string, string>,
    types: ReadonlyMap<string, string> | undefined,
  ): HttpRequest {
    const { preAuthentication } = incoming;
    if (types === undefined) return new HttpRequest(params, incoming, preAuthentication);
    return new HttpRequest(params, incoming, preAuthentication, params.get('cmd'), undefined, undefined, types);
  }

  /**
   * Answers a request whose parameters cannot be read. Who sent it is told by those that could be. Never throws and
   * never rejects.
   */
  #unread(error: unknown, request: HttpRequest, extra: ExtraHeaders | undefined): MaybePromise<Reply> {
    const { unread } = this.#options.service;
    if (unread === undefined || !isGridError(error) || error.entry.http !== 400)
      return this.#failed(error, request, extra);
    try {
      const outcome = unread(request, error);
      if (!(outcome instanceof Promise)) return this.#respond(outcome, request, extra);
      return outcome.then(
        (done) => this.#respond(done, request, extra),
        (reason: unknown) => this.#failed(reason, request, extra),
      );
    } catch (reason) {
      return this.#failed(reason, request, extra);
    }
  }

  get authenticates(): boolean {
    return this.#options.service.preAuthenticate !== undefined;
  }

  preAuthenticate(head: RequestHead): MaybePromise<PreAuthentication> {
    try {
      return this.#options.service.preAuthenticate?.(new HttpRequest(this.#queryOf(head.line), head)) ?? 'known';
    } catch {
      // Whoever handles the request meets the error again, and reports it.
      return 'unknown';
    }
  }

  tenantOf(head: RequestHead): ReturnType<CommandService['tenantOf']> {
    const { service } = this.#options;
    try {
      return service.tenantOf(new HttpRequest(this.#queryOf(head.line), head));
    } catch {
      return service.tenantOf(new HttpRequest(new Map(), head));
    }
  }

  /** Returns the parameters of a request before its body. Those of a resource are not those of commands. */
  #queryOf({ target }: RequestLine): ReadonlyMap<string, string> {
    const address = this.#options.resources.addressOf(pathOf(target));
    return address === undefined ? this.#path.parametersOf(target) : NO_PARAMETERS;
  }

  readsBody(line: RequestLine, block: HeaderBlock): boolean {
    return (mayHaveBody(line) && this.#options.resources.contains(line.target)) || readsBody(line, block);
  }

  streamsBody({ target, method }: RequestLine, block: HeaderBlock): boolean {
    if (method !== 'POST') return false;
    const { resources } = this.#options;
    if (resources.contains(target)) return resources.streamsBody(pathOf(target), block.headers.get('content-type'));
    if (isParametersType(block)) return false;
    const question = target.indexOf('?');
    const end = question < 0 ? target.length : question;
    try {
      if (!this.#path.isEndpoint(target, end) && this.#path.commandOf(target) === undefined) return false;
      const cmd = this.#path.parametersOf(target, question).get('cmd');
      return cmd !== undefined && this.#options.service.streamsBody?.(cmd) === true;
    } catch {
      // Whoever handles the request meets the error again, and reports it.
      return false;
    }
  }

  /** Handles a request whose body is decoded in slices. */
  async #handleInSlices(
    incoming: IncomingRequest,
    body: NonNullable<IncomingRequest['body']>,
    params: Map<string, string>,
    types: Map<string, string> | undefined,
    extra: ExtraHeaders | undefined,
  ): Promise<Reply> {
    this.#garbage.begin();
    try {
      await this.#bodies.read(incoming, body, params, types);
      return await this.#begin(this.#requestOf(incoming, params, types), extra);
    } catch (error) {
      return await this.#unread(error, this.#requestOf(incoming, params, types), extra);
    } finally {
      this.#garbage.end(body.length);
    }
  }

  /** Rejects every request from now on. Requests that are being handled are finished. */
  beginStop(): void {
    this.#stopping = true;
    for (const stop of this.#live) stop();
  }

  get stopping(): boolean {
    return this.#stopping;
  }

  decline(incoming: IncomingRequest, waiting: number): Reply {
    this.#requests++;
    let extra: ExtraHeaders | undefined;
    try {
      extra = this.#guard(incoming);
    } catch (error) {
      return this.#failed(error, incoming, extra);
    }
    return this.#failed(fail('OVERLOADED', waiting), incoming, extra);
  }

  rejected(): void {
    this.#requests++;
    this.#rejected++;
  }

  statistics(): HttpStatistics {
    return {
      requests: this.#requests,
      rejected: this.#rejected,
      inWork: this.#inWork + this.#reserve.used,
      overloaded: this.#reserve.rejected,
      receivedBytes: this.#receivedBytes,
      sentBytes: this.#sentBytes,
    };
  }

  #guard({ line, block }: IncomingRequest): ExtraHeaders | undefined {
    if (block === this.#accepted && line.authority === undefined) return undefined;
    const extra = this.#options.guard.check(block.headers, line.authority ?? block.host ?? '');
    if (extra === undefined && line.authority === undefined) this.#accepted = block;
    return extra;
  }

  /** Executes the request if the limit of concurrent requests allows. */
  #begin(request: HttpRequest, extra: ExtraHeaders | undefined): MaybePromise<Reply> {
    const { service, resources } = this.#options;
    let reservedFor: ReservedFor | undefined;
    if (this.#inWork < this.#limit) this.#inWork++;
    else reservedFor = this.#reserve.begin(service.tenantOf(request));
    let outcome: MaybePromise<Outcome>;
    try {
      outcome = request instanceof HttpResourceRequest ? executeResource(resources, request) : service.execute(request);
    } catch (error) {
      this.#end(reservedFor);
      return this.#failed(error, request, extra);
    }
    if (!(outcome instanceof Promise)) {
      this.#end(reservedFor);
      return this.#respond(outcome, request, extra);
    }
    return outcome.then(
      (done) => {
        this.#end(reservedFor);
        return this.#respond(done, request, extra);
      },
      (error: unknown) => {
        this.#end(reservedFor);
        return this.#failed(error, request, extra);
      },
    );
  }

  #end(reservedFor: ReservedFor | undefined): void {
    if (reservedFor === undefined) this.#inWork--;
    else this.#reserve.end(reservedFor);
  }

  #respond(result: Outcome, received: AnyRequest, extra: ExtraHeaders | undefined): MaybePromise<Reply> {
    const outcome = result.failure === undefined ? result : inAcceptedForm(result, acceptOf(received));
    const { response, bytes, stop } = outcome;
    if (stop !== undefined && typeof response !== 'string')
      return this.#streamLive(outcome, received, response, stop, extra);
    if (bytes !== undefined) return this.#streamBytes(outcome, received, bytes, extra);
    if (typeof response !== 'string') return this.#stream(outcome, received, response, extra);
    if (response.length > LARGE_CHARACTERS) {
      const slices = inSlices(partsOf(response), this.#options.clock);
      return this.#stream(outcome, received, slices, extra).then((reply) => ({ ...reply, heldBytes: response.length }));
    }
    this.#sentBytes += response.length;
    return answer(outcome, response, extra);
  }

  async #stream(
    outcome: Outcome,
    received: AnyRequest,
    chunks: AsyncIterable<string>,
    extra: ExtraHeaders | undefined,
  ): Promise<Reply> {
    const sent = (text: string) => {
      this.#sentBytes += text.length;
    };
    try {
      // A short answer is sent as a whole, so that an error in it can still be reported.
      const { text, rest } = await collectUpTo(chunks, PART_CHARACTERS);
      if (rest === undefined) {
        sent(text);
        return answer(outcome, text, extra);
      }
      const body = coalesce(text, rest, PART_CHARACTERS, sent, (error, before) =>
        lastLine(this.#options.clock, outcome.contentType, this.#options.unexpected(error), before),
      );
      return streamedAnswer(outcome, body, extra);
    } catch (error) {
      return this.#failedStream(error, outcome, received, extra);
    }
  }

  /** Sends each part when it arrives. Waits for the first one, so that an error before it can still be reported. */
  async #streamLive(
    outcome: Outcome,
    received: AnyRequest,
    parts: AsyncIterable<string>,
    stop: () => void,
    extra: ExtraHeaders | undefined,
  ): Promise<Reply> {
    const rest = this.#untilStop(parts, stop);
    try {
      const first = await rest.next();
      const sent = (text: string) => {
        this.#sentBytes += text.length;
      };
      const body = resumed(first, rest, sent, (error, before) =>
        lastLine(this.#options.clock, outcome.contentType, this.#options.unexpected(error), before),
      );
      return { ...streamedAnswer(outcome, body, { ...extra, ...UNBUFFERED }), compressible: false };
    } catch (error) {
      return this.#failedStream(error, outcome, received, extra);
    }
  }

  /** Yields parts, and has them end when the service stops. */
  async *#untilStop(parts: AsyncIterable<string>, stop: () => void): AsyncGenerator<string> {
    this.#live.add(stop);
    if (this.#stopping) stop();
    try {
      yield* parts;
    } finally {
      this.#live.delete(stop);
    }
  }

  /** Waits for the first bytes, so that an error before them can still be reported. */
  async #streamBytes(
    outcome: Outcome,
    received: AnyRequest,
    { chunks, fileName }: NonNullable<Outcome['bytes']>,
    extra: ExtraHeaders | undefined,
  ): Promise<Reply> {
    const rest = chunks[Symbol.asyncIterator]();
    try {
      const first = await rest.next();
      const sent = (bytes: Uint8Array) => {
        this.#sentBytes += bytes.length;
      };
      const body = resumed(first, rest, sent, (error) => {
        this.#options.unexpected(error);
        return undefined;
      });
      return byteAnswer(outcome, body, fileName, extra);
    } catch (error) {
      return this.#failedStream(error, outcome, received, extra);
    }
  }

  /** Answers with the error that a stream ended with before its first part was sent. */
  #failedStream(error: unknown, { failWith }: Outcome, received: AnyRequest, extra: ExtraHeaders | undefined): Reply {
    if (failWith === undefined) return this.#failed(error, received, extra);
    this.#rejected++;
    const failed = failWith(error);
    const formed = inAcceptedForm(failed, acceptOf(received));
    return answer(formed, formed === failed ? 'null' : String(formed.response), extra);
  }

  #failed(error: unknown, received: AnyRequest, extra: ExtraHeaders | undefined): Reply {
    this.#rejected++;
    const failure = isGridError(error) ? error : this.#options.unexpected(error);
    return rejection(failure, this.asksForObjects(received), extra, acceptOf(received));
  }

  /** Returns whether a request expects errors as objects. Never throws. */
  asksForObjects(received: AnyRequest | undefined): boolean {
    const { errorObjects, json } = this.#options.settings;
    if (received === undefined) return errorObjects;
    const request =
      received instanceof HttpRequest ? received : new HttpRequest(this.#formParameters(received), received);
    return failureFormOf(request, { httpStatus: true, errorObjects, json }).errorObjects;
  }

  /** Returns the parameters of a target that say how failures are reported, if its parameters can be read. */
  #formParameters({ line: { target } }: RequestHead): Map<string, string> {
    const found = new Map<string, string>();
    // Under overload, nothing else is worth the time.
    if (!FORM_PARAMETERS.some((name) => target.includes(name))) return found;
    try {
      const all = readQuery(target, target.indexOf('?') + 1, this.#options.limits.parametersPerRequest);
      for (const name of FORM_PARAMETERS) {
        const value = all.get(name);
        if (value !== undefined) found.set(name, value);
      }
    } catch {
      // It is this error that is reported, or one that came before.
    }
    return found;
  }

  #rejectMethod(allowed: string, received: AnyRequest, extra: ExtraHeaders | undefined): Reply {
    return this.#failed(fail('METHOD_NOT_ALLOWED', allowed), received, { ...extra, Allow: allowed });
  }

  #otherMethod(incoming: IncomingRequest, extra: ExtraHeaders | undefined, methods = METHODS): Reply {
    const { guard } = this.#options;
    const { method } = incoming.line;
    const { headers } = incoming.block;
    const allowed = guard.hasOrigins ? `${methods}, OPTIONS` : methods;
    if (method !== 'OPTIONS' || !guard.hasOrigins) return this.#rejectMethod(allowed, incoming, extra);
    const preflight = extra === undefined ? undefined : guard.preflight(headers, extra, methods);
    return plainAnswer(204, undefined, '', { Allow: allowed, ...preflight });
  }
}
