/**
 * `npm run bench:compare -- --against FOLDER [--pairs 10] [--duration 1500] [--operations get,put]
 * [--entries 1000]`: measures operations of this checkout and of another one in interleaved pairs, and prints the ratio
 * of CPU time per request, pair by pair and its median. Exits with 1 when a median is above `--limit` (default 1.03).
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type LoadKind, runLoad } from './load.ts';
import { createRequests, OPERATIONS, type Operation } from './requests.ts';
import { fill, type MeasuredServer, startSvc } from './servers.ts';

const { values } = parseArgs({
  options: {
    against: { type: 'string' },
    pairs: { type: 'string', default: '10' },
    duration: { type: 'string', default: '1500' },
    limit: { type: 'string', default: '1.03' },
    operations: { type: 'string', default: 'get,put' },
    entries: { type: 'string', default: '1000' },
  },
});
if (values.against === undefined) throw new Error('--against needs the folder of another checkout');
const pairs = Number(values.pairs);
const durationMs = Number(values.duration);
const limit = Number(values.limit);
const entries = Number(values.entries);
const names = values.operations.split(',');
const SUBJECTS: ReadonlyArray<readonly [Operation, LoadKind]> = OPERATIONS.filter((each) => names.includes(each)).map(
  (operation) => [operation, 'sockets'],
);
if (SUBJECTS.length !== names.length) throw new Error(`--operations are some of ${OPERATIONS.join(', ')}`);

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function cpuMicros(server: MeasuredServer, operation: Operation, kind: LoadKind): Promise<number> {
  const plan = { kind, port: server.port, connections: 64, serverPid: server.pid, warmUpMs: 300, durationMs } as const;
  return (await runLoad(plan, createRequests(server.path, operation, 'durable', entries))).cpuMicros;
}

function medianOf(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const low = sorted[Math.ceil(middle) - 1] ?? Number.NaN;
  const high = sorted[Math.floor(middle)] ?? Number.NaN;
  return (low + high) / 2;
}

await using own = await startSvc(1);
await using other = await startSvc(1, ' (other)', {}, resolve(values.against));
for (const server of [own, other]) await fill(server, 'durable', 0, entries);
for (const [operation, kind] of SUBJECTS) {
  for (const server of [own, other]) await cpuMicros(server, operation, kind);
}
let failed = false;
for (const [operation, kind] of SUBJECTS) {
  const ratios: number[] = [];
  const shown: string[] = [];
  for (let pair = 0; pair < pairs; pair++) {
    // The order alternates, so that a drift of the machine's speed favours neither.
    const ownFirst = pair % 2 === 0;
    const first = await cpuMicros(ownFirst ? own : other, operation, kind);
    const second = await cpuMicros(ownFirst ? other : own, operation, kind);
    const [a, b] = ownFirst ? [first, second] : [second, first];
    ratios.push(a / b);
    shown.push(`${a.toFixed(1)}/${b.toFixed(1)}`);
  }
  const median = medianOf(ratios);
  failed ||= median > limit;
  say(`${operation}: CPU time per request in us, this/other: ${shown.join(' ')}; median ratio ${median.toFixed(3)}`);
}
process.exitCode = failed ? 1 : 0;
