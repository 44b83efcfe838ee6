import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type EchoServer, startEcho, success } from '../../test/fixtures/http/echo.ts';
import { type HttpConnection, openConnection, parseAnswer } from '../../test/system/http-connection.ts';

let server: EchoServer;
const order: string[] = [];

beforeAll(async () => {
  server = await startEcho({
    limits: { requestHeadBytes: 2_000, requestBodyBytes: 10_000, parametersPerRequest: 50 },
    commands: {
      throws: () => {
        throw new Error('unforeseen');
      },
      rejects: async () => {
        throw new Error('unforeseen');
      },
      later: async ({ params }) => {
        await Bun.sleep(30);
        order.push(params.get('n') ?? '');
        return '"later"';
      },
      peer: (request) => JSON.stringify(request.peerAddress()),
      header: (request) => JSON.stringify([request.header('x-a'), request.header('constructor')]),
      affinity: () => ({ ...success('1'), affinityNodeId: null, sessionToken: 'T', securitySubjectId: 'S' }),
      csv: () => ({ ...success('a,b\n'), contentType: 'text/csv;charset=utf-8' }),
      rejected: () => ({ ...success('null'), successStatus: 1, http: 404, error: 'no "such"' }),
    },
  });
});

afterAll(() => server.stop(0));

const sendOnce = (request: string) => sendTo(server.port, request);

async function sendTo(port: number, request: string) {
  const connection = await openConnection(port);
  try {
    return await connection.send(request);
  } finally {
    connection.close();
  }
}

const HOST = 'Host: localhost\r\n';
const get = (target: string, headers = HOST, method = 'GET') => `${method} ${target} HTTP/1.1\r\n${headers}\r\n`;
const post = (target: string, type: string, body: string, headers = '') =>
  `POST ${target} HTTP/1.1\r\n${HOST}Content-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`;
const FORM = 'application/x-www-form-urlencoded';

const ANSWERED: ReadonlyArray<readonly [title: string, request: string, response: unknown]> = [
  ['a query string', get('/svc?cmd=echo&a=1'), { cmd: 'echo', a: '1' }],
  ['a closing slash', get('/svc/?cmd=echo'), { cmd: 'echo' }],
  ['a path of a command', get('/svc/echo?a=1'), { cmd: 'echo', a: '1' }],
  ['a path of a command without parameters', get('/svc/echo'), { cmd: 'echo' }],
  ['a path of a command with a closing slash', get('/svc/echo/?a=1'), { cmd: 'echo', a: '1' }],
  ['a path in percent codes', get('/svc/%65cho'), { cmd: 'echo' }],
  ['a path and the same cmd in another case', get('/svc/echo?cmd=ECHO'), { cmd: 'echo' }],
  ['a form to a path of a command', post('/svc/echo', FORM, 'a=x&cmd=echo'), { cmd: 'echo', a: 'x' }],
  ['JSON to a path', post('/svc/echo', 'application/json', '{"n":1.0,"cmd":"echo"}'), { cmd: 'echo', n: '1.0' }],
  ['an absolute target of a path', get('http://localhost/svc/echo'), { cmd: 'echo' }],
  ['a form', post('/svc', FORM, 'cmd=echo&a=x+y'), { cmd: 'echo', a: 'x y' }],
  ['a form in capitals', post('/svc', 'Application/X-WWW-Form-URLEncoded', 'cmd=echo'), { cmd: 'echo' }],
  ['a form in ISO-8859-1', post('/svc', `${FORM}; charset=ISO-8859-1`, 'cmd=echo&a=%e9'), { cmd: 'echo', a: 'é' }],
  ['a charset without a name', post('/svc', `${FORM}; charset=`, 'cmd=echo&a=ü'), { cmd: 'echo', a: 'ü' }],
  ['a charset in quotes', post('/svc', `${FORM};charset="utf-8"`, 'cmd=echo&a=ü'), { cmd: 'echo', a: 'ü' }],
  ['both, where the query string wins', post('/svc?a=query', FORM, 'cmd=echo&a=body'), { a: 'query', cmd: 'echo' }],
  ['a JSON object', post('/svc', 'application/json', '{"cmd":"echo","n":1.0}'), { cmd: 'echo', n: '1.0' }],
  ['a JSON type without a body', post('/svc?cmd=echo', 'application/json', ''), { cmd: 'echo' }],
  ['a body of another type, which is not read', post('/svc?cmd=echo', 'text/plain', 'a=1'), { cmd: 'echo' }],
  [
    'a GET with a body, which is not read',
    `GET /svc?cmd=echo HTTP/1.1\r\n${HOST}Content-Type: ${FORM}\r\nContent-Length: 3\r\n\r\na=1`,
    { cmd: 'echo' },
  ],
  [
    'chunks',
    `POST /svc HTTP/1.1\r\n${HOST}Content-Type: ${FORM}\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ncmd=\r\n4\r\necho\r\n0\r\n\r\n`,
    { cmd: 'echo' },
  ],
  ['bytes that are not encoded', get('/svc?cmd=echo&a=\u00fc'), { cmd: 'echo', a: '\u00fc' }],
  ['the address of the client', get('/svc?cmd=peer'), '127.0.0.1'],
  ['headers, and none that objects inherit', get('/svc?cmd=header', `${HOST}X-A: 1\r\n`), ['1', null]],
  ['an absolute target', get('http://localhost/svc?cmd=echo'), { cmd: 'echo' }],
];

for (const [title, request, response] of ANSWERED) {
  test(`answers ${title}`, async () => {
    const answer = await sendOnce(request);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json;charset=utf-8');
    expect(JSON.parse(answer.body)).toEqual({
      successStatus: 0,
      sessionToken: null,
      securitySubjectId: null,
      error: null,
      response,
    });
  });
}

const REJECTED: ReadonlyArray<
  readonly [title: string, request: string, status: number, error: string, headers?: Record<string, string>]
> = [
  ['a broken percent code', get('/svc?cmd=%zz'), 400, 'percent-encoding'],
  ['a broken form', post('/svc', FORM, 'cmd=%'), 400, 'percent-encoding'],
  ['broken JSON', post('/svc?errors=text', 'application/json', '{'), 400, 'invalid JSON: Unexpected end of the text'],
  ['too many parameters', get(`/svc?${'a&'.repeat(51)}`), 400, 'Limit exceeded [what=parameters, limit=50'],
  ['another path', get('/other?cmd=echo'), 404, '/svc'],
  ['a path that only begins so', get('/svcx?cmd=echo'), 404, '/svc'],
  ['a path of two names [14.3]', get('/svc/echo/x'), 404, '/svc'],
  ['two slashes below', get('/svc//echo'), 404, '/svc'],
  ['an unknown command in the path', get('/svc/x'), 400, 'Unknown command: x'],
  ['a broken percent code in the path', get('/svc/%zz'), 400, 'percent-encoded path'],
  ['a path that is no UTF-8', get('/svc/%ff'), 400, 'percent-encoded path'],
  [
    'a cmd beside a path of another command [14.2]',
    get('/svc/echo?cmd=peer'),
    400,
    'names the command echo, but cmd names peer',
  ],
  ['an empty cmd beside a path of a command', get('/svc/echo?cmd='), 400, 'names the command echo, but cmd names '],
  ['a form with another cmd', post('/svc/echo', FORM, 'a=1&cmd=peer'), 400, 'but cmd names peer'],
  [
    'a JSON object with another cmd',
    post('/svc/echo?errors=text', 'application/json', '{"cmd":"peer"}'),
    400,
    'but cmd names peer',
  ],
  ['PUT of a path of a command', get('/svc/echo', HOST, 'PUT'), 405, 'GET, POST', { allow: 'GET, POST' }],
  ['DELETE of a path of a command', get('/svc/echo', HOST, 'DELETE'), 405, 'GET, POST', { allow: 'GET, POST' }],
  ['too many parameters beside a path', get(`/svc/echo?${'a&'.repeat(50)}`), 400, 'what=parameters, limit=50'],
  ['a Host that is none', get('/svc?cmd=echo', 'Host: a b\r\n'), 400, 'Host is invalid'],
  ['no Host', get('/svc?cmd=echo', ''), 400, 'Host is missing'],
  ['a path with dots', get('/a/../svc?cmd=echo'), 404, '/svc'],
  ['an unknown method', get('/svc?cmd=echo', HOST, 'BREW'), 405, 'GET, POST', { allow: 'GET, POST' }],
  ['two slashes', get('//svc?cmd=echo'), 404, '/svc'],
  ['another case', get('/SVC?cmd=echo'), 404, '/svc'],
  ['PUT', get('/svc?cmd=echo', HOST, 'PUT'), 405, 'GET, POST', { allow: 'GET, POST' }],
  ['DELETE', get('/svc?cmd=echo', HOST, 'DELETE'), 405, 'GET, POST', { allow: 'GET, POST' }],
  ['OPTIONS where no origins are configured', get('/svc', HOST, 'OPTIONS'), 405, 'GET, POST', { allow: 'GET, POST' }],
  [
    'a head that is too large',
    get('/svc?cmd=echo', `${HOST}X-Big: ${'x'.repeat(3_000)}\r\n`),
    431,
    'limitBytes=2000',
    { connection: 'close' },
  ],
  ['a target that is too long', get(`/svc?cmd=echo&a=${'x'.repeat(3_000)}`), 431, 'limitBytes=2000'],
  [
    'a body that is declared too large',
    `POST /svc HTTP/1.1\r\n${HOST}Content-Type: ${FORM}\r\nContent-Length: 10001\r\n\r\n`,
    413,
    'limitBytes=10000',
    { connection: 'close' },
  ],
  [
    'a body that turns out too large',
    `POST /svc HTTP/1.1\r\n${HOST}Content-Type: ${FORM}\r\nTransfer-Encoding: chunked\r\n\r\n3000\r\n${'x'.repeat(0x3000)}\r\n0\r\n\r\n`,
    413,
    'limitBytes=10000',
  ],
  [
    'a foreign Host while only loopback is listened on',
    get('/svc?cmd=echo', 'Host: evil.example\r\n'),
    403,
    'evil.example',
  ],
  ['a page of another site', get('/svc?cmd=echo', `${HOST}Origin: https://evil.example\r\n`), 403, 'evil.example'],
  ['a link on another site', get('/svc?cmd=echo', `${HOST}Sec-Fetch-Site: cross-site\r\n`), 403, 'cross-site'],
];

for (const [title, request] of [
  ['a query string', get('/svc?cmd=echo&password=top%secret')],
  ['a form', post('/svc', FORM, 'cmd=echo&password=top%secret')],
  ['a large form', post('/svc', FORM, `a=${'x'.repeat(5_000)}&password=top%secret`)],
] as const) {
  test(`quotes nothing of a password with a percent sign in ${title}`, async () => {
    const { status, body } = await sendOnce(request);
    expect([status, body.includes('invalid percent-encoding'), body.includes('%s')]).toEqual([400, true, false]);
  });
}

for (const [title, request, status, error, headers = {}] of REJECTED) {
  test(`rejects ${title} with ${status}`, async () => {
    const answer = await sendOnce(request);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe('application/json;charset=utf-8');
    expect(JSON.parse(answer.body)).toEqual({
      successStatus: status === 403 ? 3 : 1,
      sessionToken: null,
      securitySubjectId: null,
      error: expect.stringContaining(error),
      response: null,
    });
    for (const [name, value] of Object.entries(headers)) expect(answer.headers.get(name)).toBe(value);
  });
}

test('rejects HEAD without a response body', async () => {
  const answer = await fetch(`${server.url}?cmd=echo`, { method: 'HEAD' });
  expect([answer.status, answer.headers.get('allow'), await answer.text()]).toEqual([405, 'GET, POST', '']);
});

test('writes all members of an outcome', async () => {
  const { body } = await sendOnce(get('/svc?cmd=affinity'));
  expect(JSON.parse(body)).toEqual({
    successStatus: 0,
    affinityNodeId: null,
    sessionToken: 'T',
    securitySubjectId: 'S',
    error: null,
    response: 1,
  });
});

test('writes an outcome without an envelope', async () => {
  const { body, headers } = await sendOnce(get('/svc?cmd=csv'));
  expect([body, headers.get('content-type')]).toEqual(['a,b\n', 'text/csv;charset=utf-8']);
});

test('writes an outcome with another HTTP status', async () => {
  const { status, body } = await sendOnce(get('/svc?cmd=rejected'));
  expect([status, JSON.parse(body).error]).toEqual([404, 'no "such"']);
});

for (const cmd of ['throws', 'rejects']) {
  test(`what a command ${cmd} is told to the log and answered with JSON`, async () => {
    const { status, body } = await sendOnce(get(`/svc?cmd=${cmd}`));
    expect(status).toBe(500);
    expect(JSON.parse(body).error).toContain('id=some-id');
    expect(server.unexpected.at(-1)).toEqual(new Error('unforeseen'));
  });
}

async function twice(connection: HttpConnection, first: string, second: string): Promise<[number, number]> {
  const one = await connection.send(first);
  const two = await connection.send(second);
  return [one.status, two.status];
}

const KEPT: ReadonlyArray<readonly [title: string, request: string]> = [
  ['an answer', get('/svc?cmd=echo')],
  ['a later answer', get('/svc?cmd=later')],
  ['a form', post('/svc', FORM, 'cmd=echo')],
  ['a body that is not read', post('/svc?cmd=echo', 'text/plain', 'x'.repeat(5_000))],
  ['a rejection', get('/other')],
];

for (const [title, request] of KEPT) {
  test(`the connection is kept after ${title}`, async () => {
    const connection = await openConnection(server.port);
    const statuses = await twice(connection, request, get('/svc?cmd=echo'));
    connection.close();
    expect(statuses[1]).toBe(200);
  });
}

test('reads a body that arrives in parts', async () => {
  const answered = Promise.withResolvers<string>();
  let received = Buffer.alloc(0);
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: server.port,
    socket: {
      data(_socket, chunk) {
        received = Buffer.concat([received, chunk]);
        const parsed = parseAnswer(received);
        if (parsed !== undefined) answered.resolve(parsed.answer.body);
      },
      close: () => answered.reject(new Error('The connection was closed.')),
    },
  });
  const request = post('/svc', FORM, 'cmd=echo&a=1');
  for (const part of [request.slice(0, 30), request.slice(30, -9), request.slice(-9, -2), request.slice(-2)]) {
    socket.write(part);
    await Bun.sleep(20);
  }
  expect(JSON.parse(await answered.promise).response).toEqual({ cmd: 'echo', a: '1' });
  socket.end();
});

test('a client that disconnects in the middle of its body leaves nothing behind', async () => {
  const connection = await openConnection(server.port);
  connection
    .send(`POST /svc HTTP/1.1\r\n${HOST}Content-Type: ${FORM}\r\nContent-Length: 100\r\n\r\ncmd=`)
    .catch(() => undefined);
  await Bun.sleep(20);
  connection.close();
  await Bun.sleep(50);
  expect(server.statistics().inFlight).toBe(0);
  expect((await sendOnce(get('/svc?cmd=echo'))).status).toBe(200);
});

test('a client that left before its connection was accepted gets no request handled', async () => {
  const failures = server.unexpected.length;
  const client = `
    const socket = require('node:net').connect(${server.port}, '127.0.0.1', () =>
      socket.write('GET /svc?cmd=peer HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n', () => socket.resetAndDestroy()));`;
  // This thread accepts the connection only when the client has ended.
  expect(Bun.spawnSync([process.execPath, '-e', client]).exitCode).toBe(0);
  expect((await sendOnce(get('/svc?cmd=peer'))).status).toBe(200);
  expect(server.unexpected.length).toBe(failures);
});

test('reports metrics', async () => {
  const before = server.statistics();
  await sendOnce(get('/svc?cmd=echo'));
  await sendOnce(get('/other'));
  const after = server.statistics();
  expect(after.requests - before.requests).toBe(2);
  expect(after.rejected - before.rejected).toBe(1);
  expect(after.receivedBytes).toBeGreaterThan(before.receivedBytes);
  expect(after.sentBytes).toBeGreaterThan(before.sentBytes);
});

test('serves pages', async () => {
  const { origin } = new URL(server.url);
  const openApi = await fetch(`${origin}/openapi.json`);
  expect([openApi.status, await openApi.json()]).toEqual([200, { openapi: '3.1.0' }]);
  const metrics = await fetch(`${origin}/metrics`);
  expect([metrics.headers.get('content-type'), await metrics.text()]).toEqual([
    'text/plain;version=0.0.4',
    'svc_up 1\n',
  ]);
  expect((await fetch(`${origin}/metrics`, { method: 'POST' })).status).toBe(405);
});

test('leads from /docs to the commands in the console, if both are on', async () => {
  const read = async (url: string, path: string, method = 'GET') => {
    const { status, headers } = await fetch(`${new URL(url).origin}${path}`, { method, redirect: 'manual' });
    return [status, headers.get('location')];
  };
  await using both = await startEcho({ settings: { docs: true, console: true } });
  expect(await read(both.url, '/docs')).toEqual([302, 'console#/commands']);
  expect(await read(both.url, '/docs', 'HEAD')).toEqual([302, 'console#/commands']);
  expect(await read(both.url, '/docs/')).toEqual([302, '../console#/commands']);
  expect(await read(both.url, '/docs/none')).toEqual([404, null]);
  expect(await read(both.url, '/docsx')).toEqual([404, null]);
  expect(await read(both.url, '/docs', 'POST')).toEqual([405, null]);
  for (const settings of [
    { docs: false, console: true },
    { docs: true, console: false },
  ]) {
    await using without = await startEcho({ settings });
    expect(await read(without.url, '/docs')).toEqual([404, null]);
  }
});

test('the service can have another name', async () => {
  await using other = await startEcho({ serviceName: 'grid' });
  expect(other.url).toBe(`http://127.0.0.1:${other.port}/grid`);
  expect((await fetch(`${other.url}?cmd=echo`)).status).toBe(200);
  expect((await fetch(`http://127.0.0.1:${other.port}/svc?cmd=echo`)).status).toBe(404);
});

test('requests beyond those in progress are rejected at once', async () => {
  const releases: Array<() => void> = [];
  await using busy = await startEcho({
    limits: { requestsInFlight: 1, requestsWaiting: 2 },
    commands: { wait: () => new Promise((resolve) => releases.push(() => resolve('true'))) },
  });
  const answers = [1, 2, 3].map((n) => fetch(`${busy.url}?cmd=wait&n=${n}`));
  while (busy.statistics().inFlight < answers.length) await Bun.sleep(1);
  const rejected = await fetch(`${busy.url}?cmd=wait&n=4`);
  expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await rejected.text()).toContain('Too many requests are waiting');
  for (const release of releases) release();
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(busy.statistics()).toMatchObject({ inFlight: 0, overloaded: 1 });
});

test('bodies that came with their heads count towards the bytes of requests while they are in work', async () => {
  const released = Promise.withResolvers<void>();
  await using own = await startEcho({
    limits: { requestBodyBytes: 100_000, requestBufferBytes: 0 },
    commands: { wait: () => released.promise.then(() => '"done"') },
  });
  // The budget has 1 MiB besides a body of the largest size.
  const request = post('/svc', FORM, `cmd=wait&a=${'x'.repeat(50_000)}`);
  const connections = await Promise.all(Array.from({ length: 30 }, () => openConnection(own.port)));
  const answers = connections.map((connection) => connection.send(request));
  const rejected = await Promise.race(answers);
  expect([rejected.status, JSON.parse(rejected.body).error]).toEqual([503, expect.stringContaining('buffered')]);
  released.resolve();
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200).length).toBeWithin(20, 24);
  for (const connection of connections) connection.close();
  // Nothing is held any more.
  expect((await sendTo(own.port, request)).status).toBe(200);
});

test('no response may be cached or taken for another media type', async () => {
  await using server = await startEcho();
  const origin = new URL(server.url).origin;
  for (const path of ['/svc?cmd=echo', '/svc?cmd=none', '/health/live', '/metrics', '/openapi.json', '/other']) {
    const { headers } = await fetch(`${origin}${path}`);
    expect([path, headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual([
      path,
      'no-store',
      'nosniff',
    ]);
    expect(headers.get('strict-transport-security')).toBeNull();
  }
});
