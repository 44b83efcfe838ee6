/** The execution of one request: every check in order, the handler, and the outcome of its result or error. */
import { preferredType } from '../base/accept.ts';
import { GridError, gridError } from '../base/errors.ts';
import { chain, type MaybePromise } from '../base/maybe-promise.ts';
import { isWriting, type RegisteredCommand } from '../commands/command.ts';
import type { Caller } from '../commands/context.ts';
import type { DecodedArguments, Decoder } from '../commands/decode.ts';
import { ByteResponse, LiveResponse, type ResponseBody, RowsResponse } from '../commands/reply.ts';
import type { CallContext, Port } from '../grid/calls.ts';
import type { Grid, RowFormat } from '../grid/grid.ts';
import type { Idempotency, IdempotencyKey } from '../grid/idempotency.ts';
import { analyze, isReading } from '../sql/analysis/analysis.ts';
import type { Value } from '../values/value.ts';
import {
  CHANGE_POSITION,
  checkedPosition,
  positionAfter,
  positionOfRead,
  WAIT_FOR_POSITION,
  waitMsOf,
} from './change-positions.ts';
import { IDEMPOTENCY_KEY, idempotencyTargetOf, keyOf, keyUseOf, mayHaveChanged } from './idempotency-keys.ts';
import { notationOf } from './notation.ts';
import { type AuthenticationCheck, followsContract, type Outcome, type RateUsage, type RawRequest } from './request.ts';
import { type Authorized, impliedTypesOf, RequestContext, RequestSource } from './request-context.ts';
import { failureOutcome } from './request-failures.ts';
import { type RunningRequest, withSession } from './running-requests.ts';
import type { PipelineOptions, PreparedCommand } from './service-options.ts';

/** The context of calls in a request without an idempotency key. */
const PLAIN: CallContext = {};
const NO_ARGUMENTS: DecodedArguments = {};
const ANONYMOUS: Caller = Object.freeze({ user: '', token: null, subjectId: null });
const UUID_TEXT = /^[0-9a-f]{1,8}-[0-9a-f]{1,4}-[0-9a-f]{1,4}-[0-9a-f]{1,4}-[0-9a-f]{1,12}$/i;
const CONTENT_TYPES: Readonly<Record<RowFormat, string | undefined>> = {
  json: undefined,
  objects: 'application/json;charset=utf-8',
  ndjson: 'application/x-ndjson;charset=utf-8',
  csv: 'text/csv;charset=utf-8',
};

/** A request that is executed at most once. */
interface Keyed {
  readonly key: IdempotencyKey;
  readonly idempotency: Idempotency;
  /** Whether the change and its result commit together. */
  readonly commits: boolean;
}

/** The version whose commands are Ignite's: the rules of `compatibility` do not apply to later ones. */
const FIRST_VERSION = '1.0.0';

/** Returns the options that apply to a request, which are the contract's for anything that Ignite does not have. */
function optionsFor(options: PipelineOptions, command: RegisteredCommand, request: RawRequest): PipelineOptions {
  if (request.jsonTypes !== undefined) return options.ofJson;
  const isNewer = options.contract !== options && (command.since !== FIRST_VERSION || followsContract(request));
  return isNewer ? options.contract : options;
}

/** Executes a request; for a command of a batch, without authenticating its `caller` again. Never rejects. */
export function executeRequest(
  options: PipelineOptions,
  prepared: PreparedCommand,
  request: RawRequest,
  caller?: Caller,
): MaybePromise<Outcome> {
  const { forward } = options;
  if (forward === undefined) return new RequestExecution(options, prepared, request).execute(caller);
  return forward(request, () => new RequestExecution(options, prepared, request).execute(caller));
}

/** One request in the pipeline. */
export class RequestExecution implements Authorized, RunningRequest {
  private readonly options: PipelineOptions;
  private readonly command: RegisteredCommand;
  private readonly decoder: Decoder;
  private readonly request: RawRequest;
  private readonly port: Port | undefined;
  private caller: Caller = ANONYMOUS;
  private usage: RateUsage | undefined;
  private grid: Grid;
  private startedMs = 0;
  private args: DecodedArguments = NO_ARGUMENTS;
  private keyed: Keyed | undefined;
  /** The reason why a key or value does not have the type that its cache declares. */
  private misfit: GridError | undefined;
  granted: Authorized['granted'];
  ended: GridError | undefined;

  /** `port` makes the handler's calls; the engine if undefined. */
  constructor(options: PipelineOptions, { command, decoder }: PreparedCommand, request: RawRequest, port?: Port) {
    this.options = optionsFor(options, command, request);
    this.grid = options.grid;
    this.command = command;
    this.decoder = decoder;
    this.request = request;
    this.port = port;
  }

  /**
   * Runs the whole pipeline; for a command of a batch, without authenticating its `caller` again. Never rejects: errors
   * become outcomes.
   */
  execute(caller?: Caller): MaybePromise<Outcome> {
    const { clock, observer } = this.options;
    this.startedMs = clock.monotonicMs();
    observer.begin(this.command);
    const outcome = this.perform(caller);
    if (outcome instanceof Promise) {
      observer.waits();
      this.options.running?.add(this);
    }
    return outcome;
  }

  /** Checks and runs the command. */
  private perform(caller: Caller | undefined): MaybePromise<Outcome> {
    try {
      const outcome = this.run(caller);
      if (!(outcome instanceof Promise)) return this.finish(outcome);
      return outcome.then(
        (done) => this.finish(done),
        (error: unknown) => this.finish(this.outcomeOfError(error)),
      );
    } catch (error) {
      return this.finish(this.outcomeOfError(error));
    }
  }

  /** Performs the request's steps in order; each may wait. */
  private run(caller: Caller | undefined): MaybePromise<Outcome> {
    const { authentication, compatibility } = this.options;
    // Row 39 of docs/differences.md.
    const decodesFirst = compatibility === 'reference';
    if (caller === undefined) this.admit();
    this.checkWriteHeader();
    if (authentication === undefined) return chain(this.decode(), () => this.runAuthorized());
    const early = decodesFirst ? this.decode() : undefined;
    return chain(early, () =>
      chain(this.authenticate(authentication, caller), () => {
        const decoded = decodesFirst ? undefined : this.decode();
        return chain(decoded, () =>
          chain(this.authorize(this.caller), () => {
            // Only callers who are permitted to use the command learn what the cache declares.
            if (this.misfit !== undefined) throw this.misfit;
            return chain(this.selectGrid(), () => this.runAuthorized());
          }),
        );
      }),
    );
  }

  private runAuthorized(): MaybePromise<Outcome> {
    this.requireParameters();
    if (!this.isConditional) return this.handle();
    return chain(this.checkDestination(), () =>
      chain(this.waitForPosition(), () => chain(this.readKey(), () => this.handle())),
    );
  }

  /** Whether the request names a node, a position or a key: most do not, and run without asking for each. */
  private get isConditional(): boolean {
    const { params, idempotencyKey } = this.request;
    return (
      params.has('destId') ||
      idempotencyKey !== undefined ||
      this.request.header(IDEMPOTENCY_KEY) !== null ||
      this.request.header(WAIT_FOR_POSITION) !== null
    );
  }

  get usesSession(): boolean {
    return this.caller.token !== null;
  }

  end(failure: GridError): void {
    this.ended = failure;
    this.request.end(failure);
  }

  get isAuthenticated(): boolean {
    return this.options.authentication === undefined || this.caller !== ANONYMOUS;
  }

  reauthorize(): MaybePromise<void> {
    const { options, request, command, caller } = this;
    const { authentication } = options;
    // Nothing runs until the sender is known.
    if (authentication === undefined || caller === ANONYMOUS) return undefined;
    // Credentials have opened a session, which ends when they do.
    const known = caller.token === null ? request : withSession(request, caller.token);
    return chain(authentication.authenticate(known, command), (again) => this.authorize(again));
  }

  /** Ends the request with an error found before {@link execute}. */
  reject(error: unknown): Outcome {
    if (this.startedMs === 0) this.startedMs = this.options.clock.monotonicMs();
    this.options.observer.begin(this.command);
    return this.finish(this.outcomeOfError(error));
  }

  /** Counts the request, and checks its signature. Throws RATE_LIMITED. */
  private admit(): void {
    const { options, request } = this;
    this.usage = options.rateLimiter?.begin(request);
    this.usage?.check();
    options.signature?.check(request);
  }

  /** Identifies the sender, and counts the request for it. Throws RATE_LIMITED. */
  private authenticate(authentication: AuthenticationCheck, known: Caller | undefined): MaybePromise<void> {
    const { request, command } = this;
    return chain(known ?? authentication.authenticate(request, command), (caller) => {
      this.caller = caller;
      this.usage?.add(caller);
    });
  }

  /** Throws if the parameters are invalid. */
  private decode(): MaybePromise<void> {
    const { options, command, request, decoder } = this;
    if (request.jsonTypes === undefined) {
      this.args = decoder.read(new RequestSource(options, request.params));
      return;
    }
    return chain(impliedTypesOf(options, command, request), (types) => {
      try {
        this.args = decoder.read(new RequestSource(options, request.params, types));
      } catch (error) {
        if (
          types?.declared === undefined ||
          options.authentication === undefined ||
          !(error instanceof GridError) ||
          error.code !== 'CONVERSION'
        )
          throw error;
        this.args = decoder.read(new RequestSource(options, request.params, { ...types, declared: undefined }));
        this.misfit = error;
      }
    });
  }

  private authorize(caller: Caller): MaybePromise<void> {
    const granted = this.options.permissions?.check(caller, this.command, this.args);
    // For most requests it is unlimited, and known immediately.
    if (granted === undefined) return;
    return chain(granted, (grant) => {
      this.granted = grant;
    });
  }

  /** Throws WRITE_HEADER_MISSING for a GET request that changes data without the configured header. */
  private checkWriteHeader(): void {
    const { request, command } = this;
    const { csrfHeader } = this.options;
    if (csrfHeader === undefined || request.method !== 'GET' || request.header(csrfHeader.toLowerCase()) !== null)
      return;
    const { needs, rightsOn } = command;
    const reads = rightsOn !== 'statement' || readsOnly(command, request.params);
    if (reads && !isWriting(command) && needs !== 'taskExecute') return;
    throw gridError('WRITE_HEADER_MISSING', csrfHeader);
  }

  private selectGrid(): MaybePromise<void> {
    const { gridOf } = this.options;
    if (gridOf === undefined) return;
    return chain(gridOf(this.caller), (grid) => {
      this.grid = grid;
    });
  }

  private requireParameters(): void {
    this.decoder.require(this.args, this.options.compatibility);
  }

  /** Throws for an unknown node, except for keyed commands on a replicated cache (docs/spec/ignite-data.md 3). */
  private checkDestination(): MaybePromise<void> {
    const { grid, command, request, args } = this;
    const id = command.routing === 'none' ? undefined : request.params.get('destId');
    if (id === undefined || !UUID_TEXT.test(id)) return;
    return chain(grid.cluster.hasNode(id.toLowerCase()), (known) => {
      if (known) return;
      if (command.routing === 'always') throw gridError('CLUSTER_GROUP_EMPTY');
      return chain(grid.caches.find(String(args.cacheName)), (cache) => {
        if (cache?.mode !== 'REPLICATED') throw gridError('CLUSTER_GROUP_EMPTY');
      });
    });
  }

  /** Waits until the changes up to a position of the change feed are visible, if the request names one. */
  private waitForPosition(): MaybePromise<void> {
    const { request, port } = this;
    const { changeFeed } = this.grid;
    const position = changeFeed === undefined || port !== undefined ? null : request.header(WAIT_FOR_POSITION);
    if (position === null) return;
    return changeFeed?.waitFor(checkedPosition(position), waitMsOf(request), request.signal());
  }

  /** Reads a change's idempotency key, and determines how the change is made at most once. */
  private readKey(): MaybePromise<void> {
    const { options, request, command, args } = this;
    if (!this.mayChange || (request.idempotencyKey === undefined && request.header(IDEMPOTENCY_KEY) === null)) return;
    const use = keyUseOf(command, request);
    if (use === 'plain') return;
    if (command.returnsRows && rowFormatOf(request) !== 'json') {
      throw gridError('IDEMPOTENCY_UNSUPPORTED', command.name, 'its answer is kept as JSON; send another Accept');
    }
    const { idempotency } = this.grid;
    if (idempotency === undefined) throw gridError('NOT_SUPPORTED', 'Idempotency-Key', 'the engine keeps no results');
    return chain(request.idempotencyKey ?? keyOf(request, command.name, this.caller, options), (key) =>
      chain(use === 'committed' && idempotency.commits(idempotencyTargetOf(command, args)), (commits) => {
        this.keyed = { key, idempotency, commits };
      }),
    );
  }

  private get mayChange(): boolean {
    return mayChange(this.command, this.request.params);
  }

  /** Runs the handler; with a key at most once. */
  private handle(): MaybePromise<Outcome> {
    const { keyed } = this;
    if (keyed === undefined) return this.runHandler(PLAIN);
    return keyed.commits ? this.commitOnce(keyed) : this.recordOnce(keyed);
  }

  /** Runs a command whose result is stored in the commit of its change. */
  private commitOnce({ key }: Keyed): MaybePromise<Outcome> {
    let replayed = false;
    const onReplay = (): void => {
      replayed = true;
    };
    return chain(this.runHandler({ once: { key, onReplay } }), (outcome) =>
      replayed ? { ...outcome, replayed: true } : outcome,
    );
  }

  /** Runs a command whose change commits separately: a record precedes it, and its response follows. */
  private async recordOnce({ key, idempotency }: Keyed): Promise<Outcome> {
    const kept = await idempotency.begin(key, null);
    if (kept !== undefined) return { ...(await this.answer(kept, 'json')), replayed: true };
    try {
      const outcome = await this.runHandler(PLAIN);
      const { response, contentType } = outcome;
      const keeps = typeof response === 'string' && contentType === undefined;
      await idempotency.complete(key, keeps ? response : undefined);
      return outcome;
    } catch (error) {
      await (mayHaveChanged(error) ? idempotency.complete(key, undefined) : idempotency.discard(key));
      throw error;
    }
  }

  /** Runs the handler with the context for its calls. */
  private runHandler(calls: CallContext): MaybePromise<Outcome> {
    const { options, request, command, caller, args } = this;
    const rowFormat = command.returnsRows ? rowFormatOf(request) : 'json';
    const asArray = args.asArray === undefined ? options.getallAsArray : args.asArray === true;
    const prefer = request.header('prefer');
    const isUsual = prefer === null && args.numbers === undefined && args.dates === undefined;
    const notation = isUsual ? undefined : notationOf(args, prefer);
    const { grid } = this;
    const port = this.port ?? grid.port;
    const context = new RequestContext(
      options,
      request,
      grid,
      { port, context: calls },
      caller,
      rowFormat,
      asArray,
      notation,
      this,
    );
    const respond = (result: unknown): MaybePromise<Outcome> =>
      this.respond(command.reply.write(result, context), rowFormat);
    const result = command.run(args, context);
    const outcome = result instanceof Promise ? result.then(respond) : respond(result);
    if (command.batch !== 'isBatch') return outcome;
    return chain(outcome, (known) => (context.replayed ? { ...known, replayed: true } : known));
  }

  private respond(response: ResponseBody, rowFormat: RowFormat): MaybePromise<Outcome> {
    const outcome = this.outcomeOf(response, rowFormat);
    const { changeFeed } = this.grid;
    const isRead = !this.mayChange;
    if (changeFeed === undefined || this.port !== undefined) return outcome;
    if (isRead && this.options.marksReads !== true) return outcome;
    const position = isRead
      ? positionOfRead(this.command, this.args, changeFeed)
      : positionAfter(this.command, this.request, this.args, changeFeed);
    if (position === undefined) return outcome;
    return chain(outcome, (known) => ({ ...known, headers: { ...known.headers, [CHANGE_POSITION]: position } }));
  }

  private outcomeOf(response: ResponseBody, rowFormat: RowFormat): MaybePromise<Outcome> {
    if (response instanceof LiveResponse) {
      const { parts, contentType, stop, ended } = response;
      return { ...this.success(parts, undefined, 'ndjson'), contentType, stop, ended };
    }
    if (response instanceof ByteResponse) return this.bytes(response);
    if (response instanceof RowsResponse) {
      const { page, format } = response;
      return this.success(page.rows, undefined, format, page);
    }
    return this.answer(response, rowFormat);
  }

  private bytes(bytes: ByteResponse): Outcome {
    return {
      ...this.success('', undefined, 'json'),
      contentType: 'application/octet-stream',
      bytes,
      failWith: (error) => this.outcomeOfError(error),
    };
  }

  private answer(response: string | AsyncIterable<string>, rowFormat: RowFormat): MaybePromise<Outcome> {
    const { args } = this;
    if (this.command.reading !== 'entry') return this.success(response, undefined, rowFormat);
    if (args.key === undefined) return this.success(response, null, rowFormat);
    const { cluster, capabilities } = this.grid;
    if (!capabilities.manyNodes) return this.success(response, cluster.localNodeId, rowFormat);
    // Every declared parameter `key` of such a command decodes to a Value.
    return chain(cluster.primaryNode(String(args.cacheName), args.key as Value), (node) =>
      this.success(response, node, rowFormat),
    );
  }

  private success(
    response: string | AsyncIterable<string>,
    affinityNodeId: string | null | undefined,
    rowFormat: RowFormat,
    page?: Outcome['page'],
  ): Outcome {
    const outcome: Outcome = {
      successStatus: 0,
      http: 200,
      error: null,
      response,
      affinityNodeId,
      sessionToken: this.caller.token,
      securitySubjectId: this.caller.subjectId,
      contentType: CONTENT_TYPES[rowFormat],
      page,
    };
    if (typeof response === 'string') return outcome;
    return { ...outcome, failWith: (error) => this.outcomeOfError(error) };
  }

  private outcomeOfError(thrown: unknown): Outcome {
    const { command, request, options, caller } = this;
    const error = this.ended ?? thrown;
    const failure =
      error instanceof GridError ? error : gridError('INTERNAL', options.observer.unexpected(command, error));
    return failureOutcome(failure, { command, request, options, caller });
  }

  private finish(outcome: Outcome): Outcome {
    const { observer, clock } = this.options;
    observer.end(this.command, outcome, clock.monotonicMs() - this.startedMs, this.caller, this.request);
    const headers = this.usage?.headers();
    const answered = headers === undefined ? outcome : { ...outcome, headers: { ...outcome.headers, ...headers } };
    return this.options.running?.untilSent(this, answered) ?? answered;
  }
}

/** Reports whether a command with these parameters may change something. */
export function mayChange(command: RegisteredCommand, params: RawRequest['params']): boolean {
  return command.access === 'write' || (command.rightsOn === 'statement' && !readsOnly(command, params));
}

/** Reports whether a request's statement is known to be read-only. */
function readsOnly({ subject = '' }: RegisteredCommand, params: RawRequest['params']): boolean {
  return isReading(analyze(params.get(subject) ?? '').kind);
}

/** Returns the row format of a request: the requested one, the one that its Accept header prefers, or the envelope. */
function rowFormatOf(request: RawRequest): RowFormat {
  if (request.rowFormat !== undefined) return request.rowFormat;
  const accept = request.header('accept');
  if (accept === null) return 'json';
  if (accept !== lastAccept) {
    lastFormat = formatOf(accept);
    lastAccept = accept;
  }
  return lastFormat;
}

/** The last Accept header, and its result: most requests have the same one. */
let lastAccept = '';
let lastFormat: RowFormat = 'json';

/** Returns the format that an Accept header prefers. */
function formatOf(accept: string): RowFormat {
  const type = preferredType(accept, ROW_TYPES);
  if (type === 'application/x-ndjson') return 'ndjson';
  return type === 'text/csv' ? 'csv' : 'json';
}

const ROW_TYPES = ['application/json', 'application/x-ndjson', 'text/csv'] as const;
