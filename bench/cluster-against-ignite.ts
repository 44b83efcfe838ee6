/**
 * `npm run bench:cluster [-- --quick] [--only getall,putall] [--rounds 5] [--against FOLDER]`: measures svc in front of
 * a cluster node and that node's own HTTP interface alternately on one cache, then two such services at once. With
 * `--only`, measures these operations; with `--against`, another checkout of svc also takes turns.
 */
import { loadavg } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { missingForNodes, startCluster, type TestNode } from '../test/cluster/ignite-node.ts';
import { type LoadResult, median, runLoad } from './load.ts';
import { machineText, optionsText } from './report.ts';
import { createRequests, OPERATIONS, type Operation } from './requests.ts';
import { type MeasuredServer, startClusterSvc } from './servers.ts';
import { fill, shownWorkload, type Workload, workloadOptions, workloadsOf } from './workload.ts';

const { values: options } = parseArgs({
  options: {
    ...workloadOptions,
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    rounds: { type: 'string' },
    against: { type: 'string' },
  },
});
const { quick } = options;
const rounds = Number(options.rounds ?? (quick ? 1 : 5));
const names = options.only?.split(',') ?? OPERATIONS;
const operations = OPERATIONS.filter((each) => names.includes(each));
if (operations.length !== names.length) throw new Error(`--only has some of ${OPERATIONS.join(', ')}`);
const durationMs = quick ? 1_000 : 2_000;
const WARM_UP_MS = quick ? 3_000 : 8_000;
const CACHE = 'bench';
const workloads = workloadsOf(options);

interface Comparison {
  readonly workload: Workload;
  readonly operation: Operation;
  readonly connections: number;
  readonly svc: LoadResult;
  readonly node: LoadResult;
}

interface Scaling {
  readonly operation: Operation;
  readonly one: LoadResult;
  readonly two: readonly LoadResult[];
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

function ownInterface({ restUrl, pid }: TestNode): MeasuredServer {
  const { port, pathname } = new URL(restUrl);
  const ends = { async [Symbol.asyncDispose]() {} };
  return { name: 'Apache Ignite', port: Number(port), path: pathname, pid, firstAnswerMs: 0, batch: 400, ...ends };
}

function load(
  server: MeasuredServer,
  operation: Operation,
  workload: Workload,
  connections: number,
  lastsMs = durationMs,
  behind?: MeasuredServer,
): Promise<LoadResult> {
  const requests = createRequests(server.path, operation, CACHE, workload);
  const { port, pid } = server;
  const plan = { kind: 'sockets', port, connections, serverPid: pid, warmUpMs: 300, durationMs: lastsMs } as const;
  return runLoad(behind === undefined ? plan : { ...plan, behindPid: behind.pid }, requests);
}

async function compare(
  svc: MeasuredServer,
  node: MeasuredServer,
  workload: Workload,
  other?: MeasuredServer,
): Promise<Comparison[]> {
  const comparisons: Comparison[] = [];
  for (const operation of operations) {
    for (const connections of [1, 64]) {
      const own: LoadResult[] = [];
      const nodes: LoadResult[] = [];
      const others: LoadResult[] = [];
      for (let round = 0; round < rounds; round++) {
        nodes.push(await load(node, operation, workload, connections));
        if (other) others.push(await load(other, operation, workload, connections, durationMs, node));
        own.push(await load(svc, operation, workload, connections, durationMs, node));
      }
      const medianOther = other && median(others);
      const measured = { operation, workload, connections, svc: median(own), node: median(nodes) };
      comparisons.push(measured);
      say(
        `${operation} (${shownWorkload(workload)}) connections=${connections}: svc ${shown(measured.svc)}; ` +
          `${medianOther ? `the other checkout ${shown(medianOther)}; ` : ''}the node ${shown(measured.node)}`,
      );
    }
  }
  return comparisons;
}

/** 64 connections to one service, then 32 to each of two at once. */
async function scale(first: MeasuredServer, second: MeasuredServer, workload: Workload): Promise<Scaling[]> {
  const scalings: Scaling[] = [];
  for (const operation of ['get', 'put'] as const) {
    const one: LoadResult[] = [];
    const two: LoadResult[][] = [];
    for (let round = 0; round < rounds; round++) {
      one.push(await load(first, operation, workload, 64));
      two.push(await Promise.all([first, second].map((service) => load(service, operation, workload, 32))));
    }
    const middle = two.toSorted((a, b) => sum(a) - sum(b))[Math.floor(rounds / 2)] ?? [];
    const scaling = { operation, one: median(one), two: middle };
    scalings.push(scaling);
    say(`${operation}: one service ${rate(scaling.one)}/s, two ${sum(scaling.two).toFixed(0)}/s`);
  }
  return scalings;
}

function sum(results: readonly LoadResult[]): number {
  return results.reduce((total, { perSecond }) => total + perSecond, 0);
}

/** Returns the throughput, and the CPU time of the server and of the node behind it. */
function shown({ perSecond, cpuMicros, behindCpuMicros }: LoadResult): string {
  const behind = behindCpuMicros > 0 ? ` + ${behindCpuMicros.toFixed(1)}` : '';
  return `${perSecond.toFixed(0)}/s, ${cpuMicros.toFixed(1)}${behind} µs CPU`;
}

function rate({ perSecond }: LoadResult): string {
  return perSecond.toFixed(0);
}

function report(comparisons: readonly Comparison[], scalings: readonly Scaling[]): string {
  return [
    '# Benchmarks in front of a cluster',
    '',
    `Written by \`npm run bench:cluster\`${optionsText()} on ${machineText()}, over loopback. Load average after the`,
    `run: ${loadavg()[0]?.toFixed(1)}. Where it exceeds what the benchmark itself makes, about 3, others used the machine, too.`,
    "One cluster node; svc in front of it and the node's own HTTP interface are measured alternately with the same requests",
    'on the same cache, with uniform or Zipf-distributed keys (exponent 0.99). The load generator, svc and the node share',
    "the cores, so a request to svc uses CPU time of both. Each number is the median of the rounds by svc's CPU time; CPU is",
    'the time of the processes, user and system, per request, `node CPU` that of the node behind svc, and by itself.',
    '',
    '| operation | entries | keys | value bytes | connections | svc/s | node/s | throughput ratio | svc CPU µs ' +
      '| node CPU µs | svc p99 ms | node p99 ms |',
    '|---|---|---|---|---|---|---|---|---|---|---|---|',
    ...comparisons.map(
      ({ operation, workload, connections, svc, node }) =>
        `| ${operation} | ${workload.entries} | ${workload.distribution} | ${workload.valueBytes} | ${connections} | ` +
        `${rate(svc)} | ${rate(node)} | ` +
        `${(svc.perSecond / node.perSecond).toFixed(2)} | ${svc.cpuMicros.toFixed(1)} | ` +
        `${svc.behindCpuMicros.toFixed(1)}, ${node.cpuMicros.toFixed(1)} | ` +
        `${svc.p99Ms.toFixed(1)} | ${node.p99Ms.toFixed(1)} |`,
    ),
    '',
    'Two services on two ports, in front of the same node, 64 connections in all:',
    '',
    '| operation | one service/s | two services/s | ratio | CPU µs with one | CPU µs with two |',
    '|---|---|---|---|---|---|',
    ...scalings.map(
      ({ operation, one, two }) =>
        `| ${operation} | ${rate(one)} | ${sum(two).toFixed(0)} | ${(sum(two) / one.perSecond).toFixed(2)} | ` +
        `${one.cpuMicros.toFixed(1)} | ${two.map(({ cpuMicros }) => cpuMicros.toFixed(1)).join(', ')} |`,
    ),
    '',
  ].join('\n');
}

async function main(): Promise<void> {
  const missing = missingForNodes();
  if (missing !== undefined) {
    say(missing);
    return;
  }
  await using cluster = await startCluster(1, { java: ['-Xmx2g'] });
  const [node] = cluster.nodes;
  if (node === undefined) throw new Error('There is no node.');
  await cluster.rest({ cmd: 'getorcreate', cacheName: CACHE });
  const own = ownInterface(node);
  await using first = await startClusterSvc('svc 1', node.endpoint);
  await using second = await startClusterSvc(
    'svc 2',
    node.endpoint,
    options.against === undefined ? undefined : resolve(options.against),
  );
  const isPartial = options.only !== undefined || options.against !== undefined;
  const measured = isPartial && options.against === undefined ? [own, first] : [own, first, second];
  const comparisons: Comparison[] = [];
  for (const [at, workload] of workloads.entries()) {
    // Both distributions have the same entries.
    if (workload.distribution === workloads[0]?.distribution) await fill(own, CACHE, workload);
    for (const server of at === 0 ? measured : []) {
      for (const operation of operations) await load(server, operation, workload, 64, WARM_UP_MS / 4);
    }
    comparisons.push(...(await compare(first, own, workload, options.against === undefined ? undefined : second)));
  }
  const [workload] = workloads;
  if (isPartial || workload === undefined) return;
  const text = report(comparisons, await scale(first, second, workload));
  say(`\n${text}`);
}

await main();
