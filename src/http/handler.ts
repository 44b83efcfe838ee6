/** Handles one request: checks its origin, reads its parameters, calls the service and writes the response. */
import type { Clock } from '../base/clock.ts';
import { type ErrorCode, GridError, gridError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import { chain, type MaybePromise } from '../base/maybe-promise.ts';
import { STEP_CHARACTERS } from '../base/slices.ts';
import type {
  CommandService,
  Outcome,
  PreAuthentication,
  ResourceAddress,
  ResourceService,
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
import { type AnyRequest, ReplyWriter } from './replies/reply-writer.ts';
import { ERROR_CODE, type ExtraHeaders, isGridError, plainAnswer, type Reply } from './reply.ts';
import {
  checkBodyCoding,
  HttpRequest,
  isDecidedByHead,
  isParametersType,
  type RequestHead,
  readsBody,
} from './request.ts';
import { executeResource, HttpResourceRequest, mayHaveBody, pathOf } from './resources/resource-requests.ts';
import type { BodyStream } from './upload/body-stream.ts';

export interface HandlerOptions extends Omit<PageOptions, 'endpoint'> {
  readonly service: CommandService;
  readonly resources: ResourceService;
  readonly serviceName: string;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly guard: BrowserGuard;
  /** Logs an unexpected error and returns the error to respond with. */
  readonly unexpected: (error: unknown) => GridError;
}

/** Metrics since startup. Bytes are counted in heads and bodies as far as the service sees them. */
export interface HttpStatistics {
  readonly requests: number;
  readonly rejected: number;
  readonly inFlight: number;
  /** Requests rejected because too many are in progress. */
  readonly overloaded: number;
  readonly receivedBytes: number;
  readonly sentBytes: number;
}

const METHODS = 'GET, POST';
const NO_PARAMETERS: ReadonlyMap<string, string> = new Map();
const TEXT_TYPE = 'text/plain;charset=utf-8';
const NOT_FOUND: ExtraHeaders = { [ERROR_CODE]: 'PATH_NOT_FOUND' satisfies ErrorCode };
const ONLY_PAGES = 'Only /metrics and /health are answered on this port.\n';

export class Handler implements RequestHandler {
  readonly #options: HandlerOptions;
  readonly #path: CommandPath;
  /** The number of concurrent requests that need no slot in the reserve. */
  readonly #limit: number;
  readonly #reserve: RequestReserve;
  #inFlight = 0;
  readonly #bodies: BodyParameters;
  readonly #replies: ReplyWriter;
  readonly #pages: PageHandler;
  readonly #garbage: BodyGarbage;
  #stopping = false;
  #requests = 0;
  #receivedBytes = 0;
  /** The header lines last accepted by the guard. Connections repeat them, and often all clients send the same. */
  #accepted: HeaderBlock | undefined;

  constructor(options: HandlerOptions) {
    this.#options = options;
    this.#path = new CommandPath(options.serviceName, options.limits);
    this.#bodies = new BodyParameters({ ...options, path: this.#path });
    this.#garbage = new BodyGarbage(options.clock);
    this.#replies = new ReplyWriter(options);
    this.#pages = new PageHandler({ ...options, endpoint: this.#path.endpoint }, this.#replies);
    const { requestsInFlight, requestsWaiting } = options.limits;
    this.#limit = requestsInFlight + requestsWaiting;
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
      if (this.#stopping) throw gridError('STOPPING');
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
        return this.#unread(error, new HttpRequest(this.#replies.formParameters(incoming), incoming), extra);
      }
      if (incoming.stream !== undefined) return this.#handleStream(incoming, incoming.stream, params, extra);
      if (incoming.preAuthentication !== undefined)
        return this.#handlePreAuthenticated(incoming, incoming.preAuthentication, params, extra);
      return this.#handleBody(incoming, params, extra);
    } catch (error) {
      return this.#replies.failed(error, incoming, extra);
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
    // The result must not depend on how the bytes of a body arrive, so a head that decides is waited for.
    if (!bodyDropped && !isDecidedByHead(block)) return this.#handleBody(incoming, params, extra);
    return chain(preAuthentication, (result) => {
      try {
        if (!(result instanceof GridError)) return this.#handleBody(incoming, params, extra);
        const request = new HttpRequest(params, incoming);
        const rejected = this.#options.service.reject?.(request, result);
        return rejected === undefined
          ? this.#replies.failed(result, request, extra)
          : this.#replies.respond(rejected, request, extra);
      } catch (error) {
        return this.#replies.failed(error, incoming, extra);
      }
    });
  }

  /** Reads the parameters in the body and executes the request. Throws if they are invalid. */
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
   * Responds to a request whose parameters cannot be read. Those that could be read identify its sender. Never throws
   * and never rejects.
   */
  #unread(error: unknown, request: HttpRequest, extra: ExtraHeaders | undefined): MaybePromise<Reply> {
    const { unread } = this.#options.service;
    if (unread === undefined || !isGridError(error) || error.entry.http !== 400)
      return this.#replies.failed(error, request, extra);
    try {
      const outcome = unread(request, error);
      if (!(outcome instanceof Promise)) return this.#replies.respond(outcome, request, extra);
      return outcome.then(
        (done) => this.#replies.respond(done, request, extra),
        (reason: unknown) => this.#replies.failed(reason, request, extra),
      );
    } catch (reason) {
      return this.#replies.failed(reason, request, extra);
    }
  }

  get authenticates(): boolean {
    return this.#options.service.preAuthenticate !== undefined;
  }

  preAuthenticate(head: RequestHead): MaybePromise<PreAuthentication> {
    try {
      return this.#options.service.preAuthenticate?.(new HttpRequest(this.#queryOf(head.line), head)) ?? 'known';
    } catch {
      // The error occurs again when the request is handled, and is reported there.
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

  /** Returns a request's parameters before its body. A resource has different parameters from a command. */
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
      // The error occurs again when the request is handled, and is reported there.
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
    this.#replies.endLive();
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
      return this.#replies.failed(error, incoming, extra);
    }
    return this.#replies.failed(gridError('OVERLOADED', waiting), incoming, extra);
  }

  rejected(): void {
    this.#requests++;
    this.#replies.rejected++;
  }

  asksForObjects(received: AnyRequest | undefined): boolean {
    return this.#replies.asksForObjects(received);
  }

  statistics(): HttpStatistics {
    return {
      requests: this.#requests,
      rejected: this.#replies.rejected,
      inFlight: this.#inFlight + this.#reserve.used,
      overloaded: this.#reserve.rejected,
      receivedBytes: this.#receivedBytes,
      sentBytes: this.#replies.sentBytes,
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
    if (this.#inFlight < this.#limit) this.#inFlight++;
    else reservedFor = this.#reserve.begin(service.tenantOf(request));
    let outcome: MaybePromise<Outcome>;
    try {
      outcome = request instanceof HttpResourceRequest ? executeResource(resources, request) : service.execute(request);
    } catch (error) {
      this.#end(reservedFor);
      return this.#replies.failed(error, request, extra);
    }
    if (!(outcome instanceof Promise)) {
      this.#end(reservedFor);
      return this.#replies.respond(outcome, request, extra);
    }
    return outcome.then(
      (done) => {
        this.#end(reservedFor);
        return this.#replies.respond(done, request, extra);
      },
      (error: unknown) => {
        this.#end(reservedFor);
        return this.#replies.failed(error, request, extra);
      },
    );
  }

  #end(reservedFor: ReservedFor | undefined): void {
    if (reservedFor === undefined) this.#inFlight--;
    else this.#reserve.end(reservedFor);
  }

  #otherMethod(incoming: IncomingRequest, extra: ExtraHeaders | undefined, methods = METHODS): Reply {
    const { guard } = this.#options;
    const { method } = incoming.line;
    const { headers } = incoming.block;
    const allowed = guard.hasOrigins ? `${methods}, OPTIONS` : methods;
    if (method !== 'OPTIONS' || !guard.hasOrigins) return this.#replies.rejectMethod(allowed, incoming, extra);
    const preflight = extra === undefined ? undefined : guard.preflight(headers, extra, methods);
    return plainAnswer(204, undefined, '', { Allow: allowed, ...preflight });
  }
}
