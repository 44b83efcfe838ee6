/** An answer before it is sent, and the text of its head. */

/** Additional headers: those of allowed origins and of rejections. */
export type ExtraHeaders = Readonly<Record<string, string>>;

export interface Reply {
  readonly status: number;
  /** Media type of the body; undefined: no body at all. */
  readonly type: string | undefined;
  readonly body: string | Uint8Array | AsyncIterable<string | Uint8Array>;
  /** The body may be compressed: it holds no credential, whose text its compressed length could reveal (BREACH). */
  readonly compressible: boolean;
  readonly extra: ExtraHeaders | undefined;
  /** Bytes that the source of the chunks holds until the client has read them. Absent: few. */
  readonly heldBytes?: number;
  /** Close the connection afterwards, because bytes of the request may still be on their way. */
  readonly close: boolean;
}

/** Returns whether a body is complete. */
export function isWhole(body: Reply['body']): body is string | Uint8Array {
  return typeof body === 'string' || body instanceof Uint8Array;
}

export const JSON_TYPE = 'application/json;charset=utf-8';

const NO_STORE = 'Cache-Control: no-store\r\n';

/**
 * Header lines of every response: caches keep none, unless it says otherwise, and browsers do not guess another media
 * type than the declared one.
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

/** Heads of usual responses are kept for bodies up to this size. */
const KEPT_HEADS_BYTES = 512;

/** The header lines that all responses of one second have in common. */
export class CommonLines {
  /** Each with its line end. */
  readonly text: string;
  /** The head of a usual response up to the value of Content-Length: most responses differ from it by that alone. */
  readonly #start: string;
  /** Whole heads by the size of the body, as far as they have been used. */
  readonly #heads: Array<string | undefined> = [];

  /** The common lines are `headerLines`, each with its line end, and the header Date. */
  constructor(headerLines: string, date: string) {
    this.text = `${headerLines}Date: ${date}\r\n`;
    this.#start = `HTTP/1.1 200 OK\r\nContent-Type: ${JSON_TYPE}\r\n${this.text}Content-Length: `;
  }

  /** Returns the head of a usual response. */
  usualHead(bodyBytes: number): string {
    return this.#heads[bodyBytes] ?? this.#createHead(bodyBytes);
  }

  #createHead(bodyBytes: number): string {
    const head = `${this.#start}${bodyBytes}\r\n\r\n`;
    if (bodyBytes > KEPT_HEADS_BYTES) return head;
    while (this.#heads.length < bodyBytes) this.#heads.push(undefined);
    // A copy is one piece, where the runtime keeps a text that was put together as its parts.
    this.#heads[bodyBytes] = Buffer.from(head, 'latin1').toString('latin1');
    return head;
  }
}

/** Protocol version and fate of the connection, as the head of the answer states them. */
export interface Framing {
  readonly minor: 0 | 1;
  /** Both the client and the service keep the connection open. */
  readonly keep: boolean;
  readonly lines: CommonLines;
}

/** Returns the head of an answer whose body has `bodyBytes`; undefined: the body is sent in chunks. */
export function headText(reply: Reply, bodyBytes: number | undefined, framing: Framing): string {
  const { minor, keep, lines } = framing;
  const { extra } = reply;
  const keepsLines = extra?.['Cache-Control'] === undefined;
  const isUsual = reply.status === 200 && reply.type === JSON_TYPE && keepsLines && keep && minor === 1;
  if (isUsual && bodyBytes !== undefined) {
    const usual = lines.usualHead(bodyBytes);
    return extra === undefined ? usual : `${usual.slice(0, -LINE_END.length)}${extraLines(extra)}${LINE_END}`;
  }
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

const LINE_END = '\r\n';

function extraLines(extra: ExtraHeaders): string {
  let text = '';
  for (const name in extra) text += `${name}: ${headerValue(extra[name] ?? '')}${LINE_END}`;
  return text;
}

const BEYOND_PRINTABLE = /[^\x20-\x7e]/;

/** A value can come from a request (an origin): it must not end its line. */
function headerValue(value: string): string {
  return BEYOND_PRINTABLE.test(value) ? value.replace(/[^\x20-\x7e]/g, '') : value;
}
