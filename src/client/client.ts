/**
 * Client of a service for Node, Bun, Deno and browsers, without dependencies: a method for each command, exact numbers,
 * sessions, safe retries, bulk commands of any size, and cursors as async iterators. docs/client.md has examples.
 */
import { randomBytes } from '../base/clock.ts';
import { joinNames } from '../base/name-lists.ts';
import { Attempts, passing } from './attempts.ts';
import { type BatchedCall, Batching, batchBody, isBatchRejected, outcomeOf, resultsIn, unknownIn } from './batching.ts';
import {
  type CallOptions,
  COMMAND_TRAITS,
  CommandMethods,
  type CommandParameters,
  type CommandResponses,
  type ExportParameters,
  type ImportParameters,
  type ImportResponse,
} from './commands.ts';
import { Endpoints } from './endpoints.ts';
import { Decimal, decimalOf, exactOf, type Json, parseAsSent, parseExact, writeExact } from './exact-json.ts';
import {
  detailsOf,
  type Envelope,
  envelopeOf,
  failureFor,
  failureOf,
  isObject,
  readEnvelope,
  SvcError,
  unanswered,
  withFailures,
} from './failures.ts';
import { linesOf } from './lines.ts';
import { type ClientOptions, preferencesOf } from './options.ts';
import { checkNames, DECIMAL, splitParameters, withTypes, writeParameters } from './parameters.ts';
import { unlessSilent } from './silence.ts';

export type { RetryOptions } from './attempts.ts';
export type * from './commands.ts';
export type { ErrorDetails } from './failures.ts';
export type { ClientOptions } from './options.ts';
export { Decimal, type Json, SvcError };

/** Rows to import: a string, bytes, a file (`Bun.file`, `openAsBlob` of Node, a file input), or a stream of bytes. */
export type Rows = string | Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array>;

export type RowFormat = 'csv' | 'ndjson';

export interface QueryOptions extends CallOptions {
  readonly cacheName?: string;
  readonly args?: CommandParameters['qryfldexe']['args'];
  /** Rows per request; default 1,000. */
  readonly pageSize?: number;
}

export interface ScanOptions extends CallOptions {
  readonly cacheName?: string;
  /** Entries per request; default 1,000. */
  readonly pageSize?: number;
}

/** An entry of a scan. */
export interface ScannedEntry {
  readonly key: Json;
  readonly value: Json;
}

export interface WatchOptions {
  /** Names of caches; `*` alone means every cache whose changes are recorded. Default: the default cache. */
  readonly caches?: readonly string[];
  /** Where to begin: `now` (the default), `start`, or the position of an earlier change. */
  readonly from?: string;
  /** Only these operations. */
  readonly operations?: readonly string[];
  readonly withOldValues?: boolean;
  /** Whether to wait for more changes; default true. */
  readonly follow?: boolean;
  /** Called where changes may be missing, in front of a cluster. Default: the loop ends with an error there. */
  readonly onGap?: (reason: string) => void;
  /**
   * Called once when the connection has ended and is reopened, with the reason, if there is one. Default: a warning
   * on the console.
   */
  readonly onReconnect?: (reason: SvcError | undefined) => void;
  /** How long to keep reopening the stream while the service is away, in milliseconds; default: indefinitely. */
  readonly retryMs?: number;
  readonly signal?: AbortSignal;
}

/** A change of an entry or of a whole cache. */
export interface WatchedChange {
  /** The position after the change, from which another loop continues; null in front of a cluster. */
  readonly position: string | null;
  readonly operation: string;
  readonly cache: string;
  /** ISO 8601. */
  readonly time: string;
  readonly key?: Json;
  readonly value?: Json;
  readonly oldValue?: Json;
  readonly expires?: string;
  /**
   * Type names with which key and value can be sent back, or undefined for strings, ints, doubles, booleans and null.
   */
  readonly keyType?: string;
  readonly valueType?: string;
  readonly oldValueType?: string;
}

type Command = keyof CommandParameters;

/** A request for any command. */
interface Sendable {
  readonly command: string;
  /** Parameters in the query string. */
  readonly query: object;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: NonNullable<RequestInit['body']>;
  /** How often it may be sent; `never`: not even after a rejection, because its body cannot be read again. */
  readonly repeats: (typeof COMMAND_TRAITS)[Command]['repeats'] | 'never';
  /** Whether the response may be a stream instead of an envelope. */
  readonly streams?: true;
  /** Parses the envelope; default: parseExact. */
  readonly parse?: (text: string) => Json;
  /** Returns what a successful response reveals about a change with unknown outcome: the request is then repeated. */
  readonly unknownOf?: (answer: Envelope) => SvcError | undefined;
}

const MEDIA_TYPES: Readonly<Record<RowFormat, string>> = { csv: 'text/csv', ndjson: 'application/x-ndjson' };
type Page = Pick<CommandResponses['qryfldexe'], 'items' | 'last' | 'queryId'>;

const PAGE_SIZE = 1_000;
const BULK_KEYS = 1_000;
/** The service sends a line at least every 15 s: a connection without one is lost. */
const SILENCE_MS = 60_000;
const LOGIN = 'authenticate';
const UNAUTHORIZED = 401;
const TOO_MANY_REQUESTS = 429;
/** The status of a stream that the service ended permanently. */
const GONE = 410;
const CONNECTION_ENDED = 'the connection to the service ended';
const CALL_OPTIONS = ['signal', 'idempotencyKey'] as const satisfies ReadonlyArray<keyof CallOptions>;

export class SvcClient extends CommandMethods {
  readonly #options: ClientOptions;
  readonly #endpoints: Endpoints;
  readonly #preferences: Readonly<Record<string, string>>;
  readonly #batching = new Batching((calls) => this.#sendBatch(calls));
  #mayBatch: boolean;
  #sessionToken: string | undefined;
  /** The login in progress; all calls share it. */
  #login: Promise<void> | undefined;

  /** Throws TypeError for options that do not exist, and for an invalid URL. */
  constructor(options: ClientOptions) {
    super();
    this.#preferences = preferencesOf(options);
    this.#options = options;
    this.#endpoints = new Endpoints(options.url);
    this.#mayBatch = options.batching ?? false;
  }

  /**
   * Executes a command. Bulk commands are split. Rejects with SvcError, with the signal's reason, or with TypeError for
   * parameters that cannot be sent.
   */
  async call<C extends Command>(
    command: C,
    parameters: CommandParameters[C],
    options: CallOptions = {},
  ): Promise<CommandResponses[C]> {
    checkNames(`the parameters of ${command}`, parameters, namesOf(command, parameters));
    checkNames(`the options of ${command}`, options, CALL_OPTIONS);
    const parts = splitParameters({ ...parameters }, this.#options.bulkKeys ?? BULK_KEYS);
    const responses: Json[] = [];
    for (const [index, part] of parts.entries()) {
      const { idempotencyKey: key } = options;
      const own = key === undefined || parts.length === 1 ? options : { ...options, idempotencyKey: `${key}/${index}` };
      responses.push(
        await (this.#isBatched(command, part, own) ? this.#add(command, part) : this.#send(command, part, own)),
      );
    }
    const response = merged(responses);
    const { long } = COMMAND_TRAITS[command];
    const exact = long === true && typeof response === 'number' ? BigInt(response) : response;
    // The type is derived from the schema of the command's reply.
    return exact as CommandResponses[C];
  }

  /**
   * Executes a statement and returns its rows one by one; numbers in decimal columns are Decimal. Closes the cursor if
   * the loop ends early.
   */
  async *query(qry: string, { pageSize = PAGE_SIZE, cacheName, args, ...call }: QueryOptions = {}) {
    const first = await this.#page('qryfldexe', { qry, pageSize, cacheName, args }, call);
    const types = first.fieldsMetadata?.map(({ fieldTypeName }) => fieldTypeName) ?? [];
    for await (const row of this.#rows(first, pageSize, call)) {
      if (Array.isArray(row)) yield row.map((value, at) => (types[at] === DECIMAL ? decimalOf(value) : exactOf(value)));
    }
  }

  /** Returns a cache's entries one by one. Closes the cursor if the loop ends early. */
  async *scan({ pageSize = PAGE_SIZE, cacheName, ...call }: ScanOptions = {}): AsyncGenerator<ScannedEntry> {
    const first = await this.#page('qryscanexe', { pageSize, cacheName }, call);
    for await (const row of this.#rows(first, pageSize, call)) {
      const entry = exactOf(row);
      if (isObject(entry)) yield { key: entry.key ?? null, value: entry.value ?? null };
    }
  }

  /**
   * Returns the changes of caches one by one, as they happen. A connection that ends is reopened after the last change,
   * so that none is lost or repeated. In front of a cluster, changes may be missing instead: `onGap` is called there,
   * or without it the loop ends with an error. Throws SvcError if the service rejects or ends the stream, for example
   * because a position is no longer kept.
   */
  async *watch(options: WatchOptions = {}): AsyncGenerator<WatchedChange> {
    const { onGap, retryMs = Number.POSITIVE_INFINITY, onReconnect = warn, signal } = options;
    const attempts = new Attempts(this.#options, this.#endpoints);
    let { from = 'now' } = options;
    let isResumable = true;
    let hasBegun = false;
    let isOpen = false;
    let mayRenew = true;
    const noteGap = (reason: string): void => {
      if (onGap === undefined) throw new SvcError(`Changes may be missing: ${reason}`, 'watch', 1, GONE);
      onGap(reason);
    };
    for (;;) {
      const url = this.#endpoints.current;
      let failure: SvcError | undefined;
      try {
        for await (const part of this.#parts(url, options, from)) {
          if (!isOpen) attempts.reset(retryMs);
          isOpen = true;
          mayRenew = true;
          if (part.position === null) isResumable = false;
          else from = String(part.position);
          if (part.event === 'open' && hasBegun && !isResumable) noteGap(CONNECTION_ENDED);
          hasBegun = true;
          if (part.event === 'gap') noteGap(String(part.reason));
          if (part.event === 'change') yield changeOf(part);
          if (part.event !== 'end') continue;
          if (part.reason === 'complete') return;
          if (part.reason !== 'stopping')
            throw new SvcError(String(part.error), 'watch', 1, GONE, null, detailsOf({ code: part.errorCode ?? null }));
        }
      } catch (error) {
        signal?.throwIfAborted();
        if (!(error instanceof SvcError)) throw error;
        failure = error;
      }
      if (failure?.http === UNAUTHORIZED && this.#options.user !== undefined && mayRenew) {
        // The session has expired since the last stream was opened.
        mayRenew = false;
        continue;
      }
      const ended = failure ?? unanswered(new Error(CONNECTION_ENDED), 'watch', url);
      const may = passing(ended);
      if (may === undefined) throw ended;
      if (!isResumable && onGap === undefined) noteGap(CONNECTION_ENDED);
      if (isOpen) onReconnect(failure);
      isOpen = false;
      await attempts.pause(ended, may, url, 0, signal);
    }
  }

  /** Yields the parts of one stream until its connection ends. */
  async *#parts(url: string, options: WatchOptions, from: string): AsyncGenerator<{ readonly [name: string]: Json }> {
    const { caches, operations, withOldValues, follow, signal } = options;
    const { token = await this.#session() } = this.#options;
    const query = {
      format: 'ndjson',
      from,
      cacheName: caches && joinNames(caches),
      operation: operations?.join(','),
      oldValue: withOldValues === true ? true : undefined,
      follow: follow === false ? false : undefined,
    };
    const headers = { ...this.#preferences, ...(token !== undefined && { Authorization: `Bearer ${token}` }) };
    const request = { command: 'watch', query, body: '', streams: true } as const;
    const response = await this.#attempt(url, request, { headers }, signal);
    if (response instanceof SvcError) throw response;
    if (!response.ok) {
      if (response.status === UNAUTHORIZED) this.#sessionToken = undefined;
      throw failureOf(await readEnvelope(response, 'watch'), 'watch', response.status);
    }
    if (response.body === null) return;
    const body = unlessSilent(response.body, SILENCE_MS);
    for await (const lines of linesOf(withFailures(body, 'watch', lost('watch', url, signal)))) {
      for (const line of lines) {
        const part = parseExact(line);
        if (isObject(part)) yield part;
      }
    }
  }

  /** Returns a page with all its numbers as they were sent. */
  async #page<C extends Command>(
    command: C,
    parameters: CommandParameters[C],
    call: CallOptions,
  ): Promise<CommandResponses[C]> {
    const response = await this.#send(command, { ...parameters }, call, parseAsSent);
    return response as CommandResponses[C];
  }

  async *#rows(first: Page, pageSize: number, call: CallOptions): AsyncGenerator<Json> {
    let page = first;
    try {
      for (;;) {
        yield* page.items;
        if (page.last) return;
        page = await this.#page('qryfetch', { qryId: first.queryId, pageSize }, call);
      }
    } finally {
      // Not with the call's signal: its abort is a reason to close the cursor.
      if (!page.last) await this.qrycls({ qryId: first.queryId }).catch(() => {});
    }
  }

  /**
   * Stores the rows or entries of a source in a table or a cache while reading them. The failure of a record rejects
   * with SvcError, whose `response` says how many are stored. A stream is sent once: a failure is not retried.
   */
  async import(
    rows: Rows,
    parameters: ImportParameters & { readonly format: RowFormat },
    options: Pick<CallOptions, 'signal'> = {},
  ): Promise<ImportResponse> {
    const isStream = rows instanceof ReadableStream;
    // A stream cannot be sent again after a login, so the session is renewed first.
    if (isStream && this.#options.user !== undefined) await this.noop({}, options);
    const { format, ...query } = parameters;
    const response = await this.#exchange(
      {
        command: 'import',
        query,
        headers: { 'Content-Type': MEDIA_TYPES[format] },
        body: rows,
        repeats: isStream ? 'never' : 'once',
      },
      options,
    );
    if (!(response instanceof ReadableStream) && isImportResponse(response.response)) return response.response;
    throw new SvcError('The response is none of an import', 'import', 1, 200);
  }

  /** Returns all rows of a table or entries of a cache as bytes of CSV or NDJSON, which `import` reads. */
  async export(
    parameters: ExportParameters & { readonly format: RowFormat },
    options: Pick<CallOptions, 'signal'> = {},
  ): Promise<ReadableStream<Uint8Array>> {
    return this.#download('export', parameters, MEDIA_TYPES[parameters.format], options);
  }

  /** Makes a backup and returns its bytes, which `svc restore` reads. */
  async backupStream(options: Pick<CallOptions, 'signal'> = {}): Promise<ReadableStream<Uint8Array>> {
    return this.#download('backup', { stream: true }, 'application/octet-stream', options);
  }

  async #download(
    command: string,
    query: object,
    accept: string,
    options: Pick<CallOptions, 'signal'>,
  ): Promise<ReadableStream<Uint8Array>> {
    const headers = { Accept: accept, 'Content-Type': 'application/json' };
    // Only calls that have not begun are repeated.
    const request: Sendable = { command, query, headers, body: '{}', repeats: 'any', streams: true };
    const response = await this.#exchange(request, options);
    if (response instanceof ReadableStream) {
      return withFailures(response, command, lost(command, this.#endpoints.current, options.signal));
    }
    throw new SvcError('The response is not a stream', command, 1, 200, response.response);
  }

  async #send(
    command: Command,
    parameters: Readonly<Record<string, unknown>>,
    options: CallOptions,
    parse = parseExact,
  ): Promise<Json> {
    const sized =
      COMMAND_TRAITS[command].paged === true
        ? { ...parameters, pageSize: parameters.pageSize ?? PAGE_SIZE }
        : parameters;
    return this.#sendBody(command, writeParameters(withTypes(sized)), options, parse);
  }

  async #sendBody(command: Command, body: string, options: CallOptions, parse = parseExact): Promise<Json> {
    const { repeats } = COMMAND_TRAITS[command];
    const headers = {
      'Content-Type': 'application/json',
      ...(repeats === 'keyed' && { 'Idempotency-Key': options.idempotencyKey ?? randomKey() }),
    };
    const response = await this.#exchange({ command, query: {}, headers, body, repeats, parse }, options);
    if (!(response instanceof ReadableStream)) return response.response;
    throw new SvcError('The response is a stream', command, 1, 200);
  }

  /** Whether a call may share a request: nothing in it may concern the request as a whole. */
  #isBatched(command: Command, parameters: Readonly<Record<string, unknown>>, options: CallOptions): boolean {
    const { batched, takes } = COMMAND_TRAITS[command];
    if (!this.#mayBatch || batched !== true || options.signal !== undefined || options.idempotencyKey !== undefined) {
      return false;
    }
    return Object.keys(parameters).every((name) => takes.includes(name) && name !== 'destId');
  }

  async #add(command: Command, parameters: Readonly<Record<string, unknown>>): Promise<Json> {
    const { key, keyType } = parameters;
    const isPlain = keyType === undefined && typeof key !== 'object';
    const body = writeParameters(withTypes(parameters));
    return this.#batching.add({ command, body, key: isPlain ? String(key) : undefined });
  }

  async #sendAlone({ command, body, resolve, reject }: BatchedCall): Promise<void> {
    await this.#sendBody(command, body, {}).then(resolve, reject);
  }

  /** Settles calls with the results of one batch. Those that were certainly not executed are sent separately. */
  async #sendBatch(calls: readonly BatchedCall[]): Promise<void> {
    const [first] = calls;
    if (first !== undefined && calls.length === 1) return this.#sendAlone(first);
    const left: BatchedCall[] = [];
    const repeats = calls.every(({ command }) => COMMAND_TRAITS[command].repeats === 'any') ? 'any' : 'keyed';
    const headers = {
      'Content-Type': 'application/json',
      ...(repeats === 'keyed' && { 'Idempotency-Key': randomKey() }),
    };
    // Reads have no unknown outcome.
    const unknownOf = repeats === 'keyed' && { unknownOf: (answer: Envelope) => unknownIn(answer, calls) };
    try {
      const request: Sendable = { command: 'batch', query: {}, headers, body: batchBody(calls), repeats, ...unknownOf };
      const answer = await this.#exchange(request, {});
      const results = answer instanceof ReadableStream ? [] : resultsIn(answer);
      for (const [at, call] of calls.entries()) {
        const outcome = outcomeOf(results[at], call, this.#options.user !== undefined);
        if (outcome === 'alone') left.push(call);
        else if (outcome instanceof SvcError) call.reject(outcome);
        else call.resolve(outcome.response);
      }
    } catch (error) {
      if (error instanceof SvcError && isBatchRejected(error)) {
        // A service with lower limits, for example: others would be rejected as well.
        this.#mayBatch = false;
        left.push(...calls);
      } else
        for (const { command, reject } of calls) reject(error instanceof SvcError ? failureFor(command, error) : error);
    }
    // One after another, which keeps their order.
    for (const call of left) await this.#sendAlone(call);
  }

  /** Sends a request, retrying temporary failures. Returns the envelope, or the stream. */
  async #exchange(
    request: Sendable,
    { signal }: Pick<CallOptions, 'signal'>,
  ): Promise<Envelope | ReadableStream<Uint8Array>> {
    const { command, repeats, body } = request;
    // The results of a batch keep the type that they are declared with.
    const headers: Record<string, string> = { ...this.#preferences, ...request.headers };
    const attempts = new Attempts(this.#options, this.#endpoints);
    const isSafe = repeats === 'any' || repeats === 'keyed';
    const isLogin = command === LOGIN;
    let mayRenew = this.#options.user !== undefined && repeats !== 'never' && !isLogin;
    for (;;) {
      const { token = isLogin ? undefined : await this.#session() } = this.#options;
      if (token !== undefined && !isLogin) headers.Authorization = `Bearer ${token}`;
      const url = this.#endpoints.current;
      const outcome = await this.#attempt(url, request, { method: 'POST', headers, body }, signal);
      let failure: SvcError;
      if (outcome instanceof Response) {
        if (request.streams === true && isStream(outcome)) return outcome.body ?? new Blob([]).stream();
        const answer = await envelopeOf(outcome, command, request.parse);
        if (answer instanceof SvcError) failure = answer;
        else if (outcome.ok && answer.successStatus === 0) {
          const unknown = request.unknownOf?.(answer);
          if (unknown === undefined) return answer;
          failure = unknown;
        } else failure = failureOf(answer, command, outcome.status);
        if (outcome.status === UNAUTHORIZED && mayRenew) {
          mayRenew = false;
          if (this.#sessionToken === token) this.#sessionToken = undefined;
          continue;
        }
      } else failure = outcome;
      const may = passing(failure);
      // The service slows guessing down, and waiting does not make a password correct.
      const isGuess = isLogin && failure.http === TOO_MANY_REQUESTS;
      if (may === undefined || isGuess || repeats === 'never' || (may.isUnknown && !isSafe)) throw failure;
      const asked = outcome instanceof Response ? Number(outcome.headers.get('Retry-After') ?? 0) * 1_000 : 0;
      await attempts.pause(failure, may, url, asked, signal);
    }
  }

  /** Sends a request. Returns the response, or the network's failure. Throws the signal's reason. */
  async #attempt(
    url: string,
    { command, query, body, streams }: Pick<Sendable, 'command' | 'query' | 'body' | 'streams'>,
    init: RequestInit,
    signal: AbortSignal | undefined,
  ): Promise<Response | SvcError> {
    const { timeoutMs, fetch: send = fetch } = this.#options;
    // A stream takes as long as its reader or its source.
    const isLong = streams === true || body instanceof ReadableStream;
    const signals = [signal, timeoutMs === undefined || isLong ? undefined : AbortSignal.timeout(timeoutMs)];
    const given = signals.filter((each) => each !== undefined);
    const parameters = Object.entries({ ...query, httpStatus: true }).filter(([, value]) => value !== undefined);
    const search = new URLSearchParams(parameters.map(([name, value]): [string, string] => [name, String(value)]));
    // Another address would get the credentials.
    const sent: RequestInit = {
      ...init,
      redirect: 'manual',
      ...(given.length > 0 && { signal: AbortSignal.any(given) }),
    };
    // Required by the fetch standard.
    if (body instanceof ReadableStream) Object.assign(sent, { duplex: 'half' });
    try {
      const response = await send(`${url}/${command}?${search}`, sent);
      this.#endpoints.hasAnswered = true;
      if (streams === true && isStream(response)) return response;
      // The connection may also fail while the body arrives.
      return new Response(await response.text(), { status: response.status, headers: response.headers });
    } catch (error) {
      signal?.throwIfAborted();
      return unanswered(error, command, url, timeoutMs);
    }
  }

  /** Returns the session token, logging in if there is none, or undefined without a user. */
  async #session(): Promise<string | undefined> {
    if (this.#options.user === undefined) return undefined;
    if (this.#sessionToken === undefined) {
      this.#login ??= this.#logIn().finally(() => {
        this.#login = undefined;
      });
      await this.#login;
    }
    return this.#sessionToken;
  }

  async #logIn(): Promise<void> {
    const { user, password = '' } = this.#options;
    const { serviceName } = this.#endpoints;
    const body = writeExact({ [`${serviceName}.login`]: user, [`${serviceName}.password`]: password });
    const headers = { 'Content-Type': 'application/json' };
    const answer = await this.#exchange({ command: LOGIN, query: {}, headers, body, repeats: 'any' }, {});
    // Without authentication, a service returns no token and needs none.
    this.#sessionToken = answer instanceof ReadableStream ? undefined : (answer.sessionToken ?? undefined);
  }
}

/** Returns a function that returns the failure of a stream that the network has cut, or the signal. */
function lost(command: string, url: string, signal: AbortSignal | undefined): (error: unknown) => unknown {
  return (error) => (signal?.aborted === true ? signal.reason : unanswered(error, command, url));
}

function warn(reason: SvcError | undefined): void {
  // biome-ignore lint/suspicious/noConsole: the default of an option.
  console.warn(`svc: the change feed is opened again: ${reason?.message ?? CONNECTION_ENDED}`);
}

function isImportResponse(response: unknown): response is ImportResponse {
  return typeof response === 'object' && response !== null && 'state' in response && 'rows' in response;
}

/** Whether a successful response is a stream: failures are envelopes. */
function isStream({ ok, headers }: Response): boolean {
  return ok && headers.get('Content-Type')?.startsWith('application/json') === false;
}

function changeOf(part: { readonly [name: string]: Json }): WatchedChange {
  const { position, operation, cache, time, key, value, oldValue, expires, keyType, valueType, oldValueType } = part;
  return {
    position: position === null ? null : String(position),
    operation: String(operation),
    cache: String(cache),
    time: String(time),
    ...(key !== undefined && { key }),
    ...(value !== undefined && { value }),
    ...(oldValue !== undefined && { oldValue }),
    ...(expires !== undefined && { expires: String(expires) }),
    ...(keyType !== undefined && { keyType: String(keyType) }),
    ...(valueType !== undefined && { valueType: String(valueType) }),
    ...(oldValueType !== undefined && { oldValueType: String(oldValueType) }),
  };
}

/** Browsers have randomUUID only on pages of secure origins. */
function randomKey(): string {
  return [...randomBytes(16)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Merges the responses of parts: lists and objects are joined, and of true and false, false wins. */
function merged(responses: readonly Json[]): Json {
  const [first = null] = responses;
  if (responses.length < 2) return first;
  if (Array.isArray(first)) return responses.flat();
  if (isObject(first)) return Object.assign({}, ...responses);
  return responses.every((each) => each === first) ? first : false;
}

/** Returns the names of a command's parameters; a dry run's include its command's. */
function namesOf(command: Command, parameters: object): readonly string[] {
  const { takes } = COMMAND_TRAITS[command];
  if (command !== 'dryrun' || !('of' in parameters)) return takes;
  return [
    ...takes,
    ...Object.entries(COMMAND_TRAITS).flatMap(([name, of]) => (name === parameters.of ? of.takes : [])),
  ];
}
