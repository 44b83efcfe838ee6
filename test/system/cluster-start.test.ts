/** A service whose cluster is unreachable or invalid: it is live, retries, and reports the reason. */
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { Random } from '../simulation/random.ts';
import { runSvcProcess } from './cli/cli-process.ts';
import { allowedMs } from './machine.ts';
import { newFolder, type ServiceProcess, StartFailure, startService } from './service-process.ts';

setDefaultTimeout(60_000);

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

function frame(hex: string): Buffer {
  const body = Buffer.from(hex.replaceAll(' ', ''), 'hex');
  const length = Buffer.alloc(4);
  length.writeInt32LE(body.length);
  return Buffer.concat([length, body]);
}

/** The response of a node that accepts the handshake. */
const WELCOME = frame(`01 0c 03000000 ffff0b 0a ${'11'.repeat(16)}`);

/** A rejected handshake: version 1.7.0, no text, a status. */
function rejection(status: number): Buffer {
  const code = Buffer.alloc(4);
  code.writeInt32LE(status);
  return frame(`00 0100 0700 0000 09 02000000 4e6f ${code.toString('hex')}`);
}

/** A fake node; `answer` receives each chunk of a connection, numbered from 0. */
async function listen(answer: (socket: Socket, chunk: Buffer, number: number) => void): Promise<number> {
  const server = createServer((socket) => {
    let number = 0;
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => answer(socket, chunk, number++));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function start(port: number, env: Readonly<Record<string, string>> = {}): Promise<ServiceProcess> {
  return startService({ env: { SVC_ENGINE: 'cluster', SVC_ENDPOINTS: `127.0.0.1:${port}`, ...env } });
}

function logOf({ dataDir }: ServiceProcess): string {
  const paths = readdirSync(dataDir, { recursive: true }).map(String);
  const name = paths.find((path) => path.endsWith('svc.log'));
  return name === undefined ? '' : readFileSync(join(dataDir, name), 'utf8');
}

async function expectWaiting(service: ServiceProcess): Promise<void> {
  const [live, ready] = await Promise.all(
    ['live', 'ready'].map((path) => fetch(`${service.origin}/health/${path}`).then(({ status }) => status)),
  );
  expect([live, ready]).toEqual([200, 503]);
  const answer = await service.send('cmd=get&key=a');
  expect([answer.http, answer.successStatus]).toEqual([200, 1]);
  expect(answer.error).toStartWith('No node of the cluster can be reached: ');
  expect((await service.send('cmd=put&key=a&val=b&httpStatus=true')).http).toBe(503);
  expect(service.output()).not.toMatch(/ {4}at /);
}

const endless = (socket: Socket): void => {
  const timer = setInterval(() => socket.write(Buffer.alloc(64, 0x41)), 5);
  socket.on('close', () => clearInterval(timer));
};

/** Accepts the handshake, and then sends random bytes determined by a seed. */
function randomAfterHandshake(seed: number) {
  const random = new Random(seed);
  return (socket: Socket, _chunk: Buffer, number: number): void => {
    if (number === 0) {
      socket.write(WELCOME);
      return;
    }
    const timer = setInterval(() => socket.write(Buffer.from(Array.from({ length: 64 }, () => random.below(256)))), 5);
    socket.on('close', () => clearInterval(timer));
  };
}

/** Responds to every request with success and the body. */
function answering(body: string) {
  return (socket: Socket, chunk: Buffer, number: number): void => {
    if (number === 0) socket.write(WELCOME);
    else socket.write(frame(`${chunk.subarray(6, 14).toString('hex')} 0000 ${body}`));
  };
}

describe('a cluster that does not respond correctly', () => {
  const nodes: ReadonlyArray<readonly [string, (socket: Socket, chunk: Buffer, number: number) => void]> = [
    ['a node that closes the connection', (socket) => socket.destroy()],
    ['a silent node', () => {}],
    ['a web server', (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['endless bytes', endless],
    ['a handshake that ends early', (socket) => socket.write(frame('01 0c ffffff7f'))],
    ['a node in recovery', (socket) => socket.write(rejection(11))],
    ['a node that cannot check users yet', (socket) => socket.write(rejection(1))],
    [
      'endless bytes after the handshake',
      (socket, _chunk, number) => void (number === 0 ? socket.write(WELCOME) : endless(socket)),
    ],
    ['random bytes after the handshake, seed 1', randomAfterHandshake(1)],
    ['random bytes after the handshake, seed 2', randomAfterHandshake(2)],
    // Between attempts, only a timer is left.
    [
      'a node that closes the connection after the handshake',
      (socket, _chunk, number) => void (number === 0 ? socket.write(WELCOME) : socket.destroy()),
    ],
    ['responses without a body', answering('')],
    ['responses with huge counts', answering('ffffff7f ffffff7f ffffff7f ffffff7f')],
    [
      'a node that is silent after the handshake',
      (socket, _chunk, number) => void (number === 0 && socket.write(WELCOME)),
    ],
  ];
  test.each(nodes)('%s: the service is live but not ready, and stops immediately', async (_title, answer) => {
    await using service = await start(await listen(answer));
    await expectWaiting(service);
    const begunMs = performance.now();
    expect(await service.stop()).toBe(0);
    expect(performance.now() - begunMs).toBeLessThan(allowedMs(5_000));
  });

  test('a node without TLS where TLS is expected', async () => {
    const port = await listen((socket) => socket.write(rejection(1)));
    await using service = await start(port, { SVC_ENGINE_CLUSTER_TLS_ENABLED: 'true' });
    await expectWaiting(service);
  });
});

test('without a node, the service retries with back-off and logs the reason once', async () => {
  await using service = await start(freePort());
  await expectWaiting(service);
  const status = await runSvcProcess(['status', '--data-dir', service.dataDir], { cwd: newFolder() });
  expect([status.exitCode, JSON.parse(status.output)]).toEqual([
    1,
    expect.objectContaining({ state: 'not ready', url: service.url }),
  ]);
  await Bun.sleep(3_000);
  await expectWaiting(service);
  expect(service.output()).toContain('commands fail until the cluster answers: No node of the cluster can be reached');
  const metrics = await (await fetch(`${service.origin}/metrics`)).text();
  expect(metrics).toContain('\nsvc_ready 0\n');
  const attempts = Number(/^svc_cluster_attempts_total (\d+)$/m.exec(metrics)?.[1]);
  expect(attempts).toBeGreaterThan(2);
  expect(attempts).toBeLessThan(12);
  expect(logOf(service).match(/The cluster is unreachable; retrying/g)).toHaveLength(1);
  await service.stop();
  const stopped = await runSvcProcess(['stop', '--data-dir', service.dataDir], { cwd: newFolder() });
  expect(stopped.output).toStartWith('no service runs on ');
});

test('a node that rejects the credentials ends the start with an error message', async () => {
  const port = await listen((socket) => socket.write(rejection(2000)));
  const failure = await start(port, {
    SVC_ENGINE_CLUSTER_USER: 'ann',
    SVC_ENGINE_CLUSTER_PASSWORD: 'wrong',
  }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StartFailure);
  if (!(failure instanceof StartFailure)) return;
  expect(failure.exitCode).toBe(1);
  expect(failure.output).toContain('The user name or password is incorrect [userName=ann]');
  expect(failure.output).not.toMatch(/ {4}at /);
});
