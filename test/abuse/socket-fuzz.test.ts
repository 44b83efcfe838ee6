/** The short form of the fuzzers over sockets, and the defects that each of them finds. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type ServiceProcess, startService } from '../system/service-process.ts';
import { createTables } from './attacks/run-attack.ts';
import { COMMANDS_OVER_SOCKET, fuzzService, HTTP_OVER_SOCKET, type SocketFuzzer } from './fuzz/over-socket.ts';
import { chosenSeed, describeFinding } from './fuzz/run-fuzz.ts';

const seed = chosenSeed(20_270);
const TEST_LIMIT_MS = 120_000;
let service: ServiceProcess;

beforeAll(async () => {
  service = await startService({ env: { SVC_WORKERS: '2' } });
  await createTables(service);
}, TEST_LIMIT_MS);
afterAll(() => service.kill());

const RUNS: ReadonlyArray<readonly [fuzzer: SocketFuzzer, inputs: number]> = [
  [HTTP_OVER_SOCKET, 3_000],
  [COMMANDS_OVER_SOCKET, 10_000],
];

for (const [fuzzer, inputs] of RUNS) {
  test(
    `${fuzzer.name} finds nothing with seed ${seed}`,
    async () => {
      const finding = await fuzzService(fuzzer, service.port, seed, 0, inputs);
      expect(finding === undefined ? '' : describeFinding(finding)).toBe('');
      expect((await service.send('cmd=version')).http).toBe(200);
    },
    TEST_LIMIT_MS,
  );
}

/** Defects that a proxy between the fuzzer and the service plants into the text of the answers. */
const PLANTED: ReadonlyArray<readonly [title: string, fuzzer: SocketFuzzer, harm: (answers: string) => string]> = [
  ['a rejected request is not answered', HTTP_OVER_SOCKET, (text) => (text.startsWith('HTTP/1.1 400') ? '' : text)],
  ['405 has two lengths', HTTP_OVER_SOCKET, (text) => text.replace(/(405[\s\S]*?)(Content-Length: \d+\r\n)/, '$1$2$2')],
  [
    'an error loses its first quote',
    COMMANDS_OVER_SOCKET,
    (text) => text.replace('"error":"Failed', '"error": Failed'),
  ],
  [
    'a status is not a number',
    COMMANDS_OVER_SOCKET,
    (text) => (text.includes('NaN') ? text.replace(' 200 ', ' 2OO ') : text),
  ],
];

for (const [title, fuzzer, harm] of PLANTED) {
  test(
    `${fuzzer.name} finds that ${title}`,
    async () => {
      using proxy = startProxy(service.port, harm);
      const finding = await fuzzService({ ...fuzzer, shrinks: false }, proxy.port, 1, 0, 3_000);
      expect(finding).toBeDefined();
    },
    TEST_LIMIT_MS,
  );
}

/** A proxy that forwards everything to the service and changes the answers. */
function startProxy(target: number, harm: (answers: string) => string): { port: number; [Symbol.dispose]: () => void } {
  const listener = Bun.listen<{ upstream: Promise<Bun.Socket> }>({
    hostname: '127.0.0.1',
    port: 0,
    allowHalfOpen: true,
    socket: {
      open(client) {
        const upstream = Bun.connect({
          hostname: '127.0.0.1',
          port: target,
          allowHalfOpen: true,
          socket: {
            data: (_socket, bytes) => void client.write(Buffer.from(harm(bytes.toString('latin1')), 'latin1')),
            end: () => void client.end(),
            close: () => void client.end(),
          },
        });
        client.data = { upstream };
      },
      data({ data }, bytes) {
        const copy = Buffer.from(bytes);
        void data.upstream.then((upstream) => upstream.write(copy));
      },
      end: ({ data }) => void data.upstream.then((upstream) => upstream.shutdown()),
      close: ({ data }) => void data.upstream.then((upstream) => upstream.terminate()),
    },
  });
  return { port: listener.port, [Symbol.dispose]: () => listener.stop(true) };
}
