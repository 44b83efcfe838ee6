/**
 * `npm run bench:feed [-- --pairs 5 --consumers 10 --rate 20000]`: measures durable puts, of which `--rate` per second
 * of CPU time go to a cache with a change feed that consumers follow, and the same puts to a cache without one, in
 * interleaved pairs. `--rate all`: all puts go to the cache with the feed. Prints throughput, CPU time per put and what
 * the consumers received. The writer's thread is never idle, so its CPU time determines the throughput but, unlike the
 * throughput, does not depend on other work on the machine. Exits with 1 when the feed costs more than `--limit` (0.25)
 * of the puts that fit in a second of CPU time, by the median of the pairs.
 */
import { parseArgs } from 'node:util';
import { type LoadResult, runLoad } from './load.ts';
import { type BenchRequest, createRequests } from './requests.ts';
import { startSvc } from './servers.ts';
import { fill, oneWorkload, oneWorkloadOptions } from './workload.ts';

const { values } = parseArgs({
  options: {
    ...oneWorkloadOptions,
    pairs: { type: 'string', default: '5' },
    duration: { type: 'string', default: '2000' },
    consumers: { type: 'string', default: '10' },
    limit: { type: 'string', default: '0.25' },
    rate: { type: 'string', default: '20000' },
  },
});
const pairs = Number(values.pairs);
const durationMs = Number(values.duration);
const workload = oneWorkload(values);
const CONNECTIONS = 64;

await using server = await startSvc(1);
const endpoint = `http://127.0.0.1:${server.port}${server.path}`;
const command = (query: string): Promise<Response> => fetch(`${endpoint}?${query}`);
for (const cache of ['plain', 'fed']) {
  await command(`cmd=getorcreate&cacheName=${cache}${cache === 'fed' ? '&changeFeed=true' : ''}`);
  await fill(server, cache, workload);
}
const [plain = [], fed = []] = ['plain', 'fed'].map((cache) => createRequests(server.path, 'put', cache, workload));
const rate = values.rate === 'all' ? Number.POSITIVE_INFINITY : Number(values.rate);

/** The part of the mixed puts that go to the cache with the feed. */
let share = 1;

/** Returns requests, of which `--rate` per second of CPU time go to the cache with the feed. */
function mixed(cpuMicros: number): readonly BenchRequest[] {
  share = Math.min(1, (rate * cpuMicros) / 1e6);
  return plain.map((request, index) => {
    const isFed = Math.floor((index + 1) * share) > Math.floor(index * share);
    return isFed ? (fed[index] ?? request) : request;
  });
}

// Consumers are separate programs: this one measures.
const consumers = Array.from({ length: Number(values.consumers) }, () =>
  Bun.spawn(['curl', '-sN', `${endpoint}?cmd=watch&cacheName=fed`], { stdout: 'ignore' }),
);

async function measure(requests: readonly BenchRequest[]): Promise<LoadResult> {
  const plan = {
    kind: 'sockets',
    port: server.port,
    connections: CONNECTIONS,
    serverPid: server.pid,
    warmUpMs: 300,
    durationMs,
  } as const;
  return runLoad(plan, requests);
}

/** Returns how many changes all consumers have received. */
async function delivered(): Promise<number> {
  const page = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
  return Number(/^svc_change_feed_changes_total (\d+)$/m.exec(page)?.[1] ?? 0);
}

try {
  await measure(fed);
  // The share depends on the CPU time of a put in the mix, which the first measurements determine.
  let requests = mixed((await measure(plain)).cpuMicros);
  requests = mixed((await measure(requests)).cpuMicros);
  const ratios: number[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    const isPlainFirst = pair % 2 === 0;
    const before = await delivered();
    const first = await measure(isPlainFirst ? plain : requests);
    const second = await measure(isPlainFirst ? requests : plain);
    const [without, withFeed] = isPlainFirst ? [first, second] : [second, first];
    const received = (await delivered()) - before;
    ratios.push(without.cpuMicros / withFeed.cpuMicros);
    process.stdout.write(
      `puts: without feed ${without.perSecond.toFixed(0)} per second, ${without.cpuMicros.toFixed(1)} us CPU each; with ` +
        `${withFeed.perSecond.toFixed(0)}, ${withFeed.cpuMicros.toFixed(1)} us, of them ` +
        `${((share * 1e6) / withFeed.cpuMicros).toFixed(0)} changes per second of CPU time; ${consumers.length} consumers ` +
        `received ${received}; ratio ${ratios.at(-1)?.toFixed(3)}\n`,
    );
  }
  const median = ratios.sort((a, b) => a - b)[Math.floor(ratios.length / 2)] ?? Number.NaN;
  process.stdout.write(`median ratio ${median.toFixed(3)}\n`);
  if (!(median >= 1 - Number(values.limit))) process.exitCode = 1;
} finally {
  for (const consumer of consumers) consumer.kill();
}
