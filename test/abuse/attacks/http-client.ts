/** An HTTP client that sends bytes unchanged and accepts only valid answers. */

/** One answer. Interim answers (100 Continue) are not counted. */
export interface WireAnswer {
  readonly status: number;
  readonly body: string;
}

/** The answers of one connection, and the problem with them, if any. */
export interface Exchange {
  readonly answers: readonly WireAnswer[];
  /** The first violation of HTTP, or of JSON where JSON is announced; undefined if none. */
  readonly invalid: string | undefined;
  /** The connection was refused, or ended without an answer. */
  readonly unanswered: boolean;
  /** Time from the last byte sent to the end of the exchange, in milliseconds. */
  readonly elapsedMs: number;
}

export interface SendOptions {
  /** Number of answers after which the exchange is over. Default 1. */
  readonly answers?: number;
  /** Time after which the client disconnects, in milliseconds; if undefined, after the answers have arrived. */
  readonly leaveAfterMs?: number;
  /** Pause between chunks, in milliseconds. */
  readonly pauseMs?: number;
  /** The methods of the requests, if one is HEAD: its answer has no body. */
  readonly methods?: readonly string[];
  /** Closes the sending side when everything has been sent. */
  readonly halfClose?: boolean;
}

/** Sends chunks on one connection and reads the answers. Never rejects. */
export async function send(port: number, chunks: Iterable<Uint8Array>, options: SendOptions = {}): Promise<Exchange> {
  const reader = new AnswerReader(options.methods ?? []);
  const wanted = options.answers ?? 1;
  const over = Promise.withResolvers<void>();
  const isOver = () => reader.answers.length >= wanted || reader.invalid !== undefined;
  let open = true;
  let drained = Promise.withResolvers<void>();
  const close = () => {
    open = false;
    over.resolve();
    drained.resolve();
  };
  let sentMs = performance.now();
  const result = (): Exchange => ({
    answers: reader.answers,
    invalid: reader.invalid ?? (options.leaveAfterMs === undefined ? reader.rest() : undefined),
    unanswered: reader.answers.length === 0,
    elapsedMs: performance.now() - sentMs,
  });
  let socket: Bun.Socket;
  try {
    socket = await Bun.connect({
      hostname: '127.0.0.1',
      port,
      allowHalfOpen: true,
      socket: {
        data(_socket, bytes) {
          reader.take(bytes);
          if (isOver()) over.resolve();
        },
        drain() {
          drained.resolve();
          drained = Promise.withResolvers<void>();
        },
        end: close,
        close,
        error: close,
      },
    });
  } catch {
    return result();
  }
  const leave = options.leaveAfterMs === undefined ? undefined : setTimeout(close, options.leaveAfterMs);
  for (const chunk of chunks) {
    for (let at = 0; at < chunk.length && open && !isOver(); ) {
      const taken = socket.write(chunk.subarray(at));
      if (taken < 0) close();
      at += Math.max(0, taken);
      if (at < chunk.length && open) await drained.promise;
    }
    if (!open || isOver()) break;
    if (options.pauseMs !== undefined) await Promise.race([Bun.sleep(options.pauseMs), over.promise]);
  }
  socket.flush();
  sentMs = performance.now();
  if (options.halfClose === true && open) socket.shutdown();
  await over.promise;
  clearTimeout(leave);
  socket.terminate();
  return result();
}

/** Splits bytes into answers and checks each strictly. */
export class AnswerReader {
  readonly answers: WireAnswer[] = [];
  invalid: string | undefined;
  readonly #methods: readonly string[];
  #parts: Buffer[] = [];
  #held = 0;
  #needed = 1;

  constructor(methods: readonly string[]) {
    this.#methods = methods;
  }

  take(bytes: Uint8Array): void {
    // The socket overwrites these bytes later.
    this.#parts.push(Buffer.from(bytes));
    this.#held += bytes.length;
    if (this.#held < this.#needed) return;
    let rest: Buffer = Buffer.concat(this.#parts);
    while (this.invalid === undefined) {
      const end = this.#readOne(rest);
      if (end === undefined) break;
      rest = rest.subarray(end);
      this.#needed = 1;
    }
    this.#parts = rest.length === 0 ? [] : [rest];
    this.#held = rest.length;
  }

  /** Returns the problem if the connection ends now. */
  rest(): string | undefined {
    return this.#held === 0 ? undefined : `the connection ended inside an answer: ${Buffer.concat(this.#parts)}`;
  }

  #readOne(bytes: Buffer): number | undefined {
    const headEnd = bytes.indexOf('\r\n\r\n');
    if (headEnd < 0) {
      if (bytes.length > 16_384) this.invalid = 'an answer without an end of its head';
      return undefined;
    }
    const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) [\x20-\x7e]*$/.exec(statusLine)?.[1]);
    const headers = new Map<string, string>();
    for (const line of lines) {
      const [, name, value] = /^([\w-]+): ([\x20-\x7e]*)$/.exec(line) ?? [];
      if (name === undefined || value === undefined || headers.has(name.toLowerCase())) this.invalid = line;
      else headers.set(name.toLowerCase(), value);
    }
    if (Number.isNaN(status)) this.invalid = `no status line: ${statusLine.slice(0, 200)}`;
    if (this.invalid !== undefined) return undefined;
    const start = headEnd + 4;
    if (status === 100) return start;
    const isHead = this.#methods[this.answers.length] === 'HEAD';
    const framed = isHead || status === 204 ? { body: '', end: start } : this.#readBody(bytes, start, headers);
    if (framed === undefined) return undefined;
    if (!isHead) this.#checkJson(headers.get('content-type'), framed.body);
    this.answers.push({ status, body: framed.body });
    return framed.end;
  }

  #readBody(bytes: Buffer, start: number, headers: ReadonlyMap<string, string>) {
    const length = headers.get('content-length');
    if (headers.get('transfer-encoding') === 'chunked' && length === undefined) return this.#readChunks(bytes, start);
    if (length === undefined || !/^\d+$/.test(length)) {
      this.invalid = 'an answer without a length';
      return undefined;
    }
    const end = start + Number(length);
    this.#needed = end;
    return end > bytes.length ? undefined : { body: bytes.toString('utf8', start, end), end };
  }

  #readChunks(bytes: Buffer, start: number): { readonly body: string; readonly end: number } | undefined {
    const parts: Buffer[] = [];
    for (let at = start; ; ) {
      const lineEnd = bytes.indexOf('\r\n', at);
      if (lineEnd < 0) return undefined;
      const digits = bytes.toString('latin1', at, lineEnd);
      const size = Number.parseInt(digits, 16);
      const end = lineEnd + 2 + size;
      if (!/^[0-9a-f]{1,8}$/.test(digits)) this.invalid = `a chunk of size ${digits.slice(0, 20)}`;
      if (this.invalid !== undefined || bytes.length < end + 2) return undefined;
      if (bytes.toString('latin1', end, end + 2) !== '\r\n') this.invalid = 'a chunk longer than its size';
      if (size === 0) return { body: Buffer.concat(parts).toString('utf8'), end: end + 2 };
      parts.push(bytes.subarray(lineEnd + 2, end));
      at = end + 2;
    }
  }

  #checkJson(type: string | undefined, body: string): void {
    if (type?.startsWith('application/json') !== true) return;
    try {
      JSON.parse(body);
    } catch {
      this.invalid = `no JSON: ${body.slice(0, 200)}`;
    }
  }
}
