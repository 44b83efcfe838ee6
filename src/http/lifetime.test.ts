/** Time limits and shutdown: idle connections, long requests, stopping, ports. */
import { expect, test } from 'bun:test';
import { SETTINGS, startEcho } from '../../test/fixtures/http/echo.ts';
import { openConnection } from '../../test/system/http-connection.ts';
import { bindFirstFree, PortError } from './ports.ts';
import { reservePorts } from './server.ts';

const GET = (cmd: string) => `GET /svc?cmd=${cmd} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
const later = (delayMs: number) => async () => {
  await Bun.sleep(delayMs);
  return '"slow"';
};

test('answers a request that runs longer than the idle timeout, and then keeps the connection', async () => {
  await using server = await startEcho({ settings: { idleTimeoutSeconds: 1 }, commands: { long: later(3_000) } });
  const connection = await openConnection(server.port);
  expect((await connection.send(GET('long'))).status).toBe(200);
  expect((await connection.send(GET('echo'))).status).toBe(200);
  const idle = Promise.race([connection.ended.then(() => 'closed'), Bun.sleep(5_000)]);
  expect(await idle).toBe('closed');
}, 30_000);

test('stopping answers requests in progress, rejects new ones and closes idle connections', async () => {
  const server = await startEcho({ commands: { long: later(300) } });
  const [busy, idle] = await Promise.all([openConnection(server.port), openConnection(server.port)]);
  await idle.send(GET('echo'));
  const answer = busy.send(GET('long'));
  await Bun.sleep(50);
  const stopped = server.stop();
  await idle.ended;
  const done = await answer;
  expect([done.status, JSON.parse(done.body).response]).toEqual([200, 'slow']);
  await stopped;
  expect(openConnection(server.port)).rejects.toThrow();
});

test('stopping closes connections after its time limit', async () => {
  const server = await startEcho({ commands: { never: () => new Promise<string>(() => {}) } });
  const connection = await openConnection(server.port);
  connection.send(GET('never')).catch(() => undefined);
  await Bun.sleep(50);
  const begunMs = performance.now();
  await server.stop(200);
  expect(performance.now() - begunMs).toBeLessThan(5_000);
});

const HEALTH: ReadonlyArray<
  readonly [title: string, path: string, ready: (withBackup: boolean) => boolean | Promise<boolean>, status: number]
> = [
  ['live', '/health/live', () => false, 200],
  ['ready', '/health/ready', () => true, 200],
  ['not ready', '/health/ready', async () => false, 503],
  ['ready without its backup', '/health/ready?backup=false', (withBackup) => !withBackup, 200],
  ['not ready because of its backup', '/health/ready?backup=true', (withBackup) => !withBackup, 503],
  ['unable to say', '/health/ready', async () => Promise.reject(new Error('no')), 503],
];

for (const [title, path, ready, status] of HEALTH) {
  test(`health: ${title}`, async () => {
    await using server = await startEcho({ ready });
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, {
      headers: { Origin: 'https://monitor.example' },
    });
    expect([answer.status, await answer.json()]).toEqual([status, { status: status === 200 ? 'up' : 'down' }]);
  });
}

test('listens on the next free port of the range', async () => {
  await using first = await startEcho({ settings: { port: 21_410, portRange: 5 } });
  await using second = await startEcho({ settings: { port: 21_410, portRange: 5 } });
  expect([first.port, second.port]).toEqual([21_410, 21_411]);
  expect(second.url).toBe('http://127.0.0.1:21411/svc');
  expect(startEcho({ settings: { port: 21_410, portRange: 2 } })).rejects.toThrow('all ports from 21410 to 21411');
});

test('a range of 0 tries only the configured port', async () => {
  await using _first = await startEcho({ settings: { port: 21_415, portRange: 0 } });
  expect(startEcho({ settings: { port: 21_415, portRange: 0 } })).rejects.toThrow('port 21415 is in use');
});

test('a reserved port can be shared only by servers of this process', async () => {
  const settings = { ...SETTINGS, port: 21_420, portRange: 5 };
  const first = reservePorts(settings);
  const second = reservePorts(settings);
  expect([first.plain, second.plain]).toEqual([21_420, 21_421]);
  await using one = await startEcho({ settings, ports: first });
  await using two = await startEcho({ settings, ports: first });
  expect([one.port, two.port]).toEqual([21_420, 21_420]);
  await using stranger = await startEcho({ settings });
  expect(stranger.port).toBe(21_421);
  first.release();
  second.release();
});

test('localhost listens on both loopback addresses', async () => {
  await using server = await startEcho({ settings: { host: 'localhost' } });
  expect(server.url).toBe(`http://localhost:${server.port}/svc`);
  for (const address of server.addresses) {
    const connection = await openConnection(server.port, '/svc', address);
    expect((await connection.send(GET('echo'))).status).toBe(200);
    connection.close();
  }
  expect(server.addresses).toContain('127.0.0.1');
});

test('reports an address that the machine does not have', () => {
  const bind = (hostname: string, port: number) => {
    const server = Bun.serve({ hostname, port, fetch: () => new Response() });
    return { port: server.port ?? 0, stop: () => void server.stop(true) };
  };
  expect(() => bindFirstFree(['192.0.2.1'], 21_430, 5, bind)).toThrow(PortError);
});

test.each([
  ['EACCES', 'choose a port from 1024 on'],
  ['EADDRNOTAVAIL', 'this machine has no such address'],
  ['EINVAL', 'Failed to listen'],
])('a port that cannot be bound because of %s: %s', (code, advice) => {
  const bind = () => {
    throw Object.assign(new Error('Failed to listen'), { code });
  };
  expect(() => bindFirstFree(['127.0.0.1'], 80, 1, bind)).toThrow(advice);
});

test('a separate metrics port serves no commands', async () => {
  await using server = await startEcho({ settings: { metricsPort: 21_440 } });
  expect((await fetch('http://127.0.0.1:21440/metrics')).status).toBe(200);
  expect((await fetch('http://127.0.0.1:21440/health/live')).status).toBe(200);
  expect((await fetch('http://127.0.0.1:21440/svc?cmd=echo')).status).toBe(404);
  expect((await fetch(`${server.url}?cmd=echo`)).status).toBe(200);
});
