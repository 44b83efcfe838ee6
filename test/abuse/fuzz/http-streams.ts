/** Generates HTTP request streams: valid ones, malformed ones, and those that request smuggling uses. */
import type { Random } from '../../simulation/random.ts';
import { anyBytes, damage, oneIn, several } from './mutations.ts';

const METHODS = ['GET', 'POST', 'PUT', 'HEAD', 'DELETE', 'OPTIONS', 'BREW', 'get', 'P(ST', ''] as const;
const TARGETS = [
  '/svc',
  '/svc?cmd=version',
  '/svc?cmd=get&key=a',
  '/health/live',
  '/svc/',
  '/openapi.jso',
  '*',
] as const;
const ODD_TARGETS = [
  'http://a/svc',
  'http://a b/',
  'a:80',
  'svc',
  '/a\tb',
  '/\x00',
  '/%zz?%zz',
  'https://[::1]:1/svc?x',
] as const;
const VERSIONS = [
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.0',
  'HTTP/2.0',
  'HTTP/0.9',
  'http/1.1',
  'HTTP/1.1 ',
] as const;
const HOSTS = ['Host: localhost', 'Host:a', 'HOST: [::1]:80', 'Host: a b', 'Host: ', 'Host: a\r\nHost: a'] as const;
const FIELDS = [
  'Accept: */*',
  'X-A:  b \t',
  'X-Empty:',
  'Connection: keep-alive',
  'Connection: close',
  'Connection: x, Close',
  'Expect: 100-continue',
  'Expect: 200-ok',
  'Content-Type: application/x-www-form-urlencoded',
  'Content-Type: application/json',
  'Authorization: Basic YTpi',
  'X-Folded: a\r\n b',
  'X Space: a',
  'X-Space : a',
  ': no name',
  'no colon',
  'X-\x01: a',
  'X-A: \x00',
  'X-\xe9: a',
  'X-A: \xe9',
] as const;
const LENGTHS = [
  '+5',
  '-1',
  '5, 5',
  '0x5',
  '5 5',
  '',
  '00000000000000000005',
  '9007199254740993',
  '5;',
  '\xd9\xa5',
] as const;
const CODINGS = [
  'chunked',
  'Chunked',
  'chunked, chunked',
  'gzip, chunked',
  'chunked ',
  'x chunked',
  'identity',
  '\x0bchunked',
  '"chunked"',
] as const;
const SIZE_ENDS = ['', '', '', '', ';a=b', ' ;a="x"', '\t', ' ', ';\x01', '\n', '\r'] as const;
const FRAGMENTS = [
  '\r\n',
  '\n',
  '\r',
  ' ',
  '\t',
  ':',
  '\0',
  '0\r\n\r\n',
  '\r\n\r\n',
  'GET /svc HTTP/1.1\r\nHost: a\r\n\r\n',
  'Content-Length: 5\r\n',
  'Transfer-Encoding: chunked\r\n',
  '\xff',
  '%',
  'x',
] as const;

/** Returns a stream of requests, one character per byte. Most are complete, some are damaged. */
export function generateStream(random: Random): string {
  const stream = several(random, 1, 3, () => request(random)).join(oneIn(random, 12) ? '\r\n' : '');
  if (oneIn(random, 40)) return anyBytes(random, 60);
  return oneIn(random, 3) ? damage(random, stream, FRAGMENTS) : stream;
}

function request(random: Random): string {
  const odd = oneIn(random, 10);
  const method = odd ? random.pick(METHODS) : random.pick(['GET', 'POST', 'POST', 'PUT', 'HEAD']);
  const target = oneIn(random, 12) ? random.pick(ODD_TARGETS) : random.pick(TARGETS);
  const version = oneIn(random, 8) ? random.pick(VERSIONS) : 'HTTP/1.1';
  const lines: string[] = [oneIn(random, 10) ? random.pick(HOSTS) : 'Host: localhost'];
  for (let left = random.below(3); left > 0; left--) {
    lines.push(oneIn(random, 3) ? random.pick(FIELDS) : random.pick([FIELDS[0], FIELDS[8], FIELDS[9]]));
  }
  const body = bodyOf(random);
  const framed = framing(random, body);
  lines.splice(random.below(lines.length + 1), 0, ...framed.lines);
  return `${method} ${target} ${version}\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n${framed.bytes}`;
}

function bodyOf(random: Random): string {
  return oneIn(random, 4)
    ? anyBytes(random, 30)
    : random.pick(['', 'a=1', 'cmd=version', '{"cmd":"version"}', '0\r\n\r\n']);
}

function framing(random: Random, body: string): { readonly lines: string[]; readonly bytes: string } {
  const length = `Content-Length: ${body.length}`;
  switch (random.below(12)) {
    case 0:
      return { lines: [], bytes: '' };
    case 1:
      return { lines: [`Content-Length: ${random.pick(LENGTHS)}`], bytes: body };
    case 2:
      return { lines: [length, length], bytes: body };
    case 3:
      return { lines: [length, 'Transfer-Encoding: chunked'], bytes: chunks(random, body) };
    case 4:
      return { lines: [`Transfer-Encoding: ${random.pick(CODINGS)}`], bytes: chunks(random, body) };
    case 5:
      return { lines: [`Content-Length: ${body.length + 1 + random.below(3)}`], bytes: body };
    case 6:
    case 7:
    case 8:
      return { lines: ['Transfer-Encoding: chunked'], bytes: chunks(random, body) };
    default:
      return { lines: [length], bytes: body };
  }
}

const TRAILERS = ['', '', '', 'X: y\r\n', 'no colon\r\n', 'Content-Length: 3\r\n', ' x: y\r\n', 'X: \x00\r\n'] as const;

function chunks(random: Random, body: string): string {
  let text = '';
  for (let at = 0; at < body.length; ) {
    const size = Math.min(body.length - at, 1 + random.below(8));
    const digits = size.toString(16);
    const written = oneIn(random, 12)
      ? random.pick([`0${digits}`, `000000000${digits}`, `-${digits}`, `0x${digits}`])
      : digits;
    text += `${written}${oneIn(random, 6) ? random.pick(SIZE_ENDS) : ''}\r\n${body.slice(at, at + size)}\r\n`;
    at += size;
  }
  return `${text}0\r\n${random.pick(TRAILERS)}\r\n`;
}
