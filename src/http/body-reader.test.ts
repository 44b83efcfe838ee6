import { expect, test } from 'bun:test';
import { bodyReaderOf, CHUNKS_PER_FEED } from './body-reader.ts';
import { BufferBudget } from './buffer-budget.ts';
import { parseHeaderBlock } from './head/head.ts';

const account = () =>
  new BufferBudget({ totalBytes: 1_000_000, unauthenticatedBytes: 1_000_000 }).open({ isAuthenticated: true });

const LENGTH = (bytes: number) => parseHeaderBlock(`Host: a\r\nContent-Length: ${bytes}\r\n`, 1);
const CHUNKED = parseHeaderBlock('Host: a\r\nTransfer-Encoding: chunked\r\n', 1);

/** Feeds the text in parts of `size` bytes; returns the body and the unread rest. */
function feed(
  block: ReturnType<typeof parseHeaderBlock>,
  text: string,
  size: number,
  limit = 100,
): readonly [string, string] {
  const reader = bodyReaderOf(block, limit, 0, account);
  const bytes = Buffer.from(text, 'latin1');
  let rest = bytes;
  let at = 0;
  while (reader !== undefined && !reader.done && at < bytes.length) {
    const part = bytes.subarray(at, at + size);
    at += part.length;
    rest = Buffer.concat([reader.feed(part), bytes.subarray(at)]);
  }
  if (reader !== undefined && !reader.done) throw new Error('not done');
  return [Buffer.from(reader?.body()?.whole() ?? []).toString('latin1'), rest.toString('latin1')];
}

const READ: ReadonlyArray<readonly [title: string, block: typeof CHUNKED, text: string, body: string, rest: string]> = [
  ['no body', LENGTH(0), 'GET', '', 'GET'],
  ['a body of a length', LENGTH(3), 'abcGET', 'abc', 'GET'],
  ['one chunk', CHUNKED, '3\r\nabc\r\n0\r\n\r\nGET', 'abc', 'GET'],
  ['several chunks', CHUNKED, '1\r\na\r\n2\r\nbc\r\n0\r\n\r\n', 'abc', ''],
  ['a chunk that looks like an end', CHUNKED, '5\r\n0\r\n\r\n\r\n0\r\n\r\nX', '0\r\n\r\n', 'X'],
  [
    'sizes in both cases, with zeros',
    CHUNKED,
    '00A\r\n0123456789\r\n00a\r\n0123456789\r\n0\r\n\r\n',
    '01234567890123456789',
    '',
  ],
  ['extensions', CHUNKED, '1;a=b;c="d"\r\nx\r\n0;last\r\n\r\n', 'x', ''],
  ['trailers', CHUNKED, '1\r\nx\r\n0\r\nA: 1\r\nB: 2\r\n\r\nGET', 'x', 'GET'],
  ['blanks behind the size', CHUNKED, '1 \t\r\nx\r\n0 ;a\r\n\r\n', 'x', ''],
  ['a size of eight digits', CHUNKED, '00000001\r\nx\r\n00000000\r\n\r\n', 'x', ''],
  ['a chunk of more than a few bytes', CHUNKED, `20\r\n${'x'.repeat(32)}\r\n0\r\n\r\n`, 'x'.repeat(32), ''],
  ['no chunk but the last', CHUNKED, '0\r\n\r\nGET', '', 'GET'],
];

for (const [title, block, text, body, rest] of READ) {
  test(`reads ${title}, in parts of any size`, () => {
    for (let size = 1; size <= text.length; size++) expect(feed(block, text, size)).toEqual([body, rest]);
  });
}

const REJECTED: ReadonlyArray<readonly [title: string, block: typeof CHUNKED, text: string, code: string]> = [
  ['a length above the limit', LENGTH(101), 'x', 'BODY_TOO_LARGE'],
  ['a chunk above the limit', CHUNKED, '65\r\n', 'BODY_TOO_LARGE'],
  ['chunks above the limit', CHUNKED, `32\r\n${'x'.repeat(50)}\r\n33\r\n`, 'BODY_TOO_LARGE'],
  ['a size that is no number', CHUNKED, 'x\r\n', 'REQUEST_MALFORMED'],
  ['an empty size', CHUNKED, '\r\n', 'REQUEST_MALFORMED'],
  ['a size with a sign', CHUNKED, '+1\r\n', 'REQUEST_MALFORMED'],
  ['a size with 0x', CHUNKED, '0x1\r\n', 'REQUEST_MALFORMED'],
  ['a size with a blank before it', CHUNKED, ' 1\r\n', 'REQUEST_MALFORMED'],
  ['a size that overflows', CHUNKED, '100000000000000001\r\n', 'REQUEST_MALFORMED'],
  ['a line feed alone behind the size', CHUNKED, '1\nx\r\n', 'REQUEST_MALFORMED'],
  ['a chunk longer than its size', CHUNKED, '1\r\nxy\r\n', 'REQUEST_MALFORMED'],
  ['a chunk without its end', CHUNKED, '1\r\nx0\r\n', 'REQUEST_MALFORMED'],
  ['a size line without an end', CHUNKED, '1'.repeat(2_000), 'REQUEST_MALFORMED'],
  ['a control character in an extension', CHUNKED, '1;\u0001\r\n', 'REQUEST_MALFORMED'],
  [
    'extensions that are long together',
    CHUNKED,
    `${`1;${'e'.repeat(1_000)}\r\nx\r\n`.repeat(20)}`,
    'REQUEST_MALFORMED',
  ],
  ['an extension that is too long', CHUNKED, `1;${'e'.repeat(2_000)}`, 'REQUEST_MALFORMED'],
  ['a line feed alone in an extension', CHUNKED, '1;a\nx\r\n', 'REQUEST_MALFORMED'],
  ['a carriage return in an extension', CHUNKED, '1;a\rb\r\n', 'REQUEST_MALFORMED'],
  ['digits behind a blank', CHUNKED, '1 1\r\n', 'REQUEST_MALFORMED'],
  ['a size with an underscore', CHUNKED, '1_0\r\n', 'REQUEST_MALFORMED'],
  ['a negative size', CHUNKED, '-1\r\n', 'REQUEST_MALFORMED'],
  ['a size of nine digits', CHUNKED, '000000001\r\n', 'REQUEST_MALFORMED'],
  ['a size that is a full-width digit', CHUNKED, '\xef\xbc\x91\r\n', 'REQUEST_MALFORMED'],
  ['a carriage return alone behind the size', CHUNKED, '1\rx\r\n', 'REQUEST_MALFORMED'],
  ['a vertical tab behind the size', CHUNKED, '1\x0b\r\n', 'REQUEST_MALFORMED'],
  ['a chunk that ends with a line feed alone', CHUNKED, '1\r\nx\n0\r\n\r\n', 'REQUEST_MALFORMED'],
  ['a chunk that ends with something else than a line feed', CHUNKED, '1\r\nx\rX', 'REQUEST_MALFORMED'],
  ['an empty line before the size', CHUNKED, '\r\n1\r\nx\r\n', 'REQUEST_MALFORMED'],
  ['a trailer that ends with a line feed alone', CHUNKED, '0\r\nA: 1\n\r\n', 'REQUEST_MALFORMED'],
  ['a request where trailers belong', CHUNKED, '0\r\nGET / HTTP/1.1\r\n\r\n', 'REQUEST_MALFORMED'],
  ['a trailer without a name', CHUNKED, '0\r\n: 1\r\n\r\n', 'REQUEST_MALFORMED'],
  ['a trailer with a blank before its colon', CHUNKED, '0\r\nA : 1\r\n\r\n', 'REQUEST_MALFORMED'],
  ['a trailer that continues the one before', CHUNKED, '0\r\nA: 1\r\n b\r\n\r\n', 'REQUEST_MALFORMED'],
  ['a NUL in a trailer', CHUNKED, '0\r\nA: \0\r\n\r\n', 'REQUEST_MALFORMED'],
  ['Content-Length as trailer', CHUNKED, '0\r\nContent-Length: 5\r\n\r\n', 'REQUEST_MALFORMED'],
  ['Transfer-Encoding as trailer', CHUNKED, '0\r\ntransfer-encoding: chunked\r\n\r\n', 'REQUEST_MALFORMED'],
  ['Host as trailer', CHUNKED, '0\r\nHost: b\r\n\r\n', 'REQUEST_MALFORMED'],
  ['Authorization as trailer', CHUNKED, '0\r\nAuthorization: Bearer x\r\n\r\n', 'REQUEST_MALFORMED'],
  ['many short trailers', CHUNKED, `0\r\n${'A:\r\n'.repeat(201)}\r\n`, 'REQUEST_MALFORMED'],
  ['trailers without an end', CHUNKED, `0\r\n${'A: 1\r\n'.repeat(5_000)}`, 'REQUEST_MALFORMED'],
];

for (const [title, block, text, code] of REJECTED) {
  test(`rejects ${title}`, () => {
    for (const size of [1, 7, text.length])
      expect(() => feed(block, text, size)).toThrow(expect.objectContaining({ code }));
  });
}

test('counts the bytes of a discarded body too', () => {
  const reader = bodyReaderOf(LENGTH(5), 100, 0, undefined);
  expect(reader?.feed(Buffer.from('abcdefg')).toString()).toBe('fg');
  expect([reader?.done, reader?.readBytes, reader?.body()?.length]).toEqual([true, 5, undefined]);
});

test('accounts for a body that came with its head until it is closed, unless it is small', () => {
  const budget = new BufferBudget({ totalBytes: 100 * 1_024, unauthenticatedBytes: 0 });
  const read = (bytes: number) => {
    const reader = bodyReaderOf(LENGTH(bytes), 1_000_000, bytes, () => budget.open({ isAuthenticated: true }));
    reader?.feed(Buffer.alloc(bytes));
    return reader?.body();
  };
  read(2 * 1_024);
  expect(budget.usedBytes).toBe(0);
  const body = read(60 * 1_024);
  expect(budget.usedBytes).toBe(60 * 1_024);
  expect(() => read(60 * 1_024)).toThrow(expect.objectContaining({ code: 'BUFFERS_FULL' }));
  body?.close();
  expect(budget.usedBytes).toBe(0);
  expect(read(60 * 1_024)?.length).toBe(60 * 1_024);
});

test('returns early after many chunks and reads the same in any number of calls', () => {
  const count = 3 * CHUNKS_PER_FEED;
  const text = Array.from({ length: count }, (_, at) => `1\r\n${at % 10}\r\n`).join('');
  const bytes = Buffer.from(`${text}0\r\n\r\nGET`);
  const reader = bodyReaderOf(CHUNKED, 1_000_000, 0, account);
  let calls = 0;
  let rest: Buffer = bytes;
  for (; reader?.done === false; calls++) rest = reader.feed(rest);
  expect([calls, rest.toString(), reader?.readBytes]).toEqual([4, 'GET', bytes.length - 3]);
  expect(Buffer.from(reader?.body()?.whole() ?? []).toString()).toBe(
    Array.from({ length: count }, (_, at) => String(at % 10)).join(''),
  );
});

const MIXED = [
  '1\r\na\r\n',
  'f\r\n123456789012345\r\n',
  '01\r\nb\r\n',
  '10\r\n1234567890123456\r\n',
  '2;x=y\r\ncd\r\n',
];

test('reads chunks of all sizes wherever their bytes are split', () => {
  const bytes = Buffer.from(`${MIXED.join('').repeat(3)}0\r\n\r\n`);
  for (let cut = 0; cut <= bytes.length; cut++) {
    const reader = bodyReaderOf(CHUNKED, 1_000, 0, account);
    const rest = [bytes.subarray(0, cut), bytes.subarray(cut)].map((part) => reader?.feed(part).length);
    expect([rest, reader?.done]).toEqual([[0, 0], true]);
    expect(Buffer.from(reader?.body()?.whole() ?? []).toString()).toBe('a123456789012345b1234567890123456cd'.repeat(3));
  }
});

test('rejects small chunks only beyond the limit', () => {
  const text = '1\r\na\r\n'.repeat(100);
  expect(bodyReaderOf(CHUNKED, 100, 0, account)?.feed(Buffer.from(text)).length).toBe(0);
  expect(() => bodyReaderOf(CHUNKED, 99, 0, account)?.feed(Buffer.from(text))).toThrow('99');
});
