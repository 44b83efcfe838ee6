/**
 * `npm run bench:failover -- remote|local|standby`: the cost of failover while nothing fails.
 *
 * `remote`: puts of 64 connections that are answered when they are in the store (SeaweedFS, or a store in memory where
 * it is missing), and for comparison conditional PUTs of objects of the same size. Exits with 1 when the median takes
 * more than three times as long, or the rate is less than 0.6 times connections times PUTs a second.
 * `local`: CPU time of puts and gets with `acknowledge: local`, and of a continuous backup without failover, in turns.
 * Exits with 1 at more than 1.05 times as much for puts, 1.03 for gets.
 * `standby`: CPU time and memory of a standby at a rate of puts, and how long it takes to catch up after a time away.
 * Exits with 1 at more than half a core or 256 MB.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../src/base/clock.ts';
import { S3Client } from '../src/engines/embedded/backup/continuous/s3-client.ts';
import { ScriptedObjectStore } from '../test/scripted-object-store.ts';
import { ACCESS, startObjectStore } from '../test/seaweedfs.ts';
import { medianOf, runArrivals, runLoad } from './load.ts';
import { percentile, residentMegabytes, threadsCpuMs } from './process-usage.ts';
import { createRequests, type Operation } from './requests.ts';
import { type MeasuredServer, startSvc } from './servers.ts';
import { fill, oneWorkload, oneWorkloadOptions, shownWorkload } from './workload.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ...oneWorkloadOptions,
    connections: { type: 'string', default: '64' },
    phase: { type: 'string', default: '8000' },
    pairs: { type: 'string', default: '6' },
    /** Puts a second. */
    rate: { type: 'string', default: '5000' },
    /** Seconds for which the standby is away. */
    away: { type: 'string', default: '60' },
    /** Milliseconds that a store in memory takes for a request; it replaces SeaweedFS. */
    'store-ms': { type: 'string' },
  },
});
const workload = oneWorkload(values);
const connections = Number(values.connections);
const storeMs = Number(values['store-ms'] ?? 0);
const durationMs = Number(values.phase);
const WARM_UP_MS = 1_000;
const MAX_LATENCY = 3;
const MIN_RATE = 0.6;
const MAX_STANDBY = { cores: 0.5, megabytes: 256 };
const MAX_CPU: Readonly<Record<'put' | 'get', number>> = { put: 1.05, get: 1.03 };
const say = (text: string): void => void process.stdout.write(`${text}\n`);

interface Shipped {
  readonly objects: number;
  readonly bytes: number;
}

/** A store and its address. */
interface Store extends AsyncDisposable {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  readonly client: S3Client;
}

/** A store with the latency of one in another building. */
class DistantObjectStore extends ScriptedObjectStore {
  protected override around = async (
    request: Request,
    execute: (request: Request) => Promise<Response>,
  ): Promise<Response> => {
    // Timers never fire earlier than that, but up to a millisecond later.
    await Bun.sleep(storeMs);
    return execute(request);
  };
}

async function openStore(): Promise<Store> {
  const real = values['store-ms'] === undefined ? await startObjectStore() : undefined;
  const memory = real === undefined ? new DistantObjectStore() : undefined;
  const endpoint = real?.endpoint ?? memory?.origin ?? '';
  const bucket = real?.bucket ?? 'bucket';
  const credentials = { accessKeyId: ACCESS.AWS_ACCESS_KEY_ID, secretAccessKey: ACCESS.AWS_SECRET_ACCESS_KEY };
  const location = { endpoint, region: 'us-east-1', bucket, isPathStyle: true };
  return {
    name: real === undefined ? `a store in memory (${storeMs} ms)` : 'SeaweedFS',
    env: {
      ...ACCESS,
      SVC_BACKUP_CONTINUOUS_URL: `s3://${bucket}/bench?endpoint=${encodeURIComponent(endpoint)}`,
      SVC_BACKUP_CONTINUOUS_FAILOVER: 'true',
    },
    client: new S3Client({ location, credentials: () => credentials, clock: systemClock }),
    async [Symbol.asyncDispose]() {
      memory?.[Symbol.dispose]();
      await real?.[Symbol.asyncDispose]();
    },
  };
}

async function shippedBy(server: MeasuredServer): Promise<Shipped> {
  const metric = await metricsOf(server);
  return {
    objects: metric('svc_backup_continuous_objects_total'),
    bytes: metric('svc_backup_continuous_written_bytes_total'),
  };
}

/** Reads the metrics of a service; NaN for a missing one. */
async function metricsOf({ port }: MeasuredServer): Promise<(name: string) => number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return (name) => Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1] ?? 'NaN');
}

/** Creates objects one after another; returns their durations, sorted. */
async function createObjects(client: S3Client, bytes: number): Promise<readonly number[]> {
  const times: number[] = [];
  const endMs = performance.now() + durationMs;
  while (performance.now() < endMs) {
    const body = crypto.getRandomValues(new Uint8Array(Math.min(bytes, 65_536)));
    const beganMs = performance.now();
    const content = Buffer.concat([body, Buffer.alloc(Math.max(0, bytes - body.length))]);
    await client.put(`beside/${crypto.randomUUID()}`, new Uint8Array(content), { ifAbsent: true });
    times.push(performance.now() - beganMs);
  }
  return times.sort((a, b) => a - b);
}

async function remote(): Promise<boolean> {
  await using store = await openStore();
  await using server = await startSvc(1, ' remote', store.env);
  await fill(server, 'durable', workload);
  const requests = createRequests(server.path, 'put', 'durable', workload);
  const before = await shippedBy(server);
  const plan = { port: server.port, connections, warmUpMs: WARM_UP_MS, durationMs, serverPid: server.pid };
  const puts = await runLoad({ ...plan, kind: 'sockets' }, requests);
  const after = await shippedBy(server);
  const objects = after.objects - before.objects;
  const bytes = Math.round((after.bytes - before.bytes) / objects);
  const times = await createObjects(store.client, bytes);
  const p50Ms = percentile(times, 0.5);
  const perSecond = 1_000 / (times.reduce((sum, each) => sum + each, 0) / times.length);
  const [latency, rate] = [puts.p50Ms / p50Ms, puts.perSecond / (connections * perSecond)];
  say(
    `${store.name}, ${shownWorkload(workload)}, ${connections} connections: ${puts.perSecond.toFixed(0)} puts/s, ` +
      `p50 ${puts.p50Ms.toFixed(1)} ms, p99 ${puts.p99Ms.toFixed(1)} ms; ${objects} objects of ${bytes} bytes`,
  );
  say(
    `conditional PUTs beside it: ${perSecond.toFixed(0)} a second, p50 ${p50Ms.toFixed(2)} ms; ` +
      `the p50 is ${latency.toFixed(2)} times that, the rate ${rate.toFixed(2)} times ${connections} times that, ` +
      // Each connection sends its next put after the answer.
      `the mean ${(1 / rate).toFixed(2)} times the mean`,
  );
  return latency <= MAX_LATENCY && rate >= MIN_RATE;
}

async function local(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-failover-'));
  const url = (name: string) => ({ SVC_BACKUP_CONTINUOUS_URL: `file://${join(folder, name)}` });
  const failover = {
    SVC_BACKUP_CONTINUOUS_FAILOVER: 'true',
    SVC_BACKUP_CONTINUOUS_ACKNOWLEDGE: 'local',
    SVC_BACKUP_CONTINUOUS_MAX_LOSS_MS: '5000',
  };
  let isGood = true;
  try {
    await using shipping = await startSvc(1, ' shipping', url('shipping'));
    await using following = await startSvc(1, ' failover', { ...url('failover'), ...failover });
    for (const server of [shipping, following]) await fill(server, 'durable', workload);
    for (const operation of ['put', 'get'] as const) {
      const ratios: number[] = [];
      for (let pair = 0; pair < Number(values.pairs); pair++) {
        const order = pair % 2 === 0 ? [shipping, following] : [following, shipping];
        const used = new Map<MeasuredServer, number>();
        for (const server of order) used.set(server, await cpuOf(server, operation));
        const [without = 0, with_ = 0] = [used.get(shipping), used.get(following)];
        ratios.push(with_ / without);
        say(`${operation}: without failover ${without.toFixed(1)} us, with it ${with_.toFixed(1)} us`);
      }
      const ratio = medianOf(ratios);
      say(`${operation}: median of the ratios ${ratio.toFixed(3)}, at most ${MAX_CPU[operation]}`);
      isGood &&= ratio <= MAX_CPU[operation];
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return isGood;
}

/** Returns the CPU time of all processes of a service for one request, in microseconds. */
async function cpuOf(server: MeasuredServer, operation: Operation): Promise<number> {
  const requests = createRequests(server.path, operation, 'durable', workload);
  const plan = { port: server.port, connections, warmUpMs: WARM_UP_MS, durationMs, serverPid: server.pid };
  const before = threadsCpuMs(server.pid);
  await runArrivals({ ...plan, perSecond: Number(values.rate) }, requests);
  return ((threadsCpuMs(server.pid) - before) * 1_000) / ((Number(values.rate) * (WARM_UP_MS + durationMs)) / 1_000);
}

async function standby(): Promise<boolean> {
  await using store = await openStore();
  const env = { ...store.env, SVC_BACKUP_CONTINUOUS_ACKNOWLEDGE: 'local' };
  await using primary = await startSvc(1, ' primary', env);
  await fill(primary, 'durable', workload);
  const requests = createRequests(primary.path, 'put', 'durable', workload);
  const load = (seconds: number) =>
    runArrivals(
      {
        ...{ port: primary.port, connections, warmUpMs: WARM_UP_MS, durationMs: seconds * 1_000 },
        ...{ serverPid: primary.pid, perSecond: Number(values.rate) },
      },
      requests,
    );
  let isGood: boolean;
  const data = mkdtempSync(join(tmpdir(), 'svc-bench-standby-'));
  const kept = { ...env, SVC_DATA_DIR: data };
  try {
    {
      const beganMs = performance.now();
      await using following = await startSvc(1, ' standby', kept);
      await untilCurrent(following);
      const gigabytes = statSync(join(data, 'svc.db')).size / 1e9;
      say(`copied ${gigabytes.toFixed(2)} GB in ${((performance.now() - beganMs) / 1_000).toFixed(1)} s`);
      const before = threadsCpuMs(following.pid);
      const loadedMs = performance.now();
      const { failed, perSecond } = await load(durationMs / 1_000);
      const cores = (threadsCpuMs(following.pid) - before) / (performance.now() - loadedMs);
      const megabytes = residentMegabytes(following.pid);
      isGood = cores <= MAX_STANDBY.cores && megabytes <= MAX_STANDBY.megabytes;
      const read = await metricsOf(following);
      say(
        `${shownWorkload(workload)}, ${perSecond.toFixed(0)} puts/s (${failed} failed): ${cores.toFixed(2)} cores, ` +
          `${megabytes.toFixed(0)} MB, ${read('svc_standby_behind_seconds').toFixed(1)} s behind`,
      );
    }
    const shippedBefore = await shippedBy(primary);
    await load(Number(values.away));
    const shipped = await shippedBy(primary);
    const beganMs = performance.now();
    await using after = await startSvc(1, ' standby', kept);
    await untilCurrent(after);
    const seconds = (performance.now() - beganMs) / 1_000;
    const objects = shipped.objects - shippedBefore.objects;
    const shippedMegabytes = (shipped.bytes - shippedBefore.bytes) / 1e6;
    const megabytes = residentMegabytes(after.pid);
    say(
      `after ${values.away} s away: ${objects} objects, ${shippedMegabytes.toFixed(0)} MB, ` +
        `caught up in ${seconds.toFixed(1)} s, ${megabytes.toFixed(0)} MB of memory`,
    );
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
  return isGood;
}

/** Waits until a standby has everything. */
async function untilCurrent(server: MeasuredServer): Promise<void> {
  for (;;) {
    const read = await metricsOf(server);
    if (read('svc_standby_position') > 0 && read('svc_standby_behind_seconds') < 1) return;
    await Bun.sleep(50);
  }
}

const PARTS: Readonly<Record<string, () => Promise<boolean>>> = { remote, local, standby };
let isGood = true;
for (const name of positionals.length > 0 ? positionals : Object.keys(PARTS)) {
  const part = PARTS[name];
  if (part === undefined) throw new Error(`unknown part ${name}; choose from ${Object.keys(PARTS).join(', ')}`);
  isGood = (await part()) && isGood;
}
process.exit(isGood ? 0 : 1);
