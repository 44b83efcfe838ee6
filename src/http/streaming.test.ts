import { expect, test } from 'bun:test';
import { startEcho } from '../../test/fixtures/http/echo.ts';
import { DEFAULT_LIMITS } from '../base/limits.ts';
import { partsOf } from './streaming.ts';

const CHUNK = `"${'x'.repeat(998)}"`;

async function* chunks(count: number, made: { count: number } = { count: 0 }): AsyncGenerator<string> {
  yield '[';
  for (let index = 0; index < count; index++) {
    made.count++;
    yield index === 0 ? CHUNK : `,${CHUNK}`;
  }
  yield ']';
}

async function* failing(after: number): AsyncGenerator<string> {
  yield* chunks(after);
  throw new Error('a row could not be read');
}

for (const count of [0, 1, 10, 60, 70, 1_000, 20_000]) {
  test(`${count} pieces come as one envelope`, async () => {
    await using server = await startEcho({ commands: { rows: () => chunks(count) } });
    const answer = await fetch(`${server.url}?cmd=rows`);
    expect(answer.headers.get('content-type')).toBe('application/json;charset=utf-8');
    const envelope = (await answer.json()) as { response: string[]; successStatus: number };
    expect([envelope.successStatus, envelope.response.length]).toEqual([0, count]);
  });
}

test('streams rows without an envelope as the whole body', async () => {
  await using server = await startEcho({
    commands: {
      rows: () => ({
        successStatus: 0,
        http: 200,
        error: null,
        response: chunks(200),
        affinityNodeId: undefined,
        sessionToken: null,
        securitySubjectId: null,
        contentType: 'application/x-ndjson',
      }),
    },
  });
  const answer = await fetch(`${server.url}?cmd=rows`);
  expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
  expect(JSON.parse(await answer.text())).toHaveLength(200);
});

test('reports a failure among the first chunks as an error', async () => {
  await using server = await startEcho({ commands: { rows: () => failing(3) } });
  const answer = await fetch(`${server.url}?cmd=rows`);
  expect([answer.status, (await answer.json()) as unknown]).toEqual([
    500,
    expect.objectContaining({ successStatus: 1, response: null }),
  ]);
});

test('a failure after some chunks cuts the response, so that no client mistakes it for a whole one', async () => {
  await using server = await startEcho({ commands: { rows: () => failing(500) } });
  const text = await fetch(`${server.url}?cmd=rows`)
    .then(
      (answer) => answer.text(),
      () => 'cut',
    )
    .catch(() => 'cut');
  expect(() => JSON.parse(text)).toThrow();
  expect(server.unexpected).toEqual([new Error('a row could not be read')]);
});

test('a client that stops reading stops the rows and is terminated in the end', async () => {
  const made = { count: 0 };
  const ended = Promise.withResolvers<void>();
  async function* watched(): AsyncGenerator<string> {
    try {
      yield* chunks(1_000_000, made);
    } finally {
      ended.resolve();
    }
  }
  await using server = await startEcho({
    settings: { idleTimeoutSeconds: 1 },
    commands: { rows: () => watched() },
  });
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: server.port,
    socket: { data: (stalled) => void stalled.pause() },
  });
  socket.write('GET /svc?cmd=rows HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await ended.promise;
  expect(made.count).toBeLessThan(100_000);
  socket.terminate();
}, 15_000);

test.each([0, 1])('a long text is sent in parts that separate no surrogates, after %i characters', (before) => {
  const text = `${'a'.repeat(before)}${'😀'.repeat(200_000)}`;
  const parts = [...partsOf(text)];
  expect(parts.length).toBeGreaterThan(5);
  expect(Buffer.concat(parts.map((part) => Buffer.from(part))).equals(Buffer.from(text))).toBe(true);
});

test('clients that do not read long responses are disconnected when these exceed the limit', async () => {
  const text = JSON.stringify('x'.repeat(32 * 1024 * 1024));
  let answered = 0;
  const long = () => {
    answered++;
    return text;
  };
  // Two fit, with what their sockets do not accept.
  const limits = { ...DEFAULT_LIMITS, responseBufferBytes: 2.5 * text.length };
  await using server = await startEcho({ commands: { long }, limits });
  const { port } = new URL(server.url);
  const ends: Array<Promise<number>> = [];
  const clients: Array<Bun.Socket> = [];
  for (let at = 0; at < 4; at++) {
    let received = 0;
    const ended = Promise.withResolvers<number>();
    ends.push(ended.promise);
    const socket = {
      data(_: Bun.Socket, bytes: Buffer) {
        received += bytes.length;
      },
      close: () => ended.resolve(received),
      error() {},
    };
    const client = await Bun.connect({ hostname: '127.0.0.1', port: Number(port), socket });
    client.pause();
    client.write('GET /svc?cmd=long HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    clients.push(client);
  }
  while (answered < clients.length) await Bun.sleep(10);
  // The service continues, and has begun all four by then.
  for (let at = 0; at < 5; at++) await fetch(`${server.url}?cmd=echo`);
  for (const client of clients) client.resume();
  const whole = (await Promise.all(ends)).filter((received) => received > text.length);
  expect(whole.length).toBeLessThan(clients.length);
  expect(whole.length).toBeGreaterThan(0);
});
