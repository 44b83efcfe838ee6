/**
 * `npm run bench:idempotency [-- --pairs 10]`: measures durable puts with and without an idempotency key in interleaved
 * pairs, and prints the ratio of CPU time per request, pair by pair and its median. Exits with 1 when the median is
 * above `--limit` (default 1.4).
 */
import { parseArgs } from 'node:util';
import { runLoad } from './load.ts';
import { type BenchRequest, createRequests } from './requests.ts';
import { fill, startSvc } from './servers.ts';

const { values } = parseArgs({
  options: {
    pairs: { type: 'string', default: '10' },
    duration: { type: 'string', default: '1500' },
    limit: { type: 'string', default: '1.4' },
  },
});
const pairs = Number(values.pairs);
const durationMs = Number(values.duration);
const ENTRIES = 1_000;
const CONNECTIONS = 64;

await using server = await startSvc(1, '', { SVC_LIMITS_IDEMPOTENCY_KEYS: '100000000' });
await fill(server, 'durable', 0, ENTRIES);
const plain = createRequests(server.path, 'put', 'durable', ENTRIES);
const keyed = plain.map((request): BenchRequest => ({ ...request, hasKey: true }));

async function cpuMicros(requests: readonly BenchRequest[]): Promise<number> {
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

function medianOf(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return ((sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN) + (sorted[Math.floor(sorted.length / 2)] ?? 0)) / 2;
}

for (const requests of [plain, keyed]) await cpuMicros(requests);
const ratios: number[] = [];
const shown: string[] = [];
for (let pair = 0; pair < pairs; pair++) {
  // The order alternates, so that a drift of the machine's speed favours neither.
  const plainFirst = pair % 2 === 0;
  const first = await cpuMicros(plainFirst ? plain : keyed);
  const second = await cpuMicros(plainFirst ? keyed : plain);
  const [without, withKey] = plainFirst ? [first, second] : [second, first];
  ratios.push(withKey / without);
  shown.push(`${withKey.toFixed(1)}/${without.toFixed(1)}`);
}
const median = medianOf(ratios);
process.stdout.write(
  `put: CPU time per request in us, with a key/without: ${shown.join(' ')}; median ratio ${median.toFixed(3)}\n`,
);
process.exitCode = median > Number(values.limit) ? 1 : 0;
