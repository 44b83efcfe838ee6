/**
 * Forwards clients' requests to a service and records them with their responses. Recording never changes or delays what
 * a client receives: long bodies are forwarded and not recorded. Requests from pages of other sites are rejected here:
 * the service sees another host, and cannot detect them.
 */

import type { Clock } from '../../base/clock.ts';
import { errorText, GridError } from '../../base/errors.ts';
import { RECORDING_BOUNDS } from '../../base/limits.ts';
import { findCommand } from '../../commands/registry.ts';
import { BrowserGuard } from '../../http/browser-guard.ts';
import { isLoopback } from '../../http/ports.ts';
import {
  cursorOf,
  type Exchange,
  lacksStatement,
  parametersOf,
  type RecordedBody,
  recordedBody,
  secretHeaders,
  withoutSecrets,
  withoutToken,
} from '../../replay/exchange.ts';

export interface RecordingProxyOptions {
  /** Address of the service's endpoint, `http://localhost:8080/ignite`. */
  readonly upstream: string;
  readonly hostname: string;
  readonly port: number;
  /** Accepted origins and host names, as in the options http.origins and http.hosts. */
  readonly origins: readonly string[];
  readonly hosts: readonly string[];
  /** Records the texts of responses, which contain stored values. */
  readonly recordsAnswers: boolean;
  readonly clock: Clock;
  readonly tls: { readonly rejectUnauthorized?: boolean; readonly ca?: string };
  /** Called with each request when it is answered. */
  onExchange(exchange: Exchange): void;
}

export interface RecordingProxy {
  readonly port: number;
  /** Finishes the requests in flight and closes the port. */
  stop(): Promise<void>;
}

/** Longer requests are left for the service to reject. */
const MAX_BODY_BYTES = 1024 ** 4;
/** Headers of a connection, not of a message; the service's response is recorded without compression. */
const HOP_BY_HOP = ['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'host', 'content-length', 'expect'];
const FORBIDDEN = 403;
const BAD_GATEWAY = 502;
const IDLE_SECONDS = 255;

/** Starts to accept requests. Throws if the port is in use. */
export function startRecordingProxy(options: RecordingProxyOptions): RecordingProxy {
  const { hostname, port, origins, hosts, clock } = options;
  const guard = new BrowserGuard({
    origins,
    hosts,
    host: hostname,
    loopbackOnly: isLoopback(hostname),
    // It is unknown here whether the service needs credentials.
    ambientRights: true,
  });
  const startMs = clock.monotonicMs();
  const server = Bun.serve({
    hostname,
    port,
    idleTimeout: IDLE_SECONDS,
    maxRequestBodySize: MAX_BODY_BYTES,
    fetch: (request, self) =>
      rejectionOf(request, guard) ??
      forward(request, self.requestIP(request)?.address ?? '', clock.monotonicMs() - startMs, options),
  });
  return { port: server.port ?? port, stop: () => server.stop() };
}

/** Returns the response to a request from a page of another site, or undefined for other requests. */
function rejectionOf({ headers }: Request, guard: BrowserGuard): Response | undefined {
  try {
    guard.check({ get: (name) => headers.get(name) ?? undefined }, headers.get('host') ?? '');
    return undefined;
  } catch (error) {
    if (!(error instanceof GridError)) throw error;
    return new Response(`svc record: ${error.message}\n`, { status: FORBIDDEN });
  }
}

async function forward(
  request: Request,
  address: string,
  atMs: number,
  options: RecordingProxyOptions,
): Promise<Response> {
  const { upstream, clock, tls } = options;
  const { pathname, search } = new URL(request.url);
  const endpoint = new URL(upstream);
  const isCommand = pathname === endpoint.pathname || pathname.startsWith(`${endpoint.pathname}/`);
  const body = await bodyOf(request);
  const sentMs = clock.monotonicMs();
  let answer: Response;
  try {
    answer = await fetch(`${endpoint.origin}${pathname}${search}`, {
      method: request.method,
      headers: forwardedHeaders(request.headers, address),
      redirect: 'manual',
      signal: request.signal,
      tls,
      ...(body !== undefined && { body }),
    });
  } catch (error) {
    const reason = errorText(error);
    return new Response(`svc record: no answer from ${endpoint.origin}: ${reason}\n`, { status: BAD_GATEWAY });
  }
  const headers = new Headers(answer.headers);
  for (const name of HOP_BY_HOP) headers.delete(name);
  const { status } = answer;
  if (!isCommand) return new Response(answer.body, { status, headers });
  const removed = secretHeaders(request.headers);
  const parts = {
    target: targetOf(pathname.slice(endpoint.pathname.length), search, removed),
    ...partsOf(request.headers.get('content-type') ?? '', body, removed),
  };
  const sent = lacksStatement(removed) ? { ...parts, isIncomplete: true as const } : parts;
  const finish = (text: string | undefined): void => {
    const timeMs = clock.monotonicMs() - sentMs;
    const shown = recordedText(sent, text, options);
    const cursor = cursorOf(text ?? '')?.id;
    options.onExchange({
      atMs: rounded(atMs),
      method: request.method,
      ...sent,
      ...(removed.length > 0 && { removed: [...new Set(removed)] }),
      client: { address, agent: request.headers.get('user-agent') ?? '' },
      answer: {
        status,
        timeMs: rounded(timeMs),
        ...(shown !== undefined && { text: shown }),
        ...(cursor !== undefined && { cursor }),
      },
    });
  };
  if (answer.body === null) {
    finish('');
    return new Response(null, { status, headers });
  }
  return new Response(answer.body.pipeThrough(watched(finish)), { status, headers });
}

/** Returns a short body as bytes, for the recording, and a long one as a stream, or undefined without a body. */
async function bodyOf(request: Request): Promise<Uint8Array<ArrayBuffer> | ReadableStream | undefined> {
  if (request.body === null) return undefined;
  const length = Number(request.headers.get('content-length') ?? Number.POSITIVE_INFINITY);
  return length <= RECORDING_BOUNDS.bodyBytes ? new Uint8Array(await request.arrayBuffer()) : request.body;
}

function forwardedHeaders(headers: Headers, address: string): Headers {
  const forwarded = new Headers(headers);
  for (const name of [...HOP_BY_HOP, 'accept-encoding']) forwarded.delete(name);
  forwarded.set('accept-encoding', 'identity');
  const before = headers.get('x-forwarded-for');
  forwarded.set('x-forwarded-for', before === null ? address : `${before}, ${address}`);
  return forwarded;
}

function targetOf(path: string, search: string, removed: string[]): string {
  const query = withoutSecrets(search.slice(1), removed);
  return query === '' ? path : `${path}?${query}`;
}

/** Returns the members of the recording for a body. */
function partsOf(
  type: string,
  body: Uint8Array | ReadableStream | undefined,
  removed: string[],
): { readonly body?: RecordedBody; readonly isIncomplete?: true } {
  if (body === undefined || (body instanceof Uint8Array && body.length === 0)) return {};
  const text = body instanceof Uint8Array ? new TextDecoder().decode(body) : undefined;
  const recorded = text === undefined ? undefined : recordedBody(type, text, removed);
  return recorded === undefined ? { isIncomplete: true } : { body: recorded };
}

/** Returns the text of a response as recorded, or undefined if it is not. */
function recordedText(
  sent: Pick<Exchange, 'target' | 'body' | 'isIncomplete'>,
  text: string | undefined,
  { recordsAnswers }: RecordingProxyOptions,
): string | undefined {
  if (text === undefined) return undefined;
  // A statement's error may quote it.
  if (sent.isIncomplete === true) return undefined;
  const command = findCommand(parametersOf(sent).cmd);
  return recordsAnswers && command?.returnsSecret !== true ? withoutToken(text) : undefined;
}

/** Forwards chunks and calls `finish` at their end with their text, or undefined if it is too long to be recorded. */
function watched(finish: (text: string | undefined) => void): TransformStream<Uint8Array, Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes <= RECORDING_BOUNDS.answerBytes) chunks.push(chunk.slice());
      else chunks.length = 0;
      controller.enqueue(chunk);
    },
    flush() {
      finish(bytes <= RECORDING_BOUNDS.answerBytes ? new TextDecoder().decode(Buffer.concat(chunks)) : undefined);
    },
  });
}

function rounded(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
