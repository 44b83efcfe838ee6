/**
 * `npm run bench:feed [-- --pairs 5 --consumers 10]`: measures durable puts to a cache with a change feed that
 * consumers follow, and to one without, in interleaved pairs. Prints the throughput of both, what the consumers
 * received, and the median ratio. Exits with 1 when the feed costs more than `--limit` (0.25) of the throughput.
 */
import { parseArgs } from 'node:util';
import { runLoad } from './load.ts';
import { type BenchRequest, createRequests } from './requests.ts';
import { fill, startSvc } from './servers.ts';

const { values } = parseArgs({
  options: {
    pairs: { type: 'string', default: '5' },
    duration: { type: 'string', default: '2000' },
    consumers: { type: 'string', default: '10' },
    limit: { type: 'string', default: '0.25' },
  },
});
const pairs = Number(values.pairs);
const durationMs = Number(values.duration);
const ENTRIES = 1_000;
const CONNECTIONS = 64;

await using server = await startSvc(1);
const endpoint = `http://127.0.0.1:${server.port}${server.path}`;
const command = (query: string): Promise<Response> => fetch(`${endpoint}?${query}`);
for (const cache of ['plain', 'fed']) {
  await command(`cmd=getorcreate&cacheName=${cache}${cache === 'fed' ? '&changeFeed=true' : ''}`);
  await fill(server, cache, 0, ENTRIES);
}
const [plain, fed] = ['plain', 'fed'].map((cache) => createRequests(server.path, 'put', cache, ENTRIES));

// Consumers are programs of their own: this one measures.
const consumers = Array.from({ length: Number(values.consumers) }, () =>
  Bun.spawn(['curl', '-sN', `${endpoint}?cmd=watch&cacheName=fed`], { stdout: 'ignore' }),
);

async function throughput(requests: readonly BenchRequest[] | undefined): Promise<number> {
  const plan = {
    kind: 'sockets',
    port: server.port,
    connections: CONNECTIONS,
    serverPid: server.pid,
    warmUpMs: 300,
    durationMs,
  } as const;
  return (await runLoad(plan, requests ?? [])).perSecond;
}

/** Returns how many changes all consumers have received. */
async function delivered(): Promise<number> {
  const page = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
  return Number(/^svc_change_feed_changes_total (\d+)$/m.exec(page)?.[1] ?? 0);
}

try {
  for (const requests of [plain, fed]) await throughput(requests);
  const ratios: number[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    const isPlainFirst = pair % 2 === 0;
    const before = await delivered();
    const first = await throughput(isPlainFirst ? plain : fed);
    const second = await throughput(isPlainFirst ? fed : plain);
    const [without, withFeed] = isPlainFirst ? [first, second] : [second, first];
    const received = ((await delivered()) - before) / (durationMs / 1_000);
    ratios.push(withFeed / without);
    process.stdout.write(
      `puts per second without feed ${without.toFixed(0)}, with ${withFeed.toFixed(0)} ` +
        `(${consumers.length} consumers, about ${received.toFixed(0)} changes per second to them): ratio ` +
        `${(withFeed / without).toFixed(3)}\n`,
    );
  }
  const median = ratios.sort((a, b) => a - b)[Math.floor(ratios.length / 2)] ?? Number.NaN;
  process.stdout.write(`median ratio ${median.toFixed(3)}\n`);
  if (!(median >= 1 - Number(values.limit))) process.exitCode = 1;
} finally {
  for (const consumer of consumers) consumer.kill();
}
