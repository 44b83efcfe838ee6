/** Writes replies to a socket, with their heads, and buffers what the socket does not accept yet. */
import { gridError } from '../base/errors.ts';
import type { TextOptions } from '../service/request.ts';
import type { ResponseAccount, ResponseBudget } from './replies/response-budget.ts';
import { type ExtraHeaders, JSON_TYPE, type Reply, rejection } from './reply.ts';

/** The part of a socket that responses are written to. */
export interface OutputWire {
  /** Writes bytes and returns how many were accepted; the rest is retried after the socket has drained. */
  write(data: string | Uint8Array): number;
  /** Does the same with `length` bytes from index `start` on. */
  writePart(bytes: Uint8Array, start: number, length: number): number;
  /** Closes immediately. */
  terminate(): void;
}

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

/** Replies with longer bodies are sent as strings. */
export const SHORT_CHARACTERS = 4 * 1024;
const HEAD_BYTES = 2 * 1024;
/** Maximum bytes of a UTF-16 unit in UTF-8. */
const UNIT_BYTES = 3;
/**
 * Short replies are assembled here, with the head before index {@link HEAD_BYTES} and the body after it. The runtime
 * would concatenate and copy strings each time. The bytes are sent, or copied, before the next reply is written.
 */
const buffer = Buffer.alloc(HEAD_BYTES + SHORT_CHARACTERS * UNIT_BYTES);

interface OutputFence {
  readonly wire: OutputWire;
  readonly mayAnswer: () => boolean;
}

/**
 * Ends the connection instead of writing if the service may not respond. Everything sent to a client passes through
 * here, so no other code needs to check; results computed before the lease ended are not sent after it.
 */
function fencedWire(wire: OutputWire, mayAnswer: () => boolean): OutputWire {
  const refuse = (): number => {
    wire.terminate();
    return 0;
  };
  return {
    write: (data) => (mayAnswer() ? wire.write(data) : refuse()),
    writePart: (bytes, start, length) => (mayAnswer() ? wire.writePart(bytes, start, length) : refuse()),
    terminate: () => wire.terminate(),
  };
}

/** Writes the error of a service that may not respond, instead of a complete reply. */
function writeDeposed(wire: OutputWire, framing: Framing, headOnly: boolean, isFirst: boolean): void {
  const reply = rejection(gridError('DEPOSED'), false);
  const body = typeof reply.body === 'string' ? reply.body : '';
  const text = headText(reply, Buffer.byteLength(body), framing) + (headOnly ? '' : body);
  // The client would take it for the rest of another reply.
  if (!isFirst || wire.write(text) < Buffer.byteLength(text)) wire.terminate();
}

export class ConnectionOutput {
  readonly #wire: OutputWire;
  /** Writes the error of a service that may not respond now; undefined if it always may. */
  readonly #fence: OutputFence | undefined;
  /** Whether the current output, and everything unsent, reveals nothing about the data. */
  #isUnfenced = false;
  readonly #budget: ResponseBudget;
  /** Bytes of the response that the socket has not accepted. */
  #unsent: Buffer | undefined;
  /** Bytes of the response that are written when the socket has accepted these. */
  #following = 0;
  #account: ResponseAccount | undefined;
  #whenDrained: (() => void) | undefined;

  /** `mayAnswer` reports whether the service may respond now; undefined if it always may. */
  constructor(wire: OutputWire, budget: ResponseBudget, mayAnswer: (() => boolean) | undefined) {
    this.#wire = mayAnswer === undefined ? wire : fencedWire(wire, () => this.#isUnfenced || mayAnswer());
    this.#fence = mayAnswer && { wire, mayAnswer };
    this.#budget = budget;
  }

  get isEmpty(): boolean {
    return this.#unsent === undefined;
  }

  /** Asks a client for the body that it has announced. */
  writeContinue(): void {
    this.writeText(CONTINUE, CONTINUE.length);
  }

  /** Writes a string of `byteLength` bytes. */
  writeText(text: string, byteLength: number): void {
    if (this.#unsent !== undefined) {
      this.writeBytes(Buffer.from(text));
      return;
    }
    const accepted = Math.max(0, this.#wire.write(text));
    if (accepted < byteLength) this.#keep(Buffer.from(text).subarray(accepted));
  }

  /** Begins a reply. For the fence, everything written until the next one belongs to it. */
  begin(reply: Reply): void {
    this.#isUnfenced = reply.isUnfenced === true && (this.isEmpty || this.#isUnfenced);
  }

  /** Marks the end of a stream's data: the rest only gives the reason for its end. */
  beginFailure(): void {
    if (this.isEmpty) this.#isUnfenced = true;
  }

  /** Writes a reply whose body is complete. `headOnly`: the request was HEAD. */
  writeReply(reply: Reply, body: string | Uint8Array, framing: Framing, headOnly: boolean): void {
    this.begin(reply);
    if (!this.#isUnfenced && this.#fence?.mayAnswer() === false) {
      writeDeposed(this.#fence.wire, framing, headOnly, this.isEmpty);
      return;
    }
    if (typeof body === 'string' && body.length <= SHORT_CHARACTERS && !headOnly) {
      const bodyBytes = reply.parts === undefined ? buffer.write(body, HEAD_BYTES) : writeParts(reply.parts);
      const head = headText(reply, bodyBytes, framing);
      const start = HEAD_BYTES - head.length;
      if (start >= 0) {
        buffer.write(head, start, 'latin1');
        this.writePart(buffer, start, head.length + bodyBytes);
        return;
      }
    }
    const bodyBytes = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    const head = headText(reply, bodyBytes, framing);
    if (headOnly) this.writeText(head, head.length);
    else if (typeof body === 'string') this.writeText(head + body, head.length + bodyBytes);
    else this.writeBytes(Buffer.concat([Buffer.from(head, 'latin1'), body]));
  }

  /** Writes part of a buffer that is reused afterwards. */
  writePart(bytes: Buffer, start: number, length: number): void {
    if (this.#unsent !== undefined) {
      this.writeBytes(Buffer.from(bytes.subarray(start, start + length)));
      return;
    }
    const accepted = Math.max(0, this.#wire.writePart(bytes, start, length));
    if (accepted < length) this.#keep(Buffer.from(bytes.subarray(start + accepted, start + length)));
  }

  writeBytes(bytes: Buffer): void {
    if (this.#unsent !== undefined) {
      this.#keep(Buffer.concat([this.#unsent, bytes]));
      return;
    }
    const accepted = Math.max(0, this.#wire.write(bytes));
    if (accepted < bytes.length) this.#keep(bytes.subarray(accepted));
  }

  /** Retries what the socket did not accept; returns whether it accepted any of it. */
  retry(): boolean {
    const unsent = this.#unsent;
    if (unsent === undefined) return false;
    const accepted = Math.max(0, this.#wire.write(unsent));
    if (accepted < unsent.length) this.#keep(unsent.subarray(accepted));
    else {
      this.#unsent = undefined;
      this.#hold();
    }
    return accepted > 0;
  }

  /** Calls the callback of {@link whenDrained} once everything has been accepted. */
  notify(): void {
    if (this.#unsent !== undefined) return;
    const next = this.#whenDrained;
    this.#whenDrained = undefined;
    next?.();
  }

  /** Calls `next` once everything written has been accepted; at most one caller waits at a time. */
  whenDrained(next: () => void): void {
    if (this.#unsent === undefined) next();
    else this.#whenDrained = next;
  }

  /** Drops unsent bytes, because the socket is gone, and calls the waiting callback. */
  close(): void {
    this.#unsent = undefined;
    this.#following = 0;
    this.#hold();
    this.notify();
  }

  /** Accounts for bytes of the response that the connection holds besides those already written. */
  holdFollowing(bytes: number): void {
    this.#following = bytes;
    this.#hold();
  }

  /** Keeps bytes for a client that reads slowly. */
  #keep(bytes: Buffer): void {
    this.#unsent = bytes;
    this.#hold();
  }

  #hold(): void {
    const bytes = this.#following + (this.#unsent?.length ?? 0);
    if (bytes > 0) this.#account ??= this.#budget.open(() => this.#wire.terminate());
    this.#account?.hold(bytes);
  }
}

/** Writes a body to the buffer, and returns its bytes. */
function writeParts([text, end]: TextOptions): number {
  const bytes = buffer.write(text, HEAD_BYTES);
  buffer[HEAD_BYTES + bytes] = end.charCodeAt(0);
  return bytes + 1;
}

const NO_STORE = 'Cache-Control: no-store\r\n';

/**
 * Header lines of every response: caches store none, unless it says otherwise, and browsers do not guess a media type
 * other than the declared one.
 */
export const SAFETY_HEADERS = `${NO_STORE}X-Content-Type-Options: nosniff\r\n`;

const REASONS: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  204: 'No Content',
  304: 'Not Modified',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

/** Heads of typical responses are cached for bodies up to this size. */
const KEPT_HEADS_BYTES = 512;

/** The header lines common to all responses within one second. */
export class CommonLines {
  /** Each with its line end. */
  readonly text: string;
  /** The head of a typical response up to the value of Content-Length: most responses differ only in that. */
  readonly #start: string;
  /** Complete heads by body size, as far as they have been used. */
  readonly #heads: Array<string | undefined> = [];

  /** The common lines are `headerLines`, each with its line end, and the Date header. */
  constructor(headerLines: string, date: string) {
    this.text = `${headerLines}Date: ${date}\r\n`;
    this.#start = `HTTP/1.1 200 OK\r\nContent-Type: ${JSON_TYPE}\r\n${this.text}Content-Length: `;
  }

  /** Returns the head of a typical response, or of one with additional header lines. */
  usualHead(bodyBytes: number, more?: string): string {
    if (more !== undefined) return `${this.#start}${bodyBytes}\r\n${more}\r\n`;
    return this.#heads[bodyBytes] ?? this.#createHead(bodyBytes);
  }

  #createHead(bodyBytes: number): string {
    const head = `${this.#start}${bodyBytes}\r\n\r\n`;
    if (bodyBytes > KEPT_HEADS_BYTES) return head;
    while (this.#heads.length < bodyBytes) this.#heads.push(undefined);
    // A copy is a single piece, whereas the runtime keeps a concatenated string as its parts.
    this.#heads[bodyBytes] = Buffer.from(head, 'latin1').toString('latin1');
    return head;
  }
}

/** Protocol version and fate of the connection, as stated in the response head. */
export interface Framing {
  readonly minor: 0 | 1;
  /** Both the client and the service keep the connection open. */
  readonly keep: boolean;
  readonly lines: CommonLines;
}

/** Returns the head of a response whose body has `bodyBytes`; if undefined, the body is sent in chunks. */
export function headText(reply: Reply, bodyBytes: number | undefined, framing: Framing): string {
  const { minor, keep, lines } = framing;
  const { extra } = reply;
  const keepsLines = extra?.['Cache-Control'] === undefined;
  const isUsual = reply.status === 200 && reply.type === JSON_TYPE && keepsLines && keep && minor === 1;
  if (isUsual && bodyBytes !== undefined) return lines.usualHead(bodyBytes, extra && extraLines(extra));
  let text = `HTTP/1.1 ${reply.status} ${REASONS[reply.status] ?? ''}\r\n`;
  if (reply.type !== undefined) text += `Content-Type: ${reply.type}\r\n`;
  if (extra !== undefined) text += extraLines(extra);
  if (bodyBytes === undefined) text += minor === 1 ? 'Transfer-Encoding: chunked\r\n' : '';
  else if (reply.status !== 204 && reply.status !== 304) text += `Content-Length: ${bodyBytes}\r\n`;
  if (!keep) text += 'Connection: close\r\n';
  else if (minor === 0) text += 'Connection: keep-alive\r\n';
  const common = keepsLines ? lines.text : lines.text.replace(NO_STORE, '');
  return `${text}${common}\r\n`;
}

function extraLines(extra: ExtraHeaders): string {
  let text = '';
  for (const name in extra) text += `${name}: ${extra[name]}\r\n`;
  return text;
}
