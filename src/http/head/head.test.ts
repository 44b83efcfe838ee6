import { expect, test } from 'bun:test';
import { type HeaderBlock, type HeaderTable, parseHeaderBlock, parseRequestLine, type RequestLine } from './head.ts';

const LINES: ReadonlyArray<readonly [line: string, expected: Partial<RequestLine>]> = [
  ['GET /svc?cmd=get HTTP/1.1', { method: 'GET', target: '/svc?cmd=get', authority: undefined, minor: 1 }],
  ['POST / HTTP/1.0', { method: 'POST', target: '/', minor: 0 }],
  ['BREW / HTTP/1.1', { method: 'BREW' }],
  ['get / HTTP/1.1', { method: 'get' }],
  ['GET http://a.example:8080/svc?x HTTP/1.1', { target: '/svc?x', authority: 'a.example:8080' }],
  ['GET http://a.example HTTP/1.1', { target: '/', authority: 'a.example' }],
  ['GET http://a.example?x HTTP/1.1', { target: '/?x', authority: 'a.example' }],
  ['GET /a\u00c3\u00bc HTTP/1.1', { target: '/a%c3%bc' }],
  ['GET //svc HTTP/1.1', { target: '//svc' }],
  ['GET /a#b HTTP/1.1', { target: '/a#b' }],
  ['OPTIONS * HTTP/1.1', { target: '*' }],
  ['CONNECT a:80 HTTP/1.1', { method: 'CONNECT', target: 'a:80' }],
];

for (const [line, expected] of LINES) {
  test(`reads ${line}`, () => expect(parseRequestLine(`${line}\r\n`, line.length)).toMatchObject(expected));
}

const WRONG_LINES: ReadonlyArray<readonly [title: string, line: string]> = [
  ['no version', 'GET /'],
  ['nothing but a word', 'GET'],
  ['nothing', ''],
  ['a blank before', ' GET / HTTP/1.1'],
  ['two blanks', 'GET  / HTTP/1.1'],
  ['a blank in the target', 'GET /a b HTTP/1.1'],
  ['a tab', 'GET\t/\tHTTP/1.1'],
  ['another version', 'GET / HTTP/2.0'],
  ['an older version', 'GET / HTTP/0.9'],
  ['a version in small letters', 'GET / http/1.1'],
  ['something behind the version', 'GET / HTTP/1.1 '],
  ['a method that is no word', 'G(T / HTTP/1.1'],
  ['a target that is no path', 'GET svc HTTP/1.1'],
  ['a target that is an address', 'GET a:80 HTTP/1.1'],
  ['a bare line feed', 'GET /a\nb HTTP/1.1'],
  ['a bare carriage return', 'GET /a\rb HTTP/1.1'],
  ['NUL', 'GET /\0 HTTP/1.1'],
  ['a host that is none', 'GET http://a b/ HTTP/1.1'],
  ['a user in the target', 'GET http://u@a/ HTTP/1.1'],
];

for (const [title, line] of WRONG_LINES) {
  test(`rejects a request line with ${title}`, () =>
    expect(() => parseRequestLine(`${line}\r\n`, line.length)).toThrow('Failed to read the request'));
}

type Expected = Partial<Omit<HeaderBlock, 'headers'>> & { readonly headers?: Readonly<Record<string, string>> };

const valuesOf = (headers: HeaderTable, names: readonly string[]) => names.map((name) => [name, headers.get(name)]);

const BLOCKS: ReadonlyArray<readonly [title: string, lines: readonly string[], expected: Expected, minor?: 0]> = [
  [
    'a host',
    ['Host: a.example:80'],
    { host: 'a.example:80', contentLength: undefined, chunked: false, connection: undefined, expectsContinue: false },
  ],
  ['names in any case', ['HOST: a', 'X-a: 1'], { headers: { host: 'a', 'x-a': '1' } }],
  ['blanks around values', ['Host:a', 'X:  1 \t'], { headers: { host: 'a', x: '1' } }],
  ['an empty value', ['Host: a', 'X:'], { headers: { host: 'a', x: '' } }],
  ['a colon in a value', ['Host: a', 'X: 1:2'], { headers: { host: 'a', x: '1:2' } }],
  ['repeated headers', ['Host: a', 'X: 1', 'x: 2'], { headers: { host: 'a', x: '1, 2' } }],
  ['bytes beyond ASCII', ['Host: a', 'X: \u00fc'], { headers: { host: 'a', x: '\u00fc' } }],
  [
    'a name that objects inherit',
    ['Host: a', 'constructor: 1', '__proto__: 2'],
    { headers: Object.fromEntries([...Object.entries({ host: 'a', constructor: '1' }), ['__proto__', '2']]) },
  ],
  ['an empty host', ['Host:'], { host: '' }],
  ['an IPv6 host', ['Host: [::1]:80'], { host: '[::1]:80' }],
  ['a length', ['Host: a', 'Content-Length: 12'], { contentLength: 12 }],
  ['chunks', ['Host: a', 'Transfer-Encoding: Chunked'], { chunked: true }],
  ['close', ['Host: a', 'Connection: TE, Close'], { connection: 'close' }],
  ['keep-alive', ['Host: a', 'Connection: Keep-Alive'], { connection: 'keep-alive' }],
  ['a promise to wait', ['Host: a', 'Expect: 100-Continue'], { expectsContinue: true }],
  ['no host in HTTP/1.0', ['X: 1'], { host: undefined }, 0],
];

const textOf = (lines: readonly string[]) => lines.map((line) => `${line}\r\n`).join('');

for (const [title, lines, expected, minor] of BLOCKS) {
  test(`reads ${title}`, () => {
    const { headers = {}, ...others } = expected;
    const block = parseHeaderBlock(textOf(lines), minor ?? 1);
    expect(block).toMatchObject(others);
    expect(valuesOf(block.headers, Object.keys(headers))).toEqual(Object.entries(headers));
    expect(valuesOf(block.headers, ['toString', 'x-none'])).toEqual([
      ['toString', undefined],
      ['x-none', undefined],
    ]);
  });
}

const WRONG_BLOCKS: ReadonlyArray<readonly [title: string, lines: readonly string[], minor?: 0]> = [
  ['no host', ['X: 1']],
  ['two hosts', ['Host: a', 'Host: a']],
  ['a host with a blank', ['Host: a b']],
  ['a host with a path', ['Host: a/b']],
  ['a host with a user', ['Host: u@a']],
  ['a line without a colon', ['Host: a', 'X']],
  ['a name with a blank before the colon', ['Host: a', 'X : 1']],
  ['an empty name', ['Host: a', ': 1']],
  ['a continued line', ['Host: a', 'X: 1', ' 2']],
  ['a continued line with a colon', ['Host: a', 'X: 1', '\tY: 2']],
  ['a bare line feed', ['Host: a', 'X: 1\nY: 2']],
  ['a bare carriage return', ['Host: a', 'X: 1\rY: 2']],
  ['NUL', ['Host: a', 'X: \0']],
  ['two lengths', ['Host: a', 'Content-Length: 1', 'Content-Length: 1']],
  ['lengths in a list', ['Host: a', 'Content-Length: 1, 1']],
  ['a negative length', ['Host: a', 'Content-Length: -1']],
  ['a length with a sign', ['Host: a', 'Content-Length: +1']],
  ['a hexadecimal length', ['Host: a', 'Content-Length: 0x1']],
  ['an empty length', ['Host: a', 'Content-Length:']],
  ['a length and chunks', ['Host: a', 'Content-Length: 1', 'Transfer-Encoding: chunked']],
  ['two codings', ['Host: a', 'Transfer-Encoding: gzip, chunked']],
  ['chunked twice', ['Host: a', 'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked']],
  ['another coding', ['Host: a', 'Transfer-Encoding: identity']],
  ['a coding behind a strange blank', ['Host: a', 'Transfer-Encoding: \u000bchunked']],
  ['chunks in HTTP/1.0', ['Host: a', 'Transfer-Encoding: chunked'], 0],
  ['another expectation', ['Host: a', 'Expect: 200-ok']],
  ['too many lines', ['Host: a', ...Array.from({ length: 200 }, (_, index) => `X${index}: 1`)]],
];

for (const [title, lines, minor] of WRONG_BLOCKS) {
  test(`rejects ${title}`, () =>
    expect(() => parseHeaderBlock(textOf(lines), minor ?? 1)).toThrow('Failed to read the request'));
}
