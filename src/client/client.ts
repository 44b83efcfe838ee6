/**
 * Client of a service for Node, Bun, Deno and browsers, without dependencies: a method for each command, exact numbers,
 * sessions, safe retries, bulk commands of any size, and cursors as async iterators. docs/client.md has examples.
 */
import { keepAlive, randomBytes, sleep, systemClock } from '../base/clock.ts';
import {
  type CallOptions,
  COMMAND_TRAITS,
  CommandMethods,
  type CommandParameters,
  type CommandResponses,
} from './commands.ts';
import { Decimal, type Json, parseExact, writeExact } from './exact-json.ts';

export type * from './commands.ts';
export { Decimal, type Json };

export interface ClientOptions {
  /** The endpoint: `http://localhost:8080/svc`. */
  readonly url: string;
  /** Name and password; the client logs in when it is needed, and again when the session has expired. */
  readonly user?: string;
  readonly password?: string;
  /** API key or JSON Web Token, instead of a user. */
  readonly token?: string;
  /** How often a request is repeated after a failure that may pass; default 4. */
  readonly retries?: number;
  /** Time limit of each request in milliseconds; default: none. */
  readonly timeoutMs?: number;
  /** Keys in one request of a bulk command, which is split beyond it; default 1,000. */
  readonly bulkKeys?: number;
  /** Replaces the global fetch. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** A failure that the service reports. */
export class SvcError extends Error {
  override readonly name = 'SvcError';
  /** 1 failure; 2 authorization failure; 3 security check failure. */
  readonly successStatus: number;
  /** The HTTP status. */
  readonly http: number;
  readonly command: string;

  constructor(message: string, command: string, successStatus: number, http: number) {
    super(message);
    this.command = command;
    this.successStatus = successStatus;
    this.http = http;
  }
}

export interface QueryOptions extends CallOptions {
  readonly cacheName?: string;
  readonly args?: CommandParameters['qryfldexe']['args'];
  /** Rows of each request; default 1,000. */
  readonly pageSize?: number;
}

export interface ScanOptions extends CallOptions {
  readonly cacheName?: string;
  /** Entries of each request; default 1,000. */
  readonly pageSize?: number;
}

/** An entry of a scan. */
export interface ScannedEntry {
  readonly key: Json;
  readonly value: Json;
}

type Command = keyof CommandParameters;
type Page = Pick<CommandResponses['qryfetch'], 'items' | 'last' | 'queryId'>;

const PAGE_SIZE = 1_000;
const BULK_KEYS = 1_000;
const RETRIES = 4;
/** A service that stalls for a moment is back by then, and the last of four retries comes after 1.5 s. */
const FIRST_DELAY_MS = 100;
/** Longer pauses help no service, and users wait for them. */
const LONGEST_DELAY_MS = 10_000;
const UNAUTHORIZED = 401;
const IN_USE = 409;
/** Too many requests, and answers of a service or proxy that did not execute the request. */
const REJECTED_FOR_NOW: ReadonlySet<number> = new Set([429, 503]);
/** Answers of a proxy that does not know whether the service executed the request. */
const UNKNOWN_OUTCOME: ReadonlySet<number> = new Set([502, 504]);
const STILL_RUNNING = /^A request with this Idempotency-Key is still running/;

interface Envelope {
  readonly successStatus: number;
  readonly sessionToken: string | null;
  readonly error: string | null;
  readonly response: Json;
}

export class SvcClient extends CommandMethods {
  readonly #options: ClientOptions;
  readonly #serviceName: string;
  readonly #url: string;
  #sessionToken: string | undefined;
  /** The login that is under way; all calls share it. */
  #login: Promise<void> | undefined;

  constructor(options: ClientOptions) {
    super();
    this.#options = options;
    this.#url = options.url.replace(/\/+$/, '');
    this.#serviceName = this.#url.slice(this.#url.lastIndexOf('/') + 1);
  }

  /** Executes a command. Bulk commands are split. Rejects with SvcError, the signal's reason, or TypeError. */
  async call<C extends Command>(
    command: C,
    parameters: CommandParameters[C],
    options: CallOptions = {},
  ): Promise<CommandResponses[C]> {
    const parts = splitParameters({ ...parameters }, this.#options.bulkKeys ?? BULK_KEYS);
    const responses: Json[] = [];
    for (const [index, part] of parts.entries()) {
      const { idempotencyKey: key } = options;
      const own = key === undefined || parts.length === 1 ? options : { ...options, idempotencyKey: `${key}/${index}` };
      responses.push(await this.#send(command, part, own));
    }
    const response = merged(responses);
    const { long } = COMMAND_TRAITS[command];
    const exact = long === true && typeof response === 'number' ? BigInt(response) : response;
    // The type is derived from the schema of the command's reply.
    return exact as CommandResponses[C];
  }

  /** Executes a statement and returns its rows one by one. Closes the cursor when the loop ends early. */
  async *query(qry: string, { pageSize = PAGE_SIZE, cacheName, args, ...call }: QueryOptions = {}) {
    const first = this.qryfldexe({ qry, pageSize, cacheName, args }, call);
    for await (const row of this.#rows(await first, pageSize, call)) {
      if (Array.isArray(row)) yield row as readonly Json[];
    }
  }

  /** Returns the entries of a cache one by one. Closes the cursor when the loop ends early. */
  async *scan({ pageSize = PAGE_SIZE, cacheName, ...call }: ScanOptions = {}): AsyncGenerator<ScannedEntry> {
    const first = this.qryscanexe({ pageSize, cacheName }, call);
    for await (const entry of this.#rows(await first, pageSize, call)) {
      if (isObject(entry)) yield { key: entry.key ?? null, value: entry.value ?? null };
    }
  }

  async *#rows(first: Page, pageSize: number, call: CallOptions): AsyncGenerator<Json> {
    let page = first;
    try {
      for (;;) {
        yield* page.items;
        if (page.last) return;
        page = await this.qryfetch({ qryId: first.queryId, pageSize }, call);
      }
    } finally {
      // Not with the signal of the call: its abort is a reason to close the cursor.
      if (!page.last) await this.qrycls({ qryId: first.queryId }).catch(() => {});
    }
  }

  async #send(command: Command, parameters: Readonly<Record<string, unknown>>, options: CallOptions): Promise<Json> {
    const { repeats } = COMMAND_TRAITS[command];
    const headers: Record<string, string> = { 'Content-Type': 'application/json' };
    if (repeats === 'keyed') headers['Idempotency-Key'] = options.idempotencyKey ?? randomKey();
    const body = writeExact(withTypes(parameters));
    const retries = this.#options.retries ?? RETRIES;
    let renewed = false;
    for (let attempt = 0; ; attempt++) {
      const { token = await this.#session() } = this.#options;
      if (token !== undefined) headers.Authorization = `Bearer ${token}`;
      const outcome = await this.#attempt(command, { method: 'POST', headers, body }, options.signal);
      if (outcome instanceof Response) {
        const envelope = await readEnvelope(outcome, command);
        if (outcome.ok && envelope.successStatus === 0) return envelope.response;
        const error = new SvcError(envelope.error ?? '', command, envelope.successStatus, outcome.status);
        if (outcome.status === UNAUTHORIZED && this.#options.user !== undefined && !renewed) {
          renewed = true;
          if (this.#sessionToken === token) this.#sessionToken = undefined;
          continue;
        }
        if (attempt >= retries || !mayRepeat(outcome.status, error, repeats !== 'once')) throw error;
      } else if (attempt >= retries || repeats === 'once') throw outcome;
      const asked = outcome instanceof Response ? Number(outcome.headers.get('Retry-After') ?? 0) * 1_000 : 0;
      await waitBeforeRetry(attempt, asked, options.signal);
    }
  }

  /** Sends a request. Returns the response, or the error of the network. Throws what the signal aborts with. */
  async #attempt(command: string, init: RequestInit, signal: AbortSignal | undefined): Promise<Response | Error> {
    const { timeoutMs, fetch: send = fetch } = this.#options;
    const signals = [signal, timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)];
    const given = signals.filter((each) => each !== undefined);
    try {
      const response = await send(`${this.#url}/${command}?httpStatus=true`, {
        ...init,
        ...(given.length > 0 && { signal: AbortSignal.any(given) }),
      });
      // The connection may also fail while the body arrives.
      return new Response(await response.text(), { status: response.status, headers: response.headers });
    } catch (error) {
      signal?.throwIfAborted();
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  /** Returns the token of the session, logging in if there is none; undefined without a user. */
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
    const names = { [`${this.#serviceName}.login`]: user, [`${this.#serviceName}.password`]: password };
    const headers = { 'Content-Type': 'application/json' };
    const outcome = await this.#attempt(
      'authenticate',
      { method: 'POST', headers, body: writeExact(names) },
      undefined,
    );
    if (!(outcome instanceof Response)) throw outcome;
    const { successStatus, sessionToken, error } = await readEnvelope(outcome, 'authenticate');
    if (successStatus !== 0) throw new SvcError(error ?? '', 'authenticate', successStatus, outcome.status);
    // Without authentication, a service returns no token and needs none.
    this.#sessionToken = sessionToken ?? undefined;
  }
}

function isObject(value: Json): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Decimal);
}

async function readEnvelope(response: Response, command: string): Promise<Envelope> {
  const text = await response.text();
  try {
    const { successStatus, sessionToken, error, response: result } = Object(parseExact(text));
    if (typeof successStatus === 'number') return { successStatus, sessionToken, error, response: result };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  // A proxy answered, for example.
  throw new SvcError(`No envelope, but ${text.slice(0, 200)}`, command, 1, response.status);
}

function mayRepeat(http: number, error: SvcError, isSafe: boolean): boolean {
  if (REJECTED_FOR_NOW.has(http)) return true;
  return isSafe && (UNKNOWN_OUTCOME.has(http) || (http === IN_USE && STILL_RUNNING.test(error.message)));
}

/** Waits twice as long before each attempt, within bounds, and at least as long as the service asks for. */
async function waitBeforeRetry(attempt: number, askedMs: number, signal: AbortSignal | undefined): Promise<void> {
  const longestMs = Math.min(FIRST_DELAY_MS * 2 ** attempt, LONGEST_DELAY_MS);
  const [random = 0] = randomBytes(1);
  // Clients that failed together do not return together.
  const delayMs = Math.max(askedMs, longestMs * (0.5 + random / 512));
  const awake = keepAlive();
  let abort = (): void => {};
  const aborted = new Promise<void>((resolve) => {
    abort = resolve;
  });
  signal?.addEventListener('abort', abort, { once: true });
  try {
    await Promise.race([sleep(systemClock, delayMs), aborted]);
    signal?.throwIfAborted();
  } finally {
    awake.cancel();
    signal?.removeEventListener('abort', abort);
  }
}

/** Browsers have randomUUID only on pages of secure origins. */
function randomKey(): string {
  return [...randomBytes(16)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

const TYPED_BY: Readonly<Record<string, 'keyType' | 'valueType'>> = {
  key: 'keyType',
  keys: 'keyType',
  val: 'valueType',
  val2: 'valueType',
  values: 'valueType',
};

/** Adds the types of keys and values that the caller leaves out: those of JavaScript's own values. */
function withTypes(parameters: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const types: Record<string, string> = {};
  for (const [name, value] of Object.entries(parameters)) {
    const typedBy = TYPED_BY[name];
    if (typedBy === undefined || parameters[typedBy] !== undefined) continue;
    for (const each of Array.isArray(value) ? value : [value]) {
      const type = typeName(each);
      const former = types[typedBy];
      if (type === undefined) continue;
      if (former !== undefined && former !== type) throw new TypeError(`${name} has values of several types`);
      types[typedBy] = type;
    }
  }
  return Object.fromEntries(
    Object.entries({ ...parameters, ...types }).filter(([name, type]) => !name.endsWith('Type') || type !== 'string'),
  );
}

function typeName(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'bigint':
      return 'long';
    case 'number':
      return 'double';
    case 'boolean':
      return 'boolean';
    default:
      return value instanceof Decimal ? 'java.math.BigDecimal' : undefined;
  }
}

/** Splits a request with more keys than one request may have. */
function splitParameters(
  parameters: Readonly<Record<string, unknown>>,
  bulkKeys: number,
): ReadonlyArray<Readonly<Record<string, unknown>>> {
  const { keys, values } = parameters;
  if (!Array.isArray(keys) || keys.length <= bulkKeys) return [parameters];
  // The service would reject it, but of each part it would see only a part.
  if (Array.isArray(values) && values.length !== keys.length) throw new TypeError('keys and values differ in number');
  const parts: Array<Readonly<Record<string, unknown>>> = [];
  for (let at = 0; at < keys.length; at += bulkKeys) {
    const end = at + bulkKeys;
    parts.push({
      ...parameters,
      keys: keys.slice(at, end),
      ...(Array.isArray(values) && { values: values.slice(at, end) }),
    });
  }
  return parts;
}

/** Merges the responses of parts: lists and objects are joined, and of true and false, false wins. */
function merged(responses: readonly Json[]): Json {
  const [first = null] = responses;
  if (responses.length < 2) return first;
  if (Array.isArray(first)) return responses.flat();
  if (isObject(first)) return Object.assign({}, ...responses);
  return responses.every((each) => each === first) ? first : false;
}
