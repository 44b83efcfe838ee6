/** The execution of one request: every check in order, the handler, and the outcome of its result or error. */
import { type ErrorEntry, fail, GridError, shortened } from '../base/errors.ts';
import { QUOTED_CHARACTERS } from '../base/limits.ts';
import { chain, type MaybePromise } from '../base/maybe-promise.ts';
import { isWriting, type RegisteredCommand, returnsRows } from '../commands/command.ts';
import type { Caller } from '../commands/context.ts';
import type { DecodedArguments, Decoder } from '../commands/decode.ts';
import { ByteResponse, LiveResponse, type ResponseBody, RowsResponse } from '../commands/reply.ts';
import { requireStatement } from '../commands/statements.ts';
import type { CallContext, Port } from '../grid/calls.ts';
import type { Grid, RowFormat } from '../grid/grid.ts';
import type { IdempotencyKey } from '../grid/idempotency.ts';
import { analysisAtHand, hold, isLongStatement } from '../sql/analysis/analysis.ts';
import type { Value } from '../values/value.ts';
import { CHANGE_POSITION, checkedPosition, positionAfter, WAIT_FOR_POSITION, waitMsOf } from './change-positions.ts';
import { contractText } from './error-texts.ts';
import { IDEMPOTENCY_KEY, idempotencyTargetOf, keyOf, keyUseOf, mayHaveChanged } from './idempotency-keys.ts';
import { notationOf } from './notation.ts';
import type { Identity, Outcome, RateUsage, RawRequest } from './request.ts';
import { type Reauthorizable, RequestContext, RequestSource } from './request-context.ts';
import { bodyHint } from './request-hints.ts';
import { type RunningRequest, withSession } from './running-requests.ts';
import type { PipelineOptions } from './service-options.ts';

/** The context of calls of a request without an idempotency key. */
const PLAIN: CallContext = {};
const ANONYMOUS: Caller = Object.freeze({ user: '', token: null, subjectId: null });
const UUID_TEXT = /^[0-9a-f]{1,8}-[0-9a-f]{1,4}-[0-9a-f]{1,4}-[0-9a-f]{1,4}-[0-9a-f]{1,12}$/i;
const CONTENT_TYPES: Readonly<Record<RowFormat, string | undefined>> = {
  json: undefined,
  ndjson: 'application/x-ndjson;charset=utf-8',
  csv: 'text/csv;charset=utf-8',
};

/** Ignite's answer to a wrong signature: no body (docs/reference.md Differences, row 24). */
const SIGNATURE_REJECTED: Outcome = Object.freeze({
  successStatus: 3,
  http: 401,
  error: null,
  response: '',
  affinityNodeId: undefined,
  sessionToken: null,
  securitySubjectId: null,
  contentType: 'application/json;charset=utf-8',
});

/** A command and its decoder. */
export interface PreparedCommand {
  readonly command: RegisteredCommand;
  readonly decoder: Decoder;
}

/** One request in the pipeline. */
export class RequestExecution implements Reauthorizable, RunningRequest {
  private readonly options: PipelineOptions;
  private readonly command: RegisteredCommand;
  private readonly decoder: Decoder;
  private readonly request: RawRequest;
  private caller: Caller = ANONYMOUS;
  private usage: RateUsage | undefined;
  private grid: Grid;
  private startedMs = 0;
  private args: DecodedArguments | undefined;
  ended: GridError | undefined;
  private readonly port: Port | undefined;

  /** `port` makes the calls of the handler; undefined: the engine. */
  constructor(options: PipelineOptions, { command, decoder }: PreparedCommand, request: RawRequest, port?: Port) {
    this.options = options;
    this.grid = options.grid;
    this.command = command;
    this.decoder = decoder;
    this.request = request;
    this.port = port;
  }

  /** Runs the whole pipeline. Never rejects: errors become outcomes. */
  execute(identity: Identity | undefined): MaybePromise<Outcome> {
    const { clock, observer } = this.options;
    this.startedMs = clock.monotonicMs();
    observer.begin(this.command);
    const statement = this.longStatement();
    const outcome = statement === undefined ? this.perform(identity) : this.performLong(statement, identity);
    if (outcome instanceof Promise) {
      observer.waits();
      this.options.running?.add(this);
    }
    return outcome;
  }

  /** Returns the SQL statement of the request if its analysis is not cached. */
  private longStatement(): string | undefined {
    const { rightsOn, subject = '' } = this.command;
    if (rightsOn !== 'statement') return undefined;
    const statement = this.request.params.get(subject);
    return statement !== undefined && isLongStatement(statement) ? statement : undefined;
  }

  /**
   * Analyses a long statement, then does the same as {@link perform}: permissions, handler, engine and audit share the
   * analysis. The transport has identified the sender already, because only a body can be that long.
   */
  private async performLong(statement: string, identity: Identity | undefined): Promise<Outcome> {
    const { limits, compatibilityFlags } = this.options;
    try {
      requireStatement(statement, limits, compatibilityFlags);
      using _held = hold(statement);
      return await this.perform(identity);
    } catch (error) {
      return this.finish(this.outcomeOfError(error));
    }
  }

  /** Checks and runs the command. */
  private perform(identity: Identity | undefined): MaybePromise<Outcome> {
    try {
      const outcome = this.authorize(identity);
      if (!(outcome instanceof Promise)) return this.finish(outcome);
      return outcome.then(
        (done) => this.finish(done),
        (error: unknown) => this.finish(this.outcomeOfError(error)),
      );
    } catch (error) {
      return this.finish(this.outcomeOfError(error));
    }
  }

  /** Checks only the signature and credentials; {@link execute} accepts the returned identity. */
  identify(): MaybePromise<Identity | Outcome> {
    const { options, request, command } = this;
    const { authentication, clock } = options;
    this.startedMs = clock.monotonicMs();
    try {
      this.countAddress();
      options.signature?.check(request);
      if (authentication === undefined) return { caller: ANONYMOUS, open: false, usage: this.usage };
      const open = authentication.isOpen(command);
      const caller = authentication.authenticate(request, command);
      if (!(caller instanceof Promise)) return this.counted(caller, open);
      return caller.then(
        (known) => this.counted(known, open),
        (error: unknown) => this.reject(error),
      );
    } catch (error) {
      return this.reject(error);
    }
  }

  get usesSession(): boolean {
    return this.caller.token !== null;
  }

  end(failure: GridError): void {
    this.ended = failure;
    this.request.end(failure);
  }

  reauthorize(): MaybePromise<void> {
    const { options, request, command, caller, args } = this;
    const { authentication, permissions } = options;
    // Until the sender is known, nothing runs.
    if (authentication === undefined || caller === ANONYMOUS) return undefined;
    // Credentials have opened a session, which ends when they do.
    const known = caller.token === null ? request : withSession(request, caller.token);
    return chain(authentication.authenticate(known, command), (again) =>
      args === undefined ? undefined : permissions?.check(again, command, args),
    );
  }

  private countAddress(): void {
    this.usage = this.options.rateLimiter?.begin(this.request);
    this.usage?.check();
  }

  private counted(caller: Caller, open: boolean): Identity | Outcome {
    const { usage } = this;
    if (usage === undefined) return { caller, open };
    try {
      usage.add(caller);
    } catch (error) {
      return this.reject(error);
    }
    return { caller, open, usage };
  }

  /** Ends the request with an error that was found before {@link execute}. */
  reject(error: unknown): Outcome {
    if (this.startedMs === 0) this.startedMs = this.options.clock.monotonicMs();
    this.options.observer.begin(this.command);
    return this.finish(this.outcomeOfError(error));
  }

  private authorize(identity: Identity | undefined): MaybePromise<Outcome> {
    const { options, request, command } = this;
    const { authentication } = options;
    if (identity === undefined) {
      if (options.rateLimiter !== undefined) this.countAddress();
      options.signature?.check(request);
    } else this.usage = identity.usage;
    this.checkWriteHeader();
    if (authentication === undefined) return this.proceed(this.decode());
    const known = () => identity?.caller ?? this.countSender(authentication.authenticate(request, command));
    if (options.compatibilityFlags.parametersBeforeCredentials) {
      const args = this.decode();
      return chain(known(), (caller) => this.permit(caller, args));
    }
    return chain(known(), (caller) => {
      this.caller = caller;
      return this.permit(caller, this.decode());
    });
  }

  /** Counts a request whose sender is known now. Throws RATE_LIMITED. */
  private countSender(caller: MaybePromise<Caller>): MaybePromise<Caller> {
    const { usage } = this;
    if (usage === undefined) return caller;
    return chain(caller, (known) => {
      this.caller = known;
      usage.add(known);
      return known;
    });
  }

  private decode(): DecodedArguments {
    return this.decoder.read(new RequestSource(this.options, this.request.params));
  }

  private permit(caller: Caller, args: DecodedArguments): MaybePromise<Outcome> {
    const { options, command } = this;
    this.caller = caller;
    this.args = args;
    if (options.permissions === undefined) return this.selectGrid(args);
    return chain(options.permissions.check(caller, command, args), () => this.selectGrid(args));
  }

  /** Throws WRITE_HEADER_MISSING for a GET request that changes data without the configured header. */
  private checkWriteHeader(): void {
    const { request, command } = this;
    const { writeHeader } = this.options;
    if (writeHeader === undefined || request.method !== 'GET' || request.header(writeHeader.toLowerCase()) !== null)
      return;
    const { needs, rightsOn, subject = '' } = command;
    const kind = rightsOn === 'statement' ? analysisAtHand(request.params.get(subject) ?? '')?.kind : 'query';
    const reads = kind === 'query' || kind === 'explain' || kind === 'empty';
    if (reads && !isWriting(needs) && needs !== 'taskExecute') return;
    throw fail('WRITE_HEADER_MISSING', writeHeader);
  }

  private selectGrid(args: DecodedArguments): MaybePromise<Outcome> {
    const { gridOf } = this.options;
    if (gridOf === undefined) return this.proceed(args);
    return chain(gridOf(this.caller), (grid) => {
      this.grid = grid;
      return this.proceed(args);
    });
  }

  private proceed(args: DecodedArguments): MaybePromise<Outcome> {
    this.decoder.require(args, this.options.compatibilityFlags);
    const destination = this.command.routing === 'none' ? undefined : this.request.params.get('destId');
    if (destination !== undefined && UUID_TEXT.test(destination)) {
      return chain(this.checkDestination(destination, args), () => this.run(args));
    }
    return this.run(args);
  }

  /** Throws for an unknown node, except for keyed commands on a replicated cache (docs/spec/ignite-data.md 3). */
  private checkDestination(id: string, args: DecodedArguments): MaybePromise<void> {
    const { grid } = this;
    return chain(grid.cluster.hasNode(id.toLowerCase()), (known) => {
      if (known) return;
      if (this.command.routing === 'always') throw fail('CLUSTER_GROUP_EMPTY');
      return chain(grid.caches.find(String(args.cacheName)), (cache) => {
        if (cache?.mode !== 'REPLICATED') throw fail('CLUSTER_GROUP_EMPTY');
      });
    });
  }

  private run(args: DecodedArguments): MaybePromise<Outcome> {
    const { request } = this;
    const position = this.grid.changeFeed === undefined ? null : request.header(WAIT_FOR_POSITION);
    if (position === null || this.port !== undefined) return this.runAtOnce(args);
    const waited = this.grid.changeFeed?.waitFor(checkedPosition(position), waitMsOf(request), request.signal());
    return chain(waited, () => this.runAtOnce(args));
  }

  private runAtOnce(args: DecodedArguments): MaybePromise<Outcome> {
    const { request, command } = this;
    const changes = command.access === 'write' || command.rightsOn === 'statement';
    const isKeyed = changes && (request.idempotencyKey !== undefined || request.header(IDEMPOTENCY_KEY) !== null);
    return isKeyed ? this.runOnce(args) : this.runHandler(args, PLAIN);
  }

  /** Runs a command with an idempotency key, or returns the stored response of an earlier request. */
  private runOnce(args: DecodedArguments): MaybePromise<Outcome> {
    const { options, request, command } = this;
    const use = keyUseOf(command, request);
    if (use === 'plain') return this.runHandler(args, PLAIN);
    if (returnsRows(command) && rowFormatOf(request.header('accept')) !== 'json') {
      throw fail('IDEMPOTENCY_UNSUPPORTED', command.name, 'its answer is kept as JSON; send another Accept');
    }
    const { idempotency } = this.grid;
    if (idempotency === undefined) throw fail('NOT_SUPPORTED', 'Idempotency-Key', 'the engine keeps no results');
    const key = request.idempotencyKey ?? keyOf(request, command.name, this.caller, options);
    return chain(key, (known) => {
      if (use === 'recorded') return this.runRecorded(args, known, idempotency);
      return chain(idempotency.commits(idempotencyTargetOf(command, args)), (commits) =>
        commits ? this.runCommitted(args, known) : this.runRecorded(args, known, idempotency),
      );
    });
  }

  /** Runs a command whose result is kept in the commit of its change. */
  private runCommitted(args: DecodedArguments, key: IdempotencyKey): MaybePromise<Outcome> {
    let replayed = false;
    const onReplay = (): void => {
      replayed = true;
    };
    return chain(this.runHandler(args, { once: { key, onReplay } }), (outcome) =>
      replayed ? { ...outcome, replayed: true } : outcome,
    );
  }

  /** Runs a command whose change commits separately: a record precedes it, and its answer follows. */
  private async runRecorded(
    args: DecodedArguments,
    key: IdempotencyKey,
    idempotency: NonNullable<Grid['idempotency']>,
  ): Promise<Outcome> {
    const kept = await idempotency.begin(key, null);
    if (kept !== undefined) return { ...(await this.answer(args, kept, 'json')), replayed: true };
    try {
      const outcome = await this.runHandler(args, PLAIN);
      const { response, contentType } = outcome;
      const keeps = typeof response === 'string' && contentType === undefined;
      await idempotency.complete(key, keeps ? response : undefined);
      return outcome;
    } catch (error) {
      await (mayHaveChanged(error) ? idempotency.complete(key, undefined) : idempotency.discard(key));
      throw error;
    }
  }

  /** Runs the handler, whose calls have the context. */
  private runHandler(args: DecodedArguments, calls: CallContext): MaybePromise<Outcome> {
    const { options, request, command, caller } = this;
    const rowFormat = returnsRows(command) ? rowFormatOf(request.header('accept')) : 'json';
    const asArray = args.asArray === undefined ? options.getallAsArray : args.asArray === true;
    const notation = notationOf(args, request);
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
    const outcome = command.perform(args, context, (response) => this.respond(args, response, rowFormat));
    if (command.batch !== 'isBatch') return outcome;
    return chain(outcome, (known) => (context.replayed ? { ...known, replayed: true } : known));
  }

  private respond(args: DecodedArguments, response: ResponseBody, rowFormat: RowFormat): MaybePromise<Outcome> {
    const outcome = this.outcomeOf(args, response, rowFormat);
    const { changeFeed } = this.grid;
    const position =
      changeFeed === undefined || this.port !== undefined
        ? undefined
        : positionAfter(this.command, this.request, args, changeFeed);
    if (position === undefined) return outcome;
    return chain(outcome, (known) => ({ ...known, headers: { ...known.headers, [CHANGE_POSITION]: position } }));
  }

  private outcomeOf(args: DecodedArguments, response: ResponseBody, rowFormat: RowFormat): MaybePromise<Outcome> {
    if (response instanceof LiveResponse) {
      const { parts, contentType, stop } = response;
      return { ...this.success(parts, undefined, 'ndjson'), contentType, stop };
    }
    if (response instanceof ByteResponse) return this.bytes(response);
    if (response instanceof RowsResponse) return this.success(response.rows, undefined, response.format);
    return this.answer(args, response, rowFormat);
  }

  private bytes(bytes: ByteResponse): Outcome {
    return { ...this.success('', undefined, 'json'), contentType: 'application/octet-stream', bytes };
  }

  private answer(
    args: DecodedArguments,
    response: string | AsyncIterable<string>,
    rowFormat: RowFormat,
  ): MaybePromise<Outcome> {
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
  ): Outcome {
    return {
      successStatus: 0,
      http: 200,
      error: null,
      response,
      affinityNodeId,
      sessionToken: this.caller.token,
      securitySubjectId: this.caller.subjectId,
      contentType: CONTENT_TYPES[rowFormat],
    };
  }

  private outcomeOfError(thrown: unknown): Outcome {
    const { command } = this;
    const error = this.ended ?? thrown;
    const known =
      error instanceof GridError ? error : fail('INTERNAL', this.options.observer.unexpected(command, error));
    const { entry } = known;
    const wrapped = entry.wrap === 'always' || (entry.wrap === 'command' && command.failures !== 'bare');
    if (known.code === 'SIGNATURE_WRONG' && this.options.compatibilityFlags.timestampedSignatureOnly) {
      return SIGNATURE_REJECTED;
    }
    const hint = known.code === 'PARAMETER_MISSING' ? bodyHint(this.request) : undefined;
    const plain = this.options.compatibilityFlags.internalNamesInTexts ? known.message : contractText(known);
    const message = hint === undefined ? plain : `${plain}. ${hint}`;
    const text = wrapped ? `Failed to handle request: [${this.requestText()}, err=${message}]` : message;
    // A failed command keeps its session; a failed login or token has none (docs/reference.md Differences, row 25).
    const keepsSession = entry.status !== 2 && known.code !== 'TOKEN_UNKNOWN';
    // Ignite omits the token, except where a query command itself fails (docs/spec/ignite-cluster.md 7).
    const isOfQuery = command.group === 'query' && !wrapped;
    const showsToken = keepsSession && (isOfQuery || !this.options.compatibilityFlags.errorsOmitToken);
    return {
      successStatus: this.statusOf(entry),
      http: entry.httpAlways === true || this.usesHttpStatus() || this.isKeyed(entry) ? entry.http : 200,
      error: text,
      failure: known,
      response: known.response ?? 'null',
      affinityNodeId: undefined,
      sessionToken: showsToken ? this.caller.token : null,
      securitySubjectId: keepsSession ? this.caller.subjectId : null,
    };
  }

  /** Reports whether the sender of an idempotency key expects the HTTP status of such an error. */
  private isKeyed({ httpWithKey }: ErrorEntry): boolean {
    return httpWithKey === true && this.request.header(IDEMPOTENCY_KEY) !== null;
  }

  private statusOf(entry: ErrorEntry): Outcome['successStatus'] {
    const { status4ForIllegalArguments } = this.options.compatibilityFlags;
    return status4ForIllegalArguments && entry.igniteStatus !== undefined ? entry.igniteStatus : entry.status;
  }

  /** Returns the text by which Ignite names the request; that of a task request has more parts. */
  private requestText(): string {
    const { command } = this;
    if (command.failures !== 'wrappedAsTask') return `req=${command.request}`;
    const { params } = this.request;
    const name = command.subject === undefined ? null : (params.get(command.subject) ?? null);
    const texts: string[] = [];
    let characters = 0;
    for (
      let p = params.get('p1');
      p !== undefined && characters <= QUOTED_CHARACTERS;
      p = params.get(`p${texts.length + 1}`)
    ) {
      texts.push(p);
      characters += p.length;
    }
    return `req=${command.request}, taskName=${name && shortened(name)}, params=[${shortened(texts.join(', '))}]`;
  }

  private finish(outcome: Outcome): Outcome {
    const { observer, clock } = this.options;
    observer.end(this.command, outcome, clock.monotonicMs() - this.startedMs, this.caller, this.request);
    const headers = this.usage?.headers();
    const answered = headers === undefined ? outcome : { ...outcome, headers: { ...outcome.headers, ...headers } };
    return this.options.running?.untilSent(this, answered) ?? answered;
  }

  private usesHttpStatus(): boolean {
    const parameter = this.request.params.get('httpStatus');
    return parameter === undefined ? this.options.httpStatus : parameter.toLowerCase() === 'true';
  }
}

/** Returns the row format that an Accept header names first; the envelope for any other media type. */
function rowFormatOf(accept: string | null): RowFormat {
  if (accept === null) return 'json';
  const first = accept.split(',', 1)[0]?.split(';', 1)[0]?.trim().toLowerCase();
  if (first === 'application/x-ndjson' || first === 'application/ndjson') return 'ndjson';
  return first === 'text/csv' ? 'csv' : 'json';
}
