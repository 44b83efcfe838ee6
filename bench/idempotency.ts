/**
 * `npm run bench:idempotency [-- --pairs 10]`: measures durable puts with and without an idempotency key in interleaved
 * pairs, and prints the ratio of CPU time per request, pair by pair and its median. Exits with 1 when the median is
 * above `--limit` (default 1.4).
 */
import { parseArgs } from 'node:util';
import { medianOf, runLoad } from './load.ts';
import { type BenchRequest, createRequests, NUMBER_MARK } from './requests.ts';
import { type MeasuredServer, startSvc } from './servers.ts';
import { fill, oneWorkloadOptions, shownWorkload, type Workload, workloadsOf } from './workload.ts';

const { values } = parseArgs({
  options: {
    ...oneWorkloadOptions,
    pairs: { type: 'string', default: '10' },
    duration: { type: 'string', default: '1500' },
    limit: { type: 'string', default: '1.4' },
  },
});
const pairs = Number(values.pairs);
const durationMs = Number(values.duration);
const CONNECTIONS = 64;

async function cpuMicros(server: MeasuredServer, requests: readonly BenchRequest[]): Promise<number> {
  const plan = {
    kind: 'sockets',
    port: server.port,
    connections: CONNECTIONS,
    serverPid: server.pid,
    warmUpMs: 300,
    durationMs,
  } as const;
  return (await runLoad(plan, requests)).cpuMicros;
}

async function compare(workload: Workload): Promise<number> {
  await using server = await startSvc(1, '', { SVC_LIMITS_IDEMPOTENCY_KEYS: '100000000' });
  await fill(server, 'durable', workload);
  const plain = createRequests(server.path, 'put', 'durable', workload);
  const keyed = plain.map((request): BenchRequest => ({ ...request, idempotencyKey: `bench-${NUMBER_MARK}` }));
  for (const requests of [plain, keyed]) await cpuMicros(server, requests);
  const ratios: number[] = [];
  const shown: string[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    // The order alternates, so a drift in the machine's speed favours neither.
    const plainFirst = pair % 2 === 0;
    const first = await cpuMicros(server, plainFirst ? plain : keyed);
    const second = await cpuMicros(server, plainFirst ? keyed : plain);
    const [without, withKey] = plainFirst ? [first, second] : [second, first];
    ratios.push(withKey / without);
    shown.push(`${withKey.toFixed(1)}/${without.toFixed(1)}`);
  }
  const median = medianOf(ratios);
  process.stdout.write(
    `put, ${shownWorkload(workload)}: CPU time per request in us, with a key/without: ${shown.join(' ')}; ` +
      `median ratio ${median.toFixed(3)}\n`,
  );
  return median;
}

for (const workload of workloadsOf(values)) {
  if ((await compare(workload)) > Number(values.limit)) process.exitCode = 1;
}
