import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { GET, Trial } from '../../../test/fixtures/http/connection.ts';
import { type EchoServer, startEcho, success } from '../../../test/fixtures/http/echo.ts';
import { until } from '../../../test/system/until.ts';
import { plainAnswer } from '../reply.ts';
import { partsOf } from '../streaming.ts';
import { chooseCoding } from './accept-encoding.ts';
import { compressAtOnce, compressChunks } from './compressor.ts';
import { ReplyCompression } from './reply-compression.ts';

describe('chooseCoding', () => {
  const cases: ReadonlyArray<readonly [header: string, coding: ReturnType<typeof chooseCoding>]> = [
    ['', undefined],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['zstd', 'zstd'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip, deflate', 'gzip'],
    ['deflate, br', undefined],
    ['*', 'zstd'],
    ['*;q=0', undefined],
    ['*;q=0, gzip', 'gzip'],
    ['gzip;q=0', undefined],
    ['gzip;q=0, *', 'zstd'],
    ['zstd;q=0, *;q=0.1', 'gzip'],
    ['gzip;q=0.000', undefined],
    ['gzip;q=0.001', 'gzip'],
    ['gzip;q=1.0, zstd;q=0.9', 'gzip'],
    ['zstd;q=0.5,gzip;q=0.5', 'zstd'],
    ['gzip ; q=0.5 , zstd ; q=0.4', 'gzip'],
    ['identity', undefined],
    ['identity, gzip', 'gzip'],
    ['identity;q=1, gzip;q=0.5', undefined],
    ['identity;q=0.5, gzip;q=1', 'gzip'],
    ['identity;q=0', undefined],
    ['gzip;q=2', undefined],
    ['gzip;q=x', undefined],
    ['gzip;q=', undefined],
    ['gzip;level=9', undefined],
    [',,;q=1, gzip', 'gzip'],
  ];
  test.each(cases)('%s', (header, coding) => expect(chooseCoding(header)).toBe(coding));
});

const CODINGS = ['gzip', 'zstd'] as const;
const decode = { gzip: gunzipSync, zstd: zstdDecompressSync } as const;

describe.each(CODINGS)('%s', (coding) => {
  const texts: ReadonlyArray<readonly [title: string, text: string]> = [
    ['nothing', ''],
    ['a short text', 'äöü'],
    ['a long text', 'The rows of a page repeat their columns. '.repeat(20_000)],
    ['pairs of surrogates at the ends of parts', `a${'🎈'.repeat(5_000)}`],
  ];
  test.each(texts)('%s', async (_title, text) => {
    expect(decode[coding](compressAtOnce(text, coding)).toString()).toBe(text);
    async function* chunks() {
      yield* partsOf(text, 1_000);
      yield Buffer.from('end');
    }
    const compressed: Uint8Array[] = [];
    let ended = 0;
    for await (const bytes of compressChunks(chunks(), coding, 700, () => ended++)) compressed.push(bytes);
    expect(decode[coding](Buffer.concat(compressed)).toString()).toBe(`${text}end`);
    expect(ended).toBe(1);
  });

  test('each chunk can be read before the next one is there', async () => {
    const { promise: never } = Promise.withResolvers<void>();
    let closed = false;
    async function* chunks() {
      try {
        yield 'first';
        yield 'second';
        await never;
      } finally {
        closed = true;
      }
    }
    let ended = 0;
    const compressed: Uint8Array[] = [];
    for await (const bytes of compressChunks(chunks(), coding, 100, () => ended++)) {
      compressed.push(bytes);
      if (compressed.length === 2) break;
    }
    expect([closed, ended]).toEqual([true, 1]);
    const options = coding === 'gzip' ? { finishFlush: 2 } : { finishFlush: 1 };
    expect(decode[coding](Buffer.concat(compressed), options).toString()).toBe('firstsecond');
  });
});

const LONG = 'x1'.repeat(2_000);
/** Longer than the texts that are compressed at once. */
const LARGE = Array.from({ length: 30_000 }, (_, row) => `row ${row} of many`).join();

const CHUNKED = 'Transfer-Encoding: chunked';

let server: EchoServer;
let origin: string;
let streamsClosed = 0;

beforeAll(async () => {
  async function* endless() {
    try {
      for (;;) {
        yield LARGE;
      }
    } finally {
      streamsClosed++;
    }
  }
  async function* failing() {
    yield LARGE;
    throw new Error('the source failed');
  }
  async function* chunks() {
    yield '"';
    for (const part of partsOf(LARGE, 10_000)) yield part;
    yield '"';
  }
  server = await startEcho({
    limits: { compressedResponses: 2 },
    settings: { origins: ['http://page.example'] },
    commands: {
      long: () => JSON.stringify(LONG),
      large: () => JSON.stringify(LARGE),
      stream: () => chunks(),
      endless: () => endless(),
      failing: () => failing(),
      token: () => ({ ...success(JSON.stringify(LONG)), sessionToken: 'AB12' }),
      subject: () => ({ ...success(JSON.stringify(LONG)), securitySubjectId: 'AB12' }),
      tokenstream: () => ({ ...success(chunks()), sessionToken: 'AB12' }),
      rows: () => ({ ...success(`${LONG}\n`), sessionToken: 'AB12', contentType: 'text/csv;charset=utf-8' }),
    },
  });
  origin = server.url.replace(/\/svc$/, '');
});
afterAll(() => server[Symbol.asyncDispose]());

interface Answer {
  readonly coding: string | null;
  readonly vary: string | null;
  readonly length: string | null;
  readonly bytes: number;
  readonly text: string;
}

async function ask(path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<Answer> {
  const response = await fetch(`${origin}${path}`, { method, headers, decompress: false });
  const bytes = Buffer.from(await response.arrayBuffer());
  const coding = response.headers.get('content-encoding');
  const decoded = coding === 'gzip' ? gunzipSync(bytes) : coding === 'zstd' ? zstdDecompressSync(bytes) : bytes;
  return {
    coding,
    vary: response.headers.get('vary'),
    length: response.headers.get('content-length'),
    bytes: bytes.length,
    text: method === 'HEAD' ? '' : decoded.toString(),
  };
}

describe('responses', () => {
  const cases: ReadonlyArray<readonly [path: string, accepted: string, coding: string | null, vary: string | null]> = [
    ['/svc?cmd=echo', 'gzip', null, null],
    ['/svc?cmd=long', 'gzip', 'gzip', 'Accept-Encoding'],
    ['/svc?cmd=long', 'zstd', 'zstd', 'Accept-Encoding'],
    ['/svc?cmd=long', 'br', null, 'Accept-Encoding'],
    ['/svc?cmd=long', 'gzip;q=0', null, 'Accept-Encoding'],
    ['/svc?cmd=long', 'identity', null, 'Accept-Encoding'],
    ['/svc?cmd=large', 'gzip', 'gzip', 'Accept-Encoding'],
    ['/svc?cmd=large', 'zstd', 'zstd', 'Accept-Encoding'],
    ['/svc?cmd=stream', 'gzip', 'gzip', 'Accept-Encoding'],
    ['/svc?cmd=stream', 'zstd', 'zstd', 'Accept-Encoding'],
    ['/svc?cmd=stream', 'identity', null, 'Accept-Encoding'],
    // The token and the client's own text are in one body, whose length would reveal the token.
    ['/svc?cmd=token', 'gzip', null, null],
    ['/svc?cmd=subject', 'gzip', null, null],
    ['/svc?cmd=tokenstream', 'gzip', null, null],
    ['/svc?cmd=rows', 'gzip', 'gzip', 'Accept-Encoding'],
  ];
  test.each(cases)('%s for %s', async (path, accepted, coding, vary) => {
    const plain = await ask(path, { 'Accept-Encoding': 'identity' });
    const found = await ask(path, { 'Accept-Encoding': accepted });
    expect([found.coding, found.vary]).toEqual([coding, vary]);
    expect(found.text).toBe(plain.text);
    if (coding !== null) expect(found.bytes).toBeLessThan(plain.bytes / 2);
  });

  test('to pages of other origins vary by both headers', async () => {
    const { vary } = await ask('/svc?cmd=long', { 'Accept-Encoding': 'gzip', Origin: 'http://page.example' });
    expect(vary).toBe('Origin, Accept-Encoding');
  });

  test('to HEAD have no body and a length only if it is that of GET', async () => {
    const compression = new ReplyCompression({ minBytes: 1_000, maxStreams: 1 });
    const headOf = (text: string): Trial => {
      const trial = new Trial(() => plainAnswer(200, 'text/plain', text));
      trial.compression = compression;
      trial.feed('HEAD / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n');
      return trial;
    };
    const expectCompressed = (trial: Trial, length: string): void => {
      expect(trial.sent).toContain(`${length}\r\n`);
      expect(trial.sent).toContain('Content-Encoding: gzip\r\n');
      expect(trial.sent).toEndWith('\r\n\r\n');
      trial.feed(GET('/next'));
      expect(trial.statuses).toEqual([200, 200]);
    };
    expectCompressed(headOf(LONG), `Content-Length: ${compressAtOnce(LONG, 'gzip').length}`);
    expectCompressed(headOf(LARGE), CHUNKED);
    await until('the stream of a body that no one reads is freed', () => headOf(LARGE).sent.includes(CHUNKED));
  });

  test('beyond the limit of streams are not compressed', async () => {
    const leave = new AbortController();
    const open = [1, 2].map(() =>
      fetch(`${origin}/svc?cmd=endless`, { headers: { 'Accept-Encoding': 'gzip' }, signal: leave.signal }),
    );
    const responses = await Promise.all(open);
    expect(responses.map(({ headers }) => headers.get('content-encoding'))).toEqual(['gzip', 'gzip']);
    const closedBefore = streamsClosed;
    expect((await ask('/svc?cmd=large', { 'Accept-Encoding': 'gzip' })).coding).toBeNull();
    // Short ones need no stream.
    expect((await ask('/svc?cmd=long', { 'Accept-Encoding': 'gzip' })).coding).toBe('gzip');
    leave.abort();
    await Promise.allSettled(responses.map((each) => each.arrayBuffer()));
    while (streamsClosed < closedBefore + 2) await Bun.sleep(5);
    await Bun.sleep(5);
    expect((await ask('/svc?cmd=large', { 'Accept-Encoding': 'gzip' })).coding).toBe('gzip');
  });

  test('whose source fails are cut off, and free their stream', async () => {
    for (let round = 0; round < 3; round++) {
      const response = await fetch(`${origin}/svc?cmd=failing`, { headers: { 'Accept-Encoding': 'gzip' } });
      expect(response.headers.get('content-encoding')).toBe('gzip');
      expect(await response.text().catch(() => 'cut off')).toBe('cut off');
    }
    expect((await ask('/svc?cmd=stream', { 'Accept-Encoding': 'gzip' })).coding).toBe('gzip');
  });
});
