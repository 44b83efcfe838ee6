/**
 * `npm run bench:shipping [-- --pairs 10 --phase 5000 --entries 100000 --rate PUTS --encrypted --destination FOLDER]`:
 * measures puts at half of the maximum rate with a continuous backup to a folder, encrypted or not, and without one, in
 * turns, because other work on the machine changes slowly. Prints each pair and the medians: CPU time of the service's
 * own threads, latencies, CPU time of the process that ships. Exits with 1 when the service uses more than 1.05 times
 * the CPU time, or the 99th percentile is more than 1.2 times as long.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { newKeyFile } from '../src/engines/embedded/backup/backup-keys.ts';
import { medianOf, runArrivals, runLoad } from './load.ts';
import { threadsCpuMs } from './process-usage.ts';
import { createRequests } from './requests.ts';
import { type MeasuredServer, startSvc } from './servers.ts';
import { fill, oneWorkload, oneWorkloadOptions, shownWorkload } from './workload.ts';

const { values } = parseArgs({
  options: {
    pairs: { type: 'string', default: '10' },
    phase: { type: 'string', default: '5000' },
    ...oneWorkloadOptions,
    connections: { type: 'string', default: '16' },
    /** Puts per second; by default, half of the maximum of the service without a backup. */
    rate: { type: 'string' },
    encrypted: { type: 'boolean', default: false },
    /** The location of the backup folder, for example on another disk; by default, the disk of the data. */
    destination: { type: 'string', default: tmpdir() },
  },
});
const workload = oneWorkload(values);
const phaseMs = Number(values.phase);
const connections = Number(values.connections);
const WARM_UP_MS = 1_000;
const MAX_CPU = 1.05;
const MAX_LATENCY = 1.2;

interface Phase {
  /** CPU time of the service without the process that ships, in microseconds per put. */
  readonly cpuMicros: number;
  /** CPU time of the process that ships, in microseconds per put. */
  readonly shippingMicros: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Returns the id of the process that ships, or undefined if none. */
function shippingProcessOf({ pid }: MeasuredServer): number | undefined {
  const found = Bun.spawnSync(['pgrep', '-P', String(pid), '-f', 'shipping-process'])
    .stdout.toString()
    .trim();
  return found === '' ? undefined : Number(found);
}

async function untilShipped(server: MeasuredServer): Promise<void> {
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${server.port}${server.path}?cmd=backups`);
    const { response } = (await answer.json()) as {
      response: { continuous: { state: string; behindBytes: number; position: string | null } };
    };
    const { state, behindBytes, position } = response.continuous;
    if (state === 'shipping' && behindBytes === 0 && position !== null) return;
    await Bun.sleep(100);
  }
}

async function measure(server: MeasuredServer, perSecond: number): Promise<Phase> {
  const requests = createRequests(server.path, 'put', 'durable', workload);
  const shipping = shippingProcessOf(server);
  const used = (): [number, number] => {
    const ofShipping = shipping === undefined ? 0 : threadsCpuMs(shipping);
    return [threadsCpuMs(server.pid) - ofShipping, ofShipping];
  };
  const before = used();
  const plan = { port: server.port, connections, warmUpMs: WARM_UP_MS, durationMs: phaseMs, serverPid: server.pid };
  const { p50Ms, p99Ms } = await runArrivals({ ...plan, perSecond }, requests);
  const after = used();
  const puts = (perSecond * (WARM_UP_MS + phaseMs)) / 1_000;
  return {
    cpuMicros: ((after[0] - before[0]) * 1_000) / puts,
    shippingMicros: ((after[1] - before[1]) * 1_000) / puts,
    p50Ms,
    p99Ms,
  };
}

function shown({ cpuMicros, shippingMicros, p50Ms, p99Ms }: Phase): string {
  const shipping = shippingMicros > 0 ? ` + ${shippingMicros.toFixed(1)}` : '';
  return `${cpuMicros.toFixed(1)}${shipping} us, p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms`;
}

const folder = mkdtempSync(join(values.destination, 'svc-bench-shipping-'));
const pairs: Array<{ readonly without: Phase; readonly shipping: Phase }> = [];
try {
  await using without = await startSvc(1, ' without');
  const keyFile = join(folder, 'backup.key');
  writeFileSync(keyFile, await newKeyFile(Date.now()), { mode: 0o600 });
  await using shipping = await startSvc(1, ' shipping', {
    SVC_BACKUP_CONTINUOUS_URL: `file://${join(folder, 'd')}`,
    ...(values.encrypted && { SVC_BACKUP_ENCRYPTION_KEY_FILE: keyFile }),
  });
  for (const server of [without, shipping]) await fill(server, 'durable', workload);
  await untilShipped(shipping);
  const plan = { port: without.port, connections, warmUpMs: WARM_UP_MS, durationMs: phaseMs, serverPid: without.pid };
  const requests = createRequests(without.path, 'put', 'durable', workload);
  const rate =
    values.rate === undefined
      ? Math.round((await runLoad({ ...plan, kind: 'sockets' }, requests)).perSecond / 2)
      : Number(values.rate);
  say(`${shownWorkload(workload)}, ${connections} connections, ${rate} puts/s`);
  for (let pair = 0; pair < Number(values.pairs); pair++) {
    const isFirst = pair % 2 === 0;
    const first = await measure(isFirst ? without : shipping, rate);
    const second = await measure(isFirst ? shipping : without, rate);
    const [a, b] = isFirst ? [first, second] : [second, first];
    pairs.push({ without: a, shipping: b });
    say(`without ${shown(a)} | shipping ${shown(b)}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const median = (value: (phase: Phase) => number, of: 'without' | 'shipping'): number =>
  medianOf(pairs.map((pair) => value(pair[of])));
const ratio = (value: (phase: Phase) => number): number =>
  medianOf(pairs.map((pair) => value(pair.shipping) / value(pair.without)));
for (const of of ['without', 'shipping'] as const) {
  const phase: Phase = {
    cpuMicros: median((each) => each.cpuMicros, of),
    shippingMicros: median((each) => each.shippingMicros, of),
    p50Ms: median((each) => each.p50Ms, of),
    p99Ms: median((each) => each.p99Ms, of),
  };
  say(`medians ${of}: ${shown(phase)}`);
}
const [cpu, p99] = [ratio((phase) => phase.cpuMicros), ratio((phase) => phase.p99Ms)];
say(`medians of the ratios of ${pairs.length} pairs: CPU time ${cpu.toFixed(2)}, p99 ${p99.toFixed(2)}`);
process.exit(cpu > MAX_CPU || p99 > MAX_LATENCY ? 1 : 0);
