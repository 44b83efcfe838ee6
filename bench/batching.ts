/**
 * `npm run bench:batching [-- --pairs 5 --concurrency 64]`: measures concurrent calls of one TypeScript client with
 * batching and without, in interleaved pairs: operations per second, and CPU time of the service and of the client's
 * process per operation. Prints the ratio of each pair and the medians. Exits with 1 when batching gives less than
 * `--gain` (1.7) times the operations, or takes more than `--cpu` (0.7) of the CPU time of the service.
 */
import { parseArgs } from 'node:util';
import { SvcClient } from '../src/client/client.ts';
import { medianOf } from './load.ts';
import { cpuMs } from './process-usage.ts';
import { startSvc } from './servers.ts';

const { values } = parseArgs({
  options: {
    pairs: { type: 'string', default: '5' },
    duration: { type: 'string', default: '2000' },
    concurrency: { type: 'string', default: '64' },
    keys: { type: 'string', default: '10000' },
    gain: { type: 'string', default: '1.7' },
    cpu: { type: 'string', default: '0.7' },
  },
});
const pairs = Number(values.pairs);
const durationMs = Number(values.duration);
const concurrency = Number(values.concurrency);
const keys = Number(values.keys);
const cacheName = 'batched';

await using server = await startSvc(1, '', { SVC_LIMITS_IDEMPOTENCY_KEYS: '100000000' });
const url = `http://127.0.0.1:${server.port}${server.path}`;
const clients = [true, false].map((batching) => new SvcClient({ url, batching }));
const [batched, single] = clients;
if (batched === undefined || single === undefined) throw new Error('two clients');
await batched.getorcreate({ cacheName });
const names = Array.from({ length: keys }, (_, at) => `key-${at}`);
await batched.putall({ cacheName, keys: names, values: names });

type Operation = (client: SvcClient, at: number) => Promise<unknown>;
const nameOf = (at: number): string => `key-${(at * 7_919) % keys}`;
const OPERATIONS: Readonly<Record<string, Operation>> = {
  get: (client, at) => client.get({ cacheName, key: nameOf(at) }),
  put: (client, at) => client.put({ cacheName, key: nameOf(at), val: `value ${at}` }),
  'get, one put in ten': (client, at) =>
    at % 10 === 0
      ? client.put({ cacheName, key: nameOf(at), val: `value ${at}` })
      : client.get({ cacheName, key: nameOf(at) }),
};

async function measure(operation: Operation, client: SvcClient) {
  let done = 0;
  const begunMs = performance.now();
  const [server0, client0] = [cpuMs(server.pid), process.cpuUsage()];
  const callers = Array.from({ length: concurrency }, async () => {
    while (performance.now() - begunMs < durationMs) await operation(client, done++);
  });
  await Promise.all(callers);
  const { user, system } = process.cpuUsage(client0);
  return {
    perSecond: (done * 1000) / (performance.now() - begunMs),
    serverMicros: ((cpuMs(server.pid) - server0) * 1000) / done,
    clientMicros: (user + system) / done,
  };
}

for (const [name, operation] of Object.entries(OPERATIONS)) {
  for (const client of clients) await measure(operation, client);
  const ratios: Array<Readonly<Record<'gain' | 'server' | 'client', number>>> = [];
  for (let pair = 0; pair < pairs; pair++) {
    // The order alternates, so a drift in the machine's speed favours neither.
    const first = await measure(operation, pair % 2 === 0 ? batched : single);
    const second = await measure(operation, pair % 2 === 0 ? single : batched);
    const [together, alone] = pair % 2 === 0 ? [first, second] : [second, first];
    ratios.push({
      gain: together.perSecond / alone.perSecond,
      server: together.serverMicros / alone.serverMicros,
      client: together.clientMicros / alone.clientMicros,
    });
    process.stdout.write(
      `${name}: ${together.perSecond.toFixed(0)}/${alone.perSecond.toFixed(0)} operations per second, ` +
        `CPU time in us of the service ${together.serverMicros.toFixed(1)}/${alone.serverMicros.toFixed(1)}, ` +
        `of the client ${together.clientMicros.toFixed(1)}/${alone.clientMicros.toFixed(1)}\n`,
    );
  }
  const gain = medianOf(ratios.map((each) => each.gain));
  const server = medianOf(ratios.map((each) => each.server));
  const client = medianOf(ratios.map((each) => each.client));
  process.stdout.write(
    `${name}, batched against single, medians: operations per second ${gain.toFixed(2)}, ` +
      `CPU time of the service ${server.toFixed(2)}, of the client ${client.toFixed(2)}\n`,
  );
  if (gain < Number(values.gain) || server > Number(values.cpu)) process.exitCode = 1;
}
