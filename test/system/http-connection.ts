/** A persistent connection with one request at a time. Unlike `fetch`, it determines the connection of a request. */

export interface HttpAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

export interface HttpConnection {
  /** Sends raw bytes and waits for the response. Rejects if the connection ends first. */
  send(request: string): Promise<HttpAnswer>;
  /** Sends a command as a GET request and returns the parsed envelope. */
  sendCommand(
    query: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ successStatus: number; response: unknown; error: string | null; replayed: boolean }>;
  close(): void;
  /** Resolves when the connection has ended. */
  readonly ended: Promise<void>;
}

interface Waiting {
  readonly resolve: (answer: HttpAnswer) => void;
  readonly reject: (error: Error) => void;
}

/** Opens a connection. `path` is the endpoint's. */
export async function openConnection(port: number, path = '/svc', hostname = '127.0.0.1'): Promise<HttpConnection> {
  let received = Buffer.alloc(0);
  let waiting: Waiting | undefined;
  const ended = Promise.withResolvers<void>();
  const over = (reason: string) => {
    waiting?.reject(new Error(reason));
    waiting = undefined;
    ended.resolve();
  };
  const socket = await Bun.connect({
    hostname,
    port,
    socket: {
      data(_socket, chunk) {
        received = Buffer.concat([received, chunk]);
        const parsed = parseAnswer(received);
        if (parsed === undefined) return;
        received = received.subarray(parsed.length);
        waiting?.resolve(parsed.answer);
        waiting = undefined;
      },
      close: () => over('The connection was closed.'),
      error: (_socket, error) => over(error.message),
    },
  });
  const send = (request: string) =>
    new Promise<HttpAnswer>((resolve, reject) => {
      waiting = { resolve, reject };
      if (socket.write(request) < Buffer.byteLength(request)) reject(new Error('The request was not taken at once.'));
    });
  return {
    send,
    async sendCommand(query, headers = {}) {
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      const answer = await send(`GET ${path}?${query} HTTP/1.1\r\nHost: localhost\r\n${lines.join('')}\r\n`);
      return { ...JSON.parse(answer.body), replayed: answer.headers.get('idempotent-replayed') === 'true' };
    },
    close: () => socket.end(),
    ended: ended.promise,
  };
}

/** Returns the first complete response in the bytes, with its length. */
export function parseAnswer(bytes: Buffer): { readonly answer: HttpAnswer; readonly length: number } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [statusLine = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  const status = Number(statusLine.split(' ')[1]);
  const start = headEnd + 4;
  if (headers.get('transfer-encoding')?.toLowerCase() === 'chunked') {
    const body = parseChunks(bytes, start);
    return body && { answer: { status, headers, body: body.text }, length: body.end };
  }
  const length = Number(headers.get('content-length') ?? 0);
  if (bytes.length < start + length) return undefined;
  const body = bytes.subarray(start, start + length).toString('utf8');
  return { answer: { status, headers, body }, length: start + length };
}

function parseChunks(bytes: Buffer, start: number): { readonly text: string; readonly end: number } | undefined {
  const parts: Buffer[] = [];
  let at = start;
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16);
    const next = lineEnd + 2 + size + 2;
    if (bytes.length < next) return undefined;
    if (size === 0) return { text: Buffer.concat(parts).toString('utf8'), end: next };
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = next;
  }
}
