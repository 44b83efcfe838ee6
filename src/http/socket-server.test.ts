/**
 * Behaviour that only real sockets show: order, half-closed clients, rejections that arrive, many clients, large
 * bodies.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type EchoServer, startEcho } from '../../test/fixtures/http/echo.ts';
import { parseAnswer } from '../../test/system/http-connection.ts';

let server: EchoServer;

beforeAll(async () => {
  server = await startEcho({
    limits: { connections: 50, requestBodyBytes: 4_000_000 },
    commands: {
      later: async ({ params }) => {
        await Bun.sleep(Number(params.get('ms')));
        return JSON.stringify(params.get('n'));
      },
      length: ({ params }) => String(params.get('val')?.length),
      big: ({ params }) => JSON.stringify('ü'.repeat(Number(params.get('n')))),
      waits: (request) =>
        new Promise((resolve) => request.signal().addEventListener('abort', () => resolve('"cancelled"'))),
    },
  });
});

afterAll(() => server.stop(0));

interface Talk {
  /** Everything received until the server closed the connection or `answers` complete responses had arrived. */
  readonly bodies: readonly string[];
  readonly statuses: readonly number[];
  readonly closed: boolean;
}

/** Sends bytes and collects responses. `half`: closes the client's side after them, as `nc -N` does. */
async function talk(bytes: string | Buffer, answers: number, half = false): Promise<Talk> {
  const done = Promise.withResolvers<boolean>();
  let received = Buffer.alloc(0);
  const bodies: string[] = [];
  const statuses: number[] = [];
  let rest = Buffer.from(bytes);
  const send = (socket: Bun.Socket) => {
    rest = rest.subarray(Math.max(0, socket.write(rest)));
    if (rest.length === 0 && half) socket.shutdown();
  };
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: server.port,
    allowHalfOpen: true,
    socket: {
      open: send,
      drain: (open) => {
        if (rest.length > 0) send(open);
      },
      data(_socket, chunk) {
        received = Buffer.concat([received, chunk]);
        for (let parsed = parseAnswer(received); parsed !== undefined; parsed = parseAnswer(received)) {
          bodies.push(parsed.answer.body);
          statuses.push(parsed.answer.status);
          received = received.subarray(parsed.length);
        }
        if (bodies.length >= answers && !half) done.resolve(false);
      },
      end: () => done.resolve(true),
      close: () => done.resolve(true),
      error: (_socket, error) => done.reject(error),
    },
  });
  const closed = await done.promise;
  socket.terminate();
  return { bodies, statuses, closed };
}

const HOST = 'Host: localhost\r\n\r\n';
const responses = ({ bodies }: Talk) => bodies.map((body) => JSON.parse(body).response as unknown);

test('answers pipelined requests in order, although the first are slow', async () => {
  const requests = [50, 1, 20].map((ms, n) => `GET /svc?cmd=later&ms=${ms}&n=${n} HTTP/1.1\r\n${HOST}`);
  expect(responses(await talk(requests.join(''), 3))).toEqual(['0', '1', '2']);
});

test('answers a thousand pipelined requests', async () => {
  const requests = Array.from({ length: 1_000 }, (_, n) => `GET /svc?cmd=echo&n=${n} HTTP/1.1\r\n${HOST}`);
  const all = await talk(requests.join(''), 1_000);
  expect(responses(all)).toEqual(Array.from({ length: 1_000 }, (_, n) => ({ cmd: 'echo', n: String(n) })));
});

test('a half-closed client receives all responses, then the end', async () => {
  const requests = `GET /svc?cmd=later&ms=50&n=1 HTTP/1.1\r\n${HOST}GET /svc?cmd=later&ms=1&n=2 HTTP/1.1\r\n${HOST}`;
  const all = await talk(requests, 2, true);
  expect([responses(all), all.closed]).toEqual([['1', '2'], true]);
});

test('cancels the request of a client that disconnects', async () => {
  const socket = await Bun.connect({ hostname: '127.0.0.1', port: server.port, socket: { data() {} } });
  socket.write(`GET /svc?cmd=waits HTTP/1.1\r\n${HOST}`);
  while (server.statistics().inFlight === 0) await Bun.sleep(1);
  socket.terminate();
  const untilMs = performance.now() + 4_000;
  while (server.statistics().inFlight > 0 && performance.now() < untilMs) await Bun.sleep(10);
  expect(server.statistics().inFlight).toBe(0);
}, 10_000);

test('reads a large body whole, with a length and in chunks', async () => {
  const val = 'x'.repeat(3_000_000);
  const type = 'Content-Type: application/x-www-form-urlencoded\r\n';
  const counted = `POST /svc?cmd=length HTTP/1.1\r\n${type}Content-Length: ${val.length + 4}\r\n${HOST}val=${val}`;
  expect(responses(await talk(counted, 1))).toEqual([3_000_000]);
  const chunks = (val.match(/.{1,70000}/g) ?? []).map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('');
  const chunked = `POST /svc?cmd=length HTTP/1.1\r\n${type}Transfer-Encoding: chunked\r\n${HOST}4\r\nval=\r\n${chunks}0\r\n\r\n`;
  expect(responses(await talk(chunked, 1))).toEqual([3_000_000]);
  const tiny = `POST /svc?cmd=length HTTP/1.1\r\n${type}Transfer-Encoding: chunked\r\n${HOST}4\r\nval=\r\n${'1\r\nx\r\n'.repeat(300_000)}0\r\n\r\n`;
  expect(responses(await talk(tiny, 1))).toEqual([300_000]);
});

test('writes a large response whole', async () => {
  const [response] = responses(await talk(`GET /svc?cmd=big&n=3000000 HTTP/1.1\r\n${HOST}`, 1));
  expect(String(response).length).toBe(3_000_000);
});

test('a client that sends a body above the limit can read the rejection', async () => {
  const head = `POST /svc HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 20000000\r\n${HOST}`;
  const all = await talk(Buffer.concat([Buffer.from(head), Buffer.alloc(20_000_000, 'x')]), 1);
  expect([all.statuses, JSON.parse(all.bodies[0] ?? '').error]).toEqual([
    [413],
    'The request body is too large [limitBytes=4000000]',
  ]);
});

test('rejects connections beyond the limit with a response', async () => {
  const sockets = await Promise.all(
    Array.from({ length: 50 }, () => Bun.connect({ hostname: '127.0.0.1', port: server.port, socket: { data() {} } })),
  );
  await Bun.sleep(50);
  const rejected = await talk(`GET /svc?cmd=echo HTTP/1.1\r\n${HOST}`, 1);
  expect(rejected.statuses).toEqual([503]);
  for (const socket of sockets) socket.terminate();
  await Bun.sleep(50);
  expect((await talk(`GET /svc?cmd=echo HTTP/1.1\r\n${HOST}`, 1)).statuses).toEqual([200]);
});

const METHODS = ['BREW', 'get', 'TRACE', 'PROPFIND', 'M-SEARCH'];

for (const method of METHODS) {
  test(`the method ${method} is told that it is not allowed`, async () => {
    expect((await talk(`${method} /svc?cmd=echo HTTP/1.1\r\n${HOST}`, 1)).statuses).toEqual([405]);
  });
}

test('every response has a date', async () => {
  const answer = await fetch(`${server.url}?cmd=echo`);
  expect(Math.abs(Date.parse(answer.headers.get('date') ?? '') - Date.now())).toBeLessThan(5_000);
});

test('closes idle connections to make room for others, but not active ones', async () => {
  const clients = (count: number) =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const client = { closed: false, end: () => {} };
        const socket = await Bun.connect({
          hostname: '127.0.0.1',
          port: server.port,
          socket: {
            data() {},
            error() {},
            close: () => {
              client.closed = true;
            },
          },
        });
        client.end = () => socket.terminate();
        return client;
      }),
    );
  const idle = await clients(50);
  await Bun.sleep(3_200);
  expect((await talk(`GET /svc?cmd=echo HTTP/1.1\r\n${HOST}`, 1)).statuses).toEqual([200]);
  await Bun.sleep(50);
  expect(idle.filter(({ closed }) => closed).length).toBe(1);
  for (const { end } of idle) end();
  await Bun.sleep(50);
});
