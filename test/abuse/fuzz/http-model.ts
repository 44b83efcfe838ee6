/**
 * A second, simple reader of HTTP requests, written from RFC 9112 for whole streams. The fuzzers compare the service's
 * reader with it, because request smuggling needs two readers that see different requests.
 */

export interface ModelRequest {
  readonly method: string;
  readonly target: string;
  /** One byte a character. */
  readonly body: string;
}

export interface ModelStream {
  readonly requests: readonly ModelRequest[];
  /** How the stream ends: every byte was read, a request is incomplete, one was rejected, or one closes. */
  readonly end: 'complete' | 'partial' | 'rejected' | 'closed';
}

export interface ModelLimits {
  readonly headBytes: number;
  readonly bodyBytes: number;
}

class Rejected extends Error {}
class Partial extends Error {}

const TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
const REQUEST_LINE = new RegExp(`^(${TOKEN}) ([\\x21-\\x7e\\x80-\\xff]+) HTTP/1\\.([01])$`);
const FIELD = new RegExp(`^(${TOKEN}):[ \\t]*((?:[\\x20-\\x7e\\x80-\\xff\\t]*[\\x21-\\x7e\\x80-\\xff])?)[ \\t]*$`);
const HOST = /^(?:\[[0-9a-fA-F:.]+\]|[0-9A-Za-z\-._~!$&'()*+,;=%]*)(?::[0-9]*)?$/;
const SINGLE = ['host', 'content-length', 'transfer-encoding', 'content-type', 'authorization'];
const MAX_FIELDS = 200;
const MAX_CHUNK_LINE = 1_024;
/** The form of a line between chunks, and of the beginning of one. */
const CHUNK_LINE = /^([0-9a-fA-F]{1,8})[ \t]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/;
const CHUNK_LINE_BEGIN = /^(?:|[0-9a-fA-F]{1,8}[ \t]*(?:;[\t\x20-\x7e\x80-\xff]*)?\r?)$/;
const CHUNK_END_BEGIN = /^\r?$/;
/** Fields that must not follow a body; the others of the list are never generated. */
const NO_TRAILERS = /^(?:content-length|transfer-encoding|host|authorization|content-type|connection|expect|cookie):/i;
const MAX_TRAILER = 16 * 1_024;

/** Reads a stream with one byte per character. */
export function readModelStream(stream: string, limits: ModelLimits): ModelStream {
  const requests: ModelRequest[] = [];
  let at = 0;
  try {
    while (at < stream.length) {
      if (stream.startsWith('\r\n', at)) {
        at += 2;
        continue;
      }
      const { request, end, closes } = readRequest(stream, at, limits);
      requests.push(request);
      if (closes) return { requests, end: 'closed' };
      at = end;
    }
    return { requests, end: 'complete' };
  } catch (error) {
    if (error instanceof Rejected) return { requests, end: 'rejected' };
    if (error instanceof Partial) return { requests, end: 'partial' };
    throw error;
  }
}

interface Read {
  readonly request: ModelRequest;
  readonly end: number;
  readonly closes: boolean;
}

function readRequest(stream: string, start: number, limits: ModelLimits): Read {
  const headEnd = stream.indexOf('\r\n\r\n', start);
  if (headEnd < 0 || headEnd - start > limits.headBytes) {
    const hasBareLineFeed = headEnd < 0 && /(?<!\r)\n/.test(stream.slice(start));
    throw hasBareLineFeed || stream.length - start > limits.headBytes ? new Rejected() : new Partial();
  }
  const [line = '', ...fieldLines] = stream.slice(start, headEnd).split('\r\n');
  const [, method, rawTarget, minor] = REQUEST_LINE.exec(line) ?? [];
  if (method === undefined || rawTarget === undefined || minor === undefined) throw new Rejected();
  const target = targetOf(method, encoded(rawTarget));
  const fields = fieldsOf(fieldLines);
  const host = fields.get('host');
  if (host === undefined ? minor === '1' : !HOST.test(host)) throw new Rejected();
  const expect = fields.get('expect');
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') throw new Rejected();
  const { body, end } = readBody(stream, headEnd + 4, fields, minor, limits);
  const options = (fields.get('connection') ?? '')
    .toLowerCase()
    .split(',')
    .map((each) => each.trim());
  const closes = options.includes('close') || (minor === '0' && !options.includes('keep-alive'));
  return { request: { method, target, body }, end, closes };
}

/** Returns a target whose bytes beyond ASCII are percent codes. */
function encoded(target: string): string {
  return [...target].map((each) => (each < '\x80' ? each : `%${each.charCodeAt(0).toString(16)}`)).join('');
}

function targetOf(method: string, target: string): string {
  if (target.startsWith('/') || target === '*') return target;
  const [, authority, path = ''] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(target) ?? [];
  if (authority !== undefined) {
    if (!HOST.test(authority)) throw new Rejected();
    return path.startsWith('/') ? path : `/${path}`;
  }
  if (method === 'CONNECT') return target;
  throw new Rejected();
}

function fieldsOf(lines: readonly string[]): Map<string, string> {
  const fields = new Map<string, string>();
  if (lines.length > MAX_FIELDS) throw new Rejected();
  for (const line of lines) {
    const [, name, value] = FIELD.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new Rejected();
    const key = name.toLowerCase();
    const former = fields.get(key);
    if (former !== undefined && SINGLE.includes(key)) throw new Rejected();
    fields.set(key, former === undefined ? value : `${former}, ${value}`);
  }
  return fields;
}

function readBody(
  stream: string,
  start: number,
  fields: ReadonlyMap<string, string>,
  minor: string,
  limits: ModelLimits,
): { readonly body: string; readonly end: number } {
  const coding = fields.get('transfer-encoding');
  const length = fields.get('content-length');
  if (length !== undefined && !/^[0-9]{1,15}$/.test(length)) throw new Rejected();
  if (coding !== undefined) {
    if (length !== undefined || minor === '0' || coding.toLowerCase() !== 'chunked') throw new Rejected();
    return readChunks(stream, start, limits);
  }
  const end = start + Number(length ?? 0);
  if (end - start > limits.bodyBytes) throw new Rejected();
  if (end > stream.length) throw new Partial();
  return { body: stream.slice(start, end), end };
}

function readChunks(stream: string, start: number, limits: ModelLimits): { body: string; end: number } {
  let body = '';
  let declared = 0;
  let at = start;
  for (;;) {
    const sizeLine = lineAt(stream, at, CHUNK_LINE_BEGIN);
    at += sizeLine.length + 2;
    const size = CHUNK_LINE.exec(sizeLine)?.[1];
    if (size === undefined) throw new Rejected();
    const bytes = Number.parseInt(size, 16);
    declared += bytes;
    if (declared > limits.bodyBytes) throw new Rejected();
    if (bytes === 0) break;
    if (at + bytes > stream.length) throw new Partial();
    body += stream.slice(at, at + bytes);
    at += bytes;
    if (lineAt(stream, at, CHUNK_END_BEGIN) !== '') throw new Rejected();
    at += 2;
  }
  let trailerBytes = 0;
  for (;;) {
    const line = lineAt(stream, at);
    at += line.length + 2;
    trailerBytes += line.length;
    if (trailerBytes > MAX_TRAILER) throw new Rejected();
    if (line === '') return { body, end: at };
    if (!FIELD.test(line) || NO_TRAILERS.test(line)) throw new Rejected();
  }
}

/** Returns the line that begins at an index, without its CRLF. `begin`: what a line that has not ended may be. */
function lineAt(stream: string, start: number, begin?: RegExp): string {
  const lineFeed = stream.indexOf('\n', start);
  const end = lineFeed < 0 ? stream.length : lineFeed + 1;
  if (end - start > MAX_CHUNK_LINE) throw new Rejected();
  if (lineFeed < 0) throw begin?.test(stream.slice(start)) === false ? new Rejected() : new Partial();
  if (stream[lineFeed - 1] !== '\r' || lineFeed === start) throw new Rejected();
  return stream.slice(start, lineFeed - 1);
}
