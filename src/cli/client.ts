/** Sends commands to a service and reads its responses. */
import { certificateAdvice } from '../base/certificate-errors.ts';
import type { Clock } from '../base/clock.ts';
import { EXIT_CODES } from '../base/exit-codes.ts';
import { type FailoverStatus, failoverStatusIn } from '../base/failover-status.ts';
import { rowsUntilFailure } from '../base/row-failures.ts';
import { type JsonNode, readJson, writeNode } from '../values/json.ts';
import { CommandLineError, type FailureDetails, interruptedError, LostAnswer, ServiceFailure } from './failures.ts';
import { plainJson } from './json-text.ts';
import type { Login } from './logins.ts';
import { NOT_PRIMARY, Primary, STANDBY } from './primary.ts';

export interface ClientOptions {
  /** Address of the endpoint, `http://localhost:8080/svc`, or of several, separated by commas. */
  readonly url: string;
  readonly login: Login | undefined;
  /** API key, used instead of a login. */
  readonly apiKey: string | undefined;
  /** Key that requests are signed with. */
  readonly secretKey: string | undefined;
  readonly clock: Clock;
  readonly tls: {
    readonly rejectUnauthorized?: boolean;
    readonly ca?: string;
    readonly cert?: string;
    readonly key?: string;
  };
  /** The data folder that the environment names, if no service runs on it. */
  readonly idleFolder: string | undefined;
  /** Ends requests when the user interrupts the program. */
  readonly interrupted: AbortSignal;
}

/** Parameters by name, entries if names repeat or order counts, or a JSON object as text, whose types count. */
export type ClientParameters =
  | string
  | Readonly<Record<string, string>>
  | ReadonlyArray<readonly [name: string, value: string]>;

/** The response of a successful command. Numbers keep their text, so longs and decimals keep their digits. */
export interface ClientAnswer {
  readonly response: JsonNode;
  /** The envelope as sent by the service; `start` and `end` of `response` refer to it. */
  readonly text: string;
  readonly sessionToken: string | undefined;
}

export interface CommandOptions {
  readonly signal?: AbortSignal | undefined;
  /** Executes the request once, however often it is sent with this key. */
  readonly idempotencyKey?: string;
}

/** An error that the service reports as an object. */
type ReportedError = Partial<Pick<FailureDetails, 'parameter' | 'remedy' | 'position'> & { readonly message: string }>;

/** Content outside an envelope, in the requested format. */
export type StreamFormat = 'application/x-ndjson' | 'text/csv' | 'application/octet-stream';

const JSON_BODY = 'application/json';
const FORM = 'application/x-www-form-urlencoded';

/** Errors are objects, and the contract's rules apply. Preferences: services that do not know one ignore it. */
const PREFERENCES = { prefer: 'errors=object, compatibility=contract' };

const OK = 200;
/** Responses of proxies whose service is away. */
const OF_PROXIES: ReadonlySet<number> = new Set([502, 503, 504]);
/** Nothing was sent. */
const REFUSED: ReadonlySet<string> = new Set(['ConnectionRefused', 'ECONNREFUSED']);
/** HTTP status of an expired session. */
const UNAUTHORIZED = 401;
const FORBIDDEN_STATUS = new Set(['2', '3']);

export class ServiceClient {
  readonly #options: ClientOptions;
  /** Session from the first response, so later requests need not verify the password. */
  #sessionToken: string | undefined;
  readonly #primary: Primary;

  constructor(options: ClientOptions) {
    this.#options = options;
    const { tls } = options;
    this.#primary = new Primary({
      ...options,
      fetch: (url, signal) => fetch(url, { tls, signal, redirect: 'manual' }),
    });
  }

  get url(): string {
    return this.#options.url;
  }

  get login(): Login | undefined {
    return this.#options.login;
  }

  /** Executes a command. Throws CommandLineError with the service's text if it fails. */
  async command(
    name: string,
    parameters: ClientParameters = {},
    { signal, idempotencyKey }: CommandOptions = {},
  ): Promise<ClientAnswer> {
    const headers = {
      accept: 'application/json',
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    };
    const response = await this.#send(name, parameters, headers, signal);
    const answer = this.#envelope(await this.#read(() => response.text()), response);
    // A session saves verifying the password; it may expire while the user thinks.
    if (this.#options.login !== undefined) this.#sessionToken = answer.sessionToken;
    return answer;
  }

  /**
   * Executes a query and returns its rows as a stream of bytes in the given format. Throws CommandLineError if it fails
   * before the first row.
   */
  async rows(
    name: string,
    parameters: ClientParameters,
    format: StreamFormat,
    signal?: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>> {
    return rowsUntilFailure(await this.stream(name, parameters, format, signal), incompleteRows);
  }

  /** Executes a command that returns a stream. Throws CommandLineError if it fails before the first byte. */
  async stream(
    name: string,
    parameters: ClientParameters,
    format: StreamFormat,
    signal?: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>> {
    const response = await this.#send(name, parameters, { accept: format }, signal);
    const { body, headers } = response;
    if (headers.get('content-type')?.startsWith('application/json') === false) {
      return body === null ? (async function* () {})() : this.#chunks(body);
    }
    this.#envelope(await this.#read(() => response.text()), response);
    throw new CommandLineError(EXIT_CODES.failed, `${this.url} returns nothing as ${format}`);
  }

  /** Reports whether the service can execute commands. Needs no credentials. */
  async isReady(): Promise<boolean> {
    const response = await this.#fetch((endpoint) => new URL('/health/ready', endpoint).href, {});
    await response.body?.cancel();
    return response.ok;
  }

  /**
   * Returns the role of a service with failover, or undefined if no other service takes over from it. Needs no
   * credentials.
   */
  async role(): Promise<FailoverStatus | undefined> {
    const response = await this.#fetch((endpoint) => new URL('/health/role', endpoint).href, {});
    return failoverStatusIn(await this.#read(() => response.text()));
  }

  /** Sends the body of a bulk command, such as a stream of rows, and returns the response. */
  async upload(
    name: string,
    parameters: Readonly<Record<string, string>>,
    contentType: string,
    body: NonNullable<RequestInit['body']>,
    signal?: AbortSignal,
  ): Promise<ClientAnswer> {
    const query = new URLSearchParams({ ...parameters, cmd: name, httpStatus: 'true' });
    // The body may be a stream, which cannot be sent again after an expired session.
    this.#sessionToken = undefined;
    const response = await this.#fetch((endpoint) => `${endpoint}?${query}`, {
      method: 'POST',
      headers: { ...PREFERENCES, 'content-type': contentType },
      body,
      ...(signal !== undefined && { signal }),
    });
    return this.#envelope(await this.#read(() => response.text()), response);
  }

  /**
   * Sends a request unchanged to a path below the endpoint (`/get?key=1`) and returns the service's response, whatever
   * it is. With a login, it logs in first and adds the session token to the query string, which every service with this
   * interface understands. Throws CommandLineError if there is no response.
   */
  async sendRaw(target: string, init: RequestInit): Promise<Response> {
    const mark = target.includes('?') ? '&' : '?';
    return this.#renewed(async () => {
      const token = this.#options.login === undefined ? undefined : await this.#rawToken();
      const suffix = token === undefined ? '' : `${mark}sessionToken=${token}`;
      return this.#fetch((endpoint) => `${endpoint}${target}${suffix}`, init);
    });
  }

  /** Sends a request, and repeats it once if the session has expired. */
  async #renewed(send: () => Promise<Response>): Promise<Response> {
    const response = await send();
    if (response.status !== UNAUTHORIZED || this.#sessionToken === undefined) return response;
    this.#sessionToken = undefined;
    await response.body?.cancel();
    return send();
  }

  /** Returns a session token that `authenticate` has returned. */
  async #rawToken(): Promise<string | undefined> {
    const { login } = this.#options;
    if (this.#sessionToken !== undefined || login === undefined) return this.#sessionToken;
    const name = new URL(this.url).pathname.split('/').at(-1) ?? '';
    const body = new URLSearchParams({ [`${name}.login`]: login.user, [`${name}.password`]: login.password });
    const response = await this.#fetch((endpoint) => `${endpoint}?cmd=authenticate`, { method: 'POST', body });
    this.#sessionToken = this.#envelope(await this.#read(() => response.text()), response).sessionToken;
    return this.#sessionToken;
  }

  #send(
    name: string,
    parameters: ClientParameters,
    headers: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): Promise<Response> {
    const isJson = typeof parameters === 'string';
    // With the command in the query string, the types of JSON would not count.
    const target = isJson ? `/${encodeURIComponent(name)}?` : `?cmd=${encodeURIComponent(name)}&`;
    return this.#renewed(() =>
      this.#fetch((endpoint) => `${endpoint}${target}httpStatus=true`, {
        method: 'POST',
        headers: { ...PREFERENCES, ...headers, 'content-type': isJson ? JSON_BODY : FORM },
        body: bodyOf(parameters),
        ...(signal !== undefined && { signal }),
      }),
    );
  }

  /** Sends a request to the primary, and repeats it once if another service took over before it was executed. */
  async #fetch(address: (endpoint: string) => string, init: RequestInit): Promise<Response> {
    const { interrupted, tls } = this.#options;
    const signals = [interrupted, ...(init.signal ? [init.signal] : [])];
    const headers = new Headers(init.headers);
    for (const [name, value] of this.#credentials()) headers.set(name, value);
    // Another address would get the credentials.
    const sent = { ...init, headers, tls, signal: AbortSignal.any(signals), redirect: 'manual' } as const;
    for (let mayRepeat = typeof init.body === 'string'; ; mayRepeat = false) {
      const endpoint = await this.#primary.find();
      try {
        const response = await fetch(address(endpoint), sent);
        const code = response.headers.get('error-code');
        if (!NOT_PRIMARY.has(code) || !this.#primary.forget()) return response;
        if (!mayRepeat || code !== STANDBY) return response;
        await response.body?.cancel();
      } catch (error) {
        const isRepeated = this.#primary.forget() && mayRepeat && REFUSED.has(reasonOf(error));
        if (!isRepeated || interrupted.aborted) return this.#read(() => Promise.reject(error));
      }
    }
  }

  #credentials(): Array<readonly [name: string, value: string]> {
    const { login, apiKey, secretKey, clock } = this.#options;
    const headers: Array<readonly [string, string]> = [];
    const bearer = apiKey ?? this.#sessionToken;
    if (bearer !== undefined) headers.push(['authorization', `Bearer ${bearer}`]);
    else if (login !== undefined) {
      headers.push(['authorization', `Basic ${Buffer.from(`${login.user}:${login.password}`).toString('base64')}`]);
    }
    if (secretKey !== undefined && secretKey !== '') {
      const timestamp = String(clock.nowMs());
      const hash = new Bun.CryptoHasher('sha1').update(`${timestamp}:${secretKey}`).digest('base64');
      headers.push(['x-signature', `${timestamp}:${hash}`]);
    }
    return headers;
  }

  async *#chunks(body: ReadableStream<Uint8Array>): AsyncIterable<Uint8Array> {
    const reader = body.getReader();
    try {
      for (;;) {
        const { done, value } = await this.#read(() => reader.read().catch(cutOff));
        if (done) return;
        yield value;
      }
    } finally {
      await reader.cancel().catch(() => {});
    }
  }

  #envelope(text: string, { status: httpStatus, headers }: Response): ClientAnswer {
    const envelope = parsedEnvelope(text);
    if (envelope === undefined) {
      const answer = text.trim() === '' ? `HTTP ${httpStatus} without a body` : firstLine(text);
      const message = `${this.url} is not the endpoint of a service: ${answer}`;
      if (OF_PROXIES.has(httpStatus)) throw new LostAnswer(EXIT_CODES.failed, message);
      throw new CommandLineError(EXIT_CODES.failed, message);
    }
    const token = envelope.get('sessionToken');
    const status = envelope.get('successStatus');
    if (status?.kind === 'number' && status.text === '0') {
      const sessionToken = token?.kind === 'string' ? token.value : undefined;
      return { response: envelope.get('response') ?? { kind: 'null' }, text, sessionToken };
    }
    const error = envelope.get('error');
    const reported: ReportedError = error?.kind === 'object' ? plainJson(error) : {};
    const message = reported.message ?? (error?.kind === 'string' ? error.value : firstLine(text));
    const forbidden = status?.kind === 'number' && FORBIDDEN_STATUS.has(status.text);
    const exitCode = forbidden ? EXIT_CODES.forbidden : EXIT_CODES.failed;
    throw new ServiceFailure(exitCode, message, httpStatus, envelope.get('response') ?? { kind: 'null' }, {
      code: headers.get('error-code') ?? undefined,
      object: error?.kind === 'object' ? writeNode(error) : undefined,
      parameter: reported.parameter,
      remedy: reported.remedy,
      position: reported.position,
    });
  }

  /** Turns network errors into CommandLineError. */
  async #read<T>(action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (error) {
      if (this.#options.interrupted.aborted) {
        throw interruptedError({ cause: error });
      }
      if (error instanceof CommandLineError || (error instanceof Error && error.name === 'AbortError')) throw error;
      throw unreachable(this.#options, reasonOf(error), { cause: error });
    }
  }
}

function bodyOf(parameters: ClientParameters): string {
  if (typeof parameters === 'string') return parameters;
  const entries = Symbol.iterator in parameters ? parameters : Object.entries(parameters);
  return new URLSearchParams(entries.map(([name, value]): [string, string] => [name, value])).toString();
}

function parsedEnvelope(text: string): ReadonlyMap<string, JsonNode> | undefined {
  try {
    const node = readJson(text);
    return node.kind === 'object' && node.members.has('successStatus') ? node.members : undefined;
  } catch {
    return undefined;
  }
}

function firstLine(text: string): string {
  const line = text.split('\n', 1)[0] ?? '';
  return line.length > 200 ? `${line.slice(0, 200)}...` : line;
}

/** Returns the failure that the last line of rows reports, as the error's JSON. */
function incompleteRows(error: string): ServiceFailure {
  const { code, message, remedy } = JSON.parse(error) as Readonly<Record<'code' | 'message' | 'remedy', string>>;
  const text = `the rows are incomplete: ${message}`;
  const details = { code, object: error, parameter: undefined, remedy, position: undefined };
  return new ServiceFailure(EXIT_CODES.failed, text, OK, { kind: 'null' }, details);
}

/** A response that has begun and has no lines can report a failure only by its end. */
function cutOff(error: unknown): never {
  if (error instanceof Error && error.name === 'AbortError') throw error;
  const reason = 'the statement failed after its first rows, or the service stopped; its log says why';
  throw new LostAnswer(EXIT_CODES.failed, `the rows are incomplete: ${reason}`, { cause: error });
}

/** Returns the code of a network error (ECONNREFUSED), or else its message. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}

/** Remedies for connection errors that a service may well have caused. */
const PROTOCOL_ADVICE: Readonly<Record<string, string>> = {
  EPROTO: 'what answers there does not speak TLS: write http:// if it is the service',
  ECONNRESET: 'the service stopped, or expects TLS: write https:// if it has a certificate',
};

/** Returns the error for a service that does not respond, or that cannot be trusted. */
function unreachable(
  { url, idleFolder }: Pick<ClientOptions, 'url' | 'idleFolder'>,
  reason: string,
  options?: ErrorOptions,
): CommandLineError {
  const certificate = certificateAdvice(reason, 'name its authority with --ca');
  if (idleFolder !== undefined && certificate === undefined) {
    const text = `no service is running on ${idleFolder}, and none answers at ${url} (${reason})`;
    const advice = 'start it with svc serve (SVC_DATA_DIR or SVC_CONFIG names that folder), or name another with --url';
    return new CommandLineError(EXIT_CODES.unreachable, `${text}: ${advice}`, options);
  }
  const message =
    certificate === undefined
      ? `no service answers at ${url} (${reason}): ${adviceFor(url, reason)}`
      : `the certificate of ${url} cannot be verified (${reason}): ${certificate}`;
  return new CommandLineError(EXIT_CODES.unreachable, message, options);
}

function adviceFor(url: string, reason: string): string {
  const isOfProtocol = reason !== 'ECONNRESET' || url.startsWith('http:');
  return (isOfProtocol ? PROTOCOL_ADVICE[reason] : undefined) ?? 'start one with svc serve, or name another with --url';
}
