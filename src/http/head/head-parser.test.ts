import { describe, expect, test } from 'bun:test';
import { type HeaderBlock, HeadParser, parseHeaderBlock } from './head.ts';

const LIMIT_BYTES = 8_192;
const NAMES = ['host', 'x', 'y', 'x-request-id', 'content-length', 'transfer-encoding', 'connection', 'constructor'];

/** Returns everything that a block contains, or the text of the error with which the lines are rejected. */
function saysOf(read: () => HeaderBlock | undefined): unknown {
  try {
    const block = read();
    if (block === undefined) return 'incomplete';
    const { headers, ...others } = block;
    return [others, NAMES.map((name) => headers.get(name))];
  } catch (error) {
    return String(error);
  }
}

const headOf = (lines: string, minor = 1) => Buffer.from(`GET / HTTP/1.${minor}\r\n${lines}\r\n`, 'latin1');

function parse(parser: HeadParser, lines: string, minor = 1): unknown {
  return saysOf(() => parser.parse(headOf(lines, minor))?.block);
}

/** Header lines that differ in one or several places, and some that are rejected. */
const HEADS: readonly string[] = [
  'Host: a\r\n',
  'Host: b\r\n',
  'Host: a\r\nX: 1\r\n',
  'Host: a\r\nX: 22\r\n',
  'Host: a\r\nX:   3\t\r\n',
  'Host: a\r\nX:\r\n',
  'Host: a\r\nx: 4\r\n',
  'Host: a\r\nX : 5\r\n',
  'Host: a\r\nX: 6\0\r\n',
  'Host: a\r\nX: 7\rY: 8\r\n',
  'Host: a\r\nX: 7\nY: 8\r\n',
  'Host: a\r\nX: 9\r\nX: 10\r\n',
  'Host: a\r\nX: 11\r\nX: 10\r\n',
  'Host: a\r\nX: 1\r\nY: 1\r\n',
  'Host: a\r\nX: 1\r\nY: 2\r\n',
  'Host: a\r\nX: 2\r\nY: 1\r\n',
  'X: 1\r\nHost: a\r\n',
  'X: 2\r\nHost: a\r\n',
  'X-Request-Id: 1\r\nHost: a\r\nContent-Length: 1\r\n',
  'X-Request-Id: 2\r\nHost: a\r\nContent-Length: 12\r\n',
  'X-Request-Id: 2\r\nHost: a\r\nContent-Length: +1\r\n',
  'Host: a\r\nTransfer-Encoding: chunked\r\n',
  'Host: a\r\nTransfer-Encoding: chunked\r\nX: 1\r\n',
  'Host: a\r\nTransfer-Encoding: chunked\r\nX: 2\r\n',
  'Host: a\r\nTransfer-Encoding: gzip\r\n',
  'Host: a\r\nConnection: close\r\n',
  'Host: a\r\nConnection: keep-alive\r\n',
  'Host: a\r\nConstructor: 1\r\n',
  'Host: a\r\nConstructor: 2\r\n',
];

describe('what a connection has read before does not change what a head means', () => {
  const fresh = HEADS.map((lines) => saysOf(() => parseHeaderBlock(lines, 1)));
  const freshOld = HEADS.map((lines) => saysOf(() => parseHeaderBlock(lines, 0)));
  for (const first of HEADS) {
    test(`${JSON.stringify(first)} and any two others`, () => {
      const wrong: unknown[] = [];
      for (const second of HEADS) {
        for (const [third, lines] of HEADS.entries()) {
          const parser = new HeadParser(LIMIT_BYTES);
          for (const each of [first, second, first]) parse(parser, each);
          const says = parse(parser, lines);
          if (!Bun.deepEquals(says, fresh[third])) wrong.push({ second, lines, says });
          // A head that HTTP/1.1 allows may be forbidden in HTTP/1.0, however often it was read.
          for (let again = 0; again < 2; again++) {
            const saysOld = parse(parser, lines, 0);
            if (!Bun.deepEquals(saysOld, freshOld[third])) wrong.push({ second, lines, saysOld });
          }
        }
      }
      expect(wrong).toEqual([]);
    });
  }
});

describe('values that change with each request', () => {
  const cases: ReadonlyArray<readonly [title: string, lines: (value: number) => string, names: readonly string[]]> = [
    ['in the first line', (value) => `X: id-${value}\r\nHost: a\r\nY: 1\r\n`, ['x']],
    ['in the last line', (value) => `Host: a\r\nY: 1\r\nX: id-${value}\r\n`, ['x']],
    ['in the only other line', (value) => `Host: a\r\nX: id-${value}\r\n`, ['x']],
    ['in two lines', (value) => `X: id-${value}\r\nHost: a\r\nY: id-${value}\r\n`, ['x', 'y']],
    ['in neighbouring lines', (value) => `Host: a\r\nX: id-${value}\r\nY: id-${value}\r\n`, ['x', 'y']],
  ];
  for (const [title, lines, names] of cases) {
    test(title, () => {
      const parser = new HeadParser(LIMIT_BYTES);
      const blocks = Array.from({ length: 12 }, (_, value) => parser.parse(headOf(lines(10 ** value)))?.block);
      for (const [value, block] of blocks.entries()) {
        expect(names.map((name) => block?.headers.get(name))).toEqual(names.map(() => `id-${10 ** value}`));
        expect(block?.host).toBe('a');
      }
    });
  }

  test('the length of the body is that of the request', () => {
    const parser = new HeadParser(LIMIT_BYTES);
    const lengths = [5, 6, 77, 8].map(
      (length) => parser.parse(headOf(`Host: a\r\nContent-Length: ${length}\r\n`))?.block.contentLength,
    );
    expect(lengths).toEqual([5, 6, 77, 8]);
  });

  test('reads and changes in turn', () => {
    const parser = new HeadParser(LIMIT_BYTES);
    for (let round = 0; round < 20; round++) {
      const { block: read } = parser.parse(headOf(`Host: a\r\nX: ${round}\r\n`)) ?? {};
      expect([read?.contentLength, read?.headers.get('x')]).toEqual([undefined, String(round)]);
      const length = 10 ** (round % 4);
      const change = Buffer.from(`PUT /k HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`);
      const { line, block } = parser.parse(change) ?? {};
      expect([line?.method, block?.contentLength, block?.headers.get('x')]).toEqual(['PUT', length, undefined]);
    }
  });

  test('a version of HTTP has headers of its own', () => {
    const parser = new HeadParser(LIMIT_BYTES);
    parse(parser, 'X: 1\r\nHost: a\r\n');
    parse(parser, 'X: 2\r\nHost: a\r\n');
    expect(parse(parser, 'X: 3\r\n', 0)).toEqual(saysOf(() => parseHeaderBlock('X: 3\r\n', 0)));
    expect(parse(parser, 'X: 4\r\n')).toContain('the header Host is missing');
  });

  test('a version of HTTP does not allow what another one allowed before', () => {
    const parser = new HeadParser(LIMIT_BYTES);
    const chunked = (value: number) => `Host: a\r\nTransfer-Encoding: chunked\r\nX: ${value}\r\n`;
    for (const value of [1, 2, 3]) parse(parser, chunked(value));
    parse(parser, 'Host: a\r\n', 0);
    expect(parse(parser, chunked(4), 0)).toContain('HTTP/1.0 does not support Transfer-Encoding');
  });

  test('a connection whose requests have nothing in common', () => {
    const parser = new HeadParser(LIMIT_BYTES);
    for (let round = 0; round < 100; round++) {
      const lines = `Host: a\r\nX${round % 10}: 1\r\nX-Request-Id: ${round}\r\n`;
      expect(parse(parser, lines)).toEqual(saysOf(() => parseHeaderBlock(lines, 1)));
    }
  });
});

describe('lines that end in LF alone', () => {
  const CASES: ReadonlyArray<readonly [head: string, expected: 'incomplete' | 'rejected']> = [
    ['GET / HTTP/1.1\nHost: a\n\n', 'rejected'],
    ['GET / HTTP/1.0\n\n', 'rejected'],
    ['\n\nGET / HTTP/1.1\nHost: a\n\n', 'rejected'],
    ['GET / HTTP/1.1\n', 'rejected'],
    ['\n\n', 'rejected'],
    ['GET / HTTP/1.1\r\nHost: a\n\r\n', 'rejected'],
    ['GET / HTTP/1.1\nHost: a\r\n', 'rejected'],
    ['GET / HTTP/1.1\r\nHost: a\r\n\n', 'rejected'],
    ['GET / HTTP/1.1\nHost: a\n\r', 'rejected'],
    ['GET / HTTP/1.1\r\nHost: a\r\n\r', 'incomplete'],
    ['GET / HTTP/1.1\r\nHost: a\r', 'incomplete'],
    ['GET / HTTP/1.1\r\n', 'incomplete'],
  ];
  for (const [head, expected] of CASES) {
    test(JSON.stringify(head), () => {
      const said = saysOf(() => new HeadParser(LIMIT_BYTES).parse(Buffer.from(head))?.block);
      if (expected === 'incomplete') expect(said).toBe('incomplete');
      else expect(said).toContain('ends in LF alone, and not in CRLF');
    });
  }
});
