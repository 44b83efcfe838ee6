/**
 * Reads request heads strictly by RFC 9112: rejects anything that two readers could understand as different requests,
 * so nothing can be smuggled past a proxy in front of the service.
 */
import { gridError } from '../../base/errors.ts';
import { HTTP_BOUNDS } from '../../base/limits.ts';
import { encodeBytes, malformed } from '../parameters.ts';
import { HeadTemplate, trimmed } from './head-template.ts';

/** Values by lower-case name. No member is inherited. */
type HeaderValues = Readonly<Record<string, string>>;

const NOTHING: readonly string[] = [];

/** The headers of a request by lower-case name; repeated ones are joined by commas. */
export class HeaderTable {
  readonly #values: HeaderValues;
  /** Headers with values different from {@link #values}: most are an earlier request's. */
  readonly #changed: readonly string[];
  readonly #changedValues: readonly string[];

  constructor(values: HeaderValues, changed = NOTHING, changedValues = NOTHING) {
    this.#values = values;
    this.#changed = changed;
    this.#changedValues = changedValues;
  }

  get(name: string): string | undefined {
    for (let at = 0; at < this.#changed.length; at++) {
      if (this.#changed[at] === name) return this.#changedValues[at];
    }
    return this.#values[name];
  }

  /** Returns the same headers with different values for some. */
  with(names: readonly string[], values: readonly string[]): HeaderTable {
    return new HeaderTable(this.#values, names, values);
  }
}

export const NO_HEADERS = new HeaderTable(Object.create(null));

export interface RequestLine {
  readonly method: string;
  /** The target without scheme and authority: `/svc?cmd=get`. Bytes beyond ASCII are percent-encoded. */
  readonly target: string;
  /** Authority of an absolute target, which takes precedence over the Host header. */
  readonly authority: string | undefined;
  /** 1 for HTTP/1.1, 0 for HTTP/1.0. */
  readonly minor: 0 | 1;
}

/** The contents of the header lines. Clients repeat them with each request, so a connection keeps the last ones. */
export interface HeaderBlock {
  readonly headers: HeaderTable;
  readonly host: string | undefined;
  readonly contentLength: number | undefined;
  readonly chunked: boolean;
  readonly connection: 'close' | 'keep-alive' | undefined;
  readonly expectsContinue: boolean;
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const NOT_PRINTABLE = /[^\x21-\x7e]/;
const NO_TARGET = /[^\x21-\x7e\x80-\xff]/;
const NO_VALUE = /[\x00-\x08\x0a-\x1f\x7f]/;
const VERSION = /^HTTP\/\d\.\d$/;
const ABSOLUTE = /^https?:\/\/([^/?#]*)(.*)$/i;
const HOST = /^(?:\[[0-9a-fA-F:.]+\]|[0-9A-Za-z\-._~!$&'()*+,;=%]*)(?::\d*)?$/;

/** Reads the first line of a head, which ends before index `end`. Throws REQUEST_MALFORMED. */
export function parseRequestLine(text: string, end: number): RequestLine {
  // Nearly every request begins and ends like this.
  if (text.startsWith('GET /') && text.startsWith(' HTTP/1.1', end - 9)) {
    const target = text.slice(4, end - 9);
    if (!NOT_PRINTABLE.test(target)) return { method: 'GET', target, authority: undefined, minor: 1 };
  }
  return parseAnyLine(text.slice(0, end));
}

function parseAnyLine(line: string): RequestLine {
  const first = line.indexOf(' ');
  const second = line.indexOf(' ', first + 1);
  const version = line.slice(second + 1);
  if (first < 1 || second < 0) throw malformed('the request line must be METHOD TARGET VERSION');
  if (version !== 'HTTP/1.1' && version !== 'HTTP/1.0') {
    throw malformed(VERSION.test(version) ? `${version} is not spoken here` : 'the request line has no version');
  }
  const method = line.slice(0, first);
  if (!TOKEN.test(method)) throw malformed('the method is not a valid token');
  const sent = line.slice(first + 1, second);
  if (NO_TARGET.test(sent) || sent === '') throw malformed('the target contains an invalid character');
  const target = encodeBytes(sent);
  const minor = version === 'HTTP/1.1' ? 1 : 0;
  if (target.charCodeAt(0) === 47) return { method, target, authority: undefined, minor };
  const [, authority, path = ''] = ABSOLUTE.exec(target) ?? [];
  if (authority !== undefined) {
    if (!HOST.test(authority)) throw malformed('the target has no valid host');
    return { method, target: path.startsWith('/') ? path : `/${path}`, authority, minor };
  }
  if (target === '*' || method === 'CONNECT') return { method, target, authority: undefined, minor };
  throw malformed('the target is not a path');
}

/** Reads the header lines; each ends with CRLF. Throws REQUEST_MALFORMED. */
export function parseHeaderBlock(text: string, minor: 0 | 1): HeaderBlock {
  const headers: Record<string, string> = Object.create(null);
  let lines = 0;
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\r\n', at);
    if (++lines > HTTP_BOUNDS.headerLines) throw malformed(`more than ${HTTP_BOUNDS.headerLines} header lines`);
    const colon = text.indexOf(':', at);
    if (colon < 0 || colon > end) throw malformed('a header line has no colon');
    const name = text.slice(at, colon).toLowerCase();
    // Also rejects blanks before the colon, and lines that continue the previous one.
    if (!TOKEN.test(name)) throw malformed('a header name is invalid');
    const value = trimmed(text, colon + 1, end);
    if (NO_VALUE.test(value)) throw malformed(`the header ${name} contains an invalid character`);
    const former = headers[name];
    if (former === undefined) headers[name] = value;
    else if (ONCE.has(name)) throw malformed(`the header ${name} occurs twice`);
    else headers[name] = `${former}, ${value}`;
    at = end + 2;
  }
  return { headers: new HeaderTable(headers), ...framing(headers, minor) };
}

/** Fields that must not come after a body (RFC 9110, 6.5.1): framing, routing, credentials and content. */
const NO_TRAILERS: ReadonlySet<string> = new Set([
  'authorization',
  'connection',
  'content-encoding',
  'content-length',
  'content-range',
  'content-type',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'max-forwards',
  'origin',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-signature',
]);

/** Checks one trailer line, without its CRLF. Throws REQUEST_MALFORMED. */
export function checkTrailer(line: string): void {
  const colon = line.indexOf(':');
  if (colon < 0) throw malformed('a trailer line has no colon');
  const name = line.slice(0, colon).toLowerCase();
  if (!TOKEN.test(name)) throw malformed('a trailer name is invalid');
  if (NO_TRAILERS.has(name)) throw malformed(`the header ${name} is not allowed after the body`);
  if (NO_VALUE.test(line)) throw malformed(`the trailer ${name} contains an invalid character`);
}

/** Returns the number in the Content-Length header. Throws REQUEST_MALFORMED. */
function contentLengthOf(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^\d{1,15}$/.test(value)) throw malformed('the header Content-Length is not a number');
  return Number(value);
}

/** Headers that would make it ambiguous which of two counts. */
const ONCE: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'content-type',
  'authorization',
]);

function framing(headers: HeaderValues, minor: 0 | 1): Omit<HeaderBlock, 'headers'> {
  const host = headers.host;
  if (host === undefined ? minor === 1 : !HOST.test(host)) {
    throw malformed(host === undefined ? 'the header Host is missing' : 'the header Host is invalid');
  }
  const contentLength = contentLengthOf(headers['content-length']);
  const coding = headers['transfer-encoding'];
  if (coding !== undefined) {
    if (contentLength !== undefined) throw malformed('Content-Length and Transfer-Encoding cannot be combined');
    if (minor === 0) throw malformed('HTTP/1.0 does not support Transfer-Encoding');
    if (coding.toLowerCase() !== 'chunked') throw malformed('the only supported Transfer-Encoding is chunked');
  }
  const expect = headers.expect;
  if (expect !== undefined && expect.toLowerCase() !== '100-continue')
    throw malformed('the header Expect must be 100-continue');
  return {
    host,
    contentLength,
    chunked: coding !== undefined,
    connection: connectionOf(headers.connection),
    expectsContinue: expect !== undefined && minor === 1,
  };
}

function connectionOf(header: string | undefined): HeaderBlock['connection'] {
  if (header === undefined) return undefined;
  const words = header.toLowerCase().split(',');
  if (words.some((word) => word.trim() === 'close')) return 'close';
  return words.some((word) => word.trim() === 'keep-alive') ? 'keep-alive' : undefined;
}

/** Returns whether the client wants to send more requests over the connection. */
export function wantsKeepAlive(minor: 0 | 1, { connection }: HeaderBlock): boolean {
  return minor === 1 ? connection !== 'close' : connection === 'keep-alive';
}

const LINE_FEED = 10;

const CARRIAGE_RETURN = 13;

/** Reports whether a line of an incomplete head ends in a bare LF. Such a head is rejected regardless of the rest. */
function hasBareLineFeed(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) {
    if (bytes[at - 1] !== CARRIAGE_RETURN) return true;
  }
  return false;
}

const HEAD_END = Buffer.from('\r\n\r\n');

/** A head and its end. */
export interface ParsedHead {
  readonly line: RequestLine;
  readonly block: HeaderBlock;
  readonly headBytes: number;
}

/** The header lines of a request. */
interface ParsedLines {
  readonly text: string;
  readonly minor: 0 | 1;
  readonly block: HeaderBlock;
}

/** The header lines parsed last on any connection: similar clients send the same, and share one block. */
let lastParsed: ParsedLines | undefined;

/** After this many different heads in a row, a connection's requests are assumed to have nothing in common. */
const ATTEMPTS = 8;

/** Finds and parses the request heads of one connection. */
export class HeadParser {
  readonly #limitBytes: number;
  // A client that alternates reads and writes sends the lines about a body with every other request.
  readonly #withoutBody = new HeaderLines();
  readonly #withBody = new HeaderLines();

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /**
   * Parses the head at the start of the bytes; returns undefined if it is incomplete. Throws HEAD_TOO_LARGE,
   * REQUEST_MALFORMED.
   */
  parse(bytes: Buffer): ParsedHead | undefined {
    const end = bytes.indexOf(HEAD_END);
    if (end < 0 || end > this.#limitBytes) {
      if (bytes.length > this.#limitBytes) throw gridError('HEAD_TOO_LARGE', this.#limitBytes);
      // A client that ends its last lines in LF would wait forever.
      if (end < 0 && hasBareLineFeed(bytes)) throw malformed('a line of the head ends in LF alone, and not in CRLF');
      return undefined;
    }
    const text = bytes.toString('latin1', 0, end + 2);
    const lineEnd = text.indexOf('\r\n');
    const line = parseRequestLine(text, lineEnd);
    const lines = WITHOUT_BODY.has(line.method) ? this.#withoutBody : this.#withBody;
    return { line, block: lines.blockOf(text, lineEnd + 2, line.minor), headBytes: end + HEAD_END.length };
  }
}

/** Methods whose requests usually have no body. */
const WITHOUT_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE']);

/** Parses the header lines of requests, which most clients repeat. */
class HeaderLines {
  /** The lines of the last request. */
  #previous: ParsedLines | undefined;
  /** The repeated part, if some values change with each request. */
  #template: HeadTemplate | undefined;
  #attempts = ATTEMPTS;

  /** Returns the block of the lines from `start` on. Throws REQUEST_MALFORMED. */
  blockOf(text: string, start: number, minor: 0 | 1): HeaderBlock {
    const previous = this.#previous;
    if (previous === undefined || previous.minor !== minor) {
      this.#template = undefined;
      return this.#parse(text.slice(start), minor);
    }
    if (previous.text.length === text.length - start && text.endsWith(previous.text)) return previous.block;
    const known = this.#template;
    const values = known?.read(text, start);
    if (known !== undefined && values !== undefined) return withValues(previous.block, known.names, values);
    const lines = text.slice(start);
    this.#template = undefined;
    const block = this.#parse(lines, minor);
    if (this.#attempts === 0) return block;
    this.#template = HeadTemplate.of(previous.text, lines, known);
    this.#attempts = this.#template === undefined ? this.#attempts - 1 : ATTEMPTS;
    return block;
  }

  #parse(text: string, minor: 0 | 1): HeaderBlock {
    const known = lastParsed?.text === text && lastParsed.minor === minor ? lastParsed : undefined;
    const parsed = known ?? { text, minor, block: parseHeaderBlock(text, minor) };
    lastParsed = parsed;
    this.#previous = parsed;
    return parsed.block;
  }
}

/**
 * Returns a block with different values for some headers; everything that depends on other headers stays. Throws
 * REQUEST_MALFORMED.
 */
function withValues(block: HeaderBlock, names: readonly string[], values: readonly string[]): HeaderBlock {
  const { headers, host, contentLength, chunked, connection, expectsContinue } = block;
  const lengthAt = names.indexOf('content-length');
  const length = lengthAt < 0 ? contentLength : contentLengthOf(values[lengthAt]);
  return { headers: headers.with(names, values), host, contentLength: length, chunked, connection, expectsContinue };
}
