/**
 * `npm run bench:cluster [-- --quick]`: measures svc in front of a cluster node and that node's own HTTP interface
 * alternately on one cache, then two such services at once. The full run writes bench/RESULTS-CLUSTER.md.
 */
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { missingForNodes, startCluster, type TestNode } from '../test/cluster/ignite-node.ts';
import { type LoadKind, type LoadResult, median, runLoad } from './load.ts';
import { createRequests, OPERATIONS, type Operation } from './requests.ts';
import { fill, type MeasuredServer, startClusterSvc } from './servers.ts';

const quick = process.argv.includes('--quick');
const rounds = quick ? 1 : 5;
const durationMs = quick ? 1_000 : 2_000;
const WARM_UP_MS = quick ? 3_000 : 8_000;
const CACHE = 'bench';
const ENTRIES = 10_000;
const KINDS: readonly LoadKind[] = ['clients', 'sockets'];

interface Comparison {
  readonly kind: LoadKind;
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

function load(server: MeasuredServer, kind: LoadKind, operation: Operation, connections: number, lastsMs = durationMs) {
  const requests = createRequests(server.path, operation, CACHE, ENTRIES);
  const { port, pid } = server;
  return runLoad({ kind, port, connections, serverPid: pid, warmUpMs: 300, durationMs: lastsMs }, requests);
}

async function compare(svc: MeasuredServer, node: MeasuredServer): Promise<Comparison[]> {
  const comparisons: Comparison[] = [];
  for (const kind of KINDS) {
    for (const operation of OPERATIONS) {
      for (const connections of kind === 'clients' ? [1, 64] : [64]) {
        const own: LoadResult[] = [];
        const others: LoadResult[] = [];
        for (let round = 0; round < rounds; round++) {
          others.push(await load(node, kind, operation, connections));
          own.push(await load(svc, kind, operation, connections));
        }
        const measured = { kind, operation, connections, svc: median(own), node: median(others) };
        comparisons.push(measured);
        say(
          `${kind} ${operation} connections=${connections}: svc ${rate(measured.svc)}/s, ` +
            `${measured.svc.cpuMicros.toFixed(1)} µs CPU; the node ${rate(measured.node)}/s`,
        );
      }
    }
  }
  return comparisons;
}

/** 64 connections to one service, then 32 to each of two at once. */
async function scale(first: MeasuredServer, second: MeasuredServer): Promise<Scaling[]> {
  const scalings: Scaling[] = [];
  for (const operation of ['get', 'put'] as const) {
    const one: LoadResult[] = [];
    const two: LoadResult[][] = [];
    for (let round = 0; round < rounds; round++) {
      one.push(await load(first, 'sockets', operation, 64));
      two.push(await Promise.all([first, second].map((service) => load(service, 'sockets', operation, 32))));
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

function rate({ perSecond }: LoadResult): string {
  return perSecond.toFixed(0);
}

function report(comparisons: readonly Comparison[], scalings: readonly Scaling[]): string {
  return [
    '# Benchmarks in front of a cluster',
    '',
    `Written by \`npm run bench:cluster${quick ? ' -- --quick' : ''}\` on ${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), ` +
      `${Math.round(totalmem() / 2 ** 30)} GiB, Bun ${Bun.version}, over loopback.`,
    "One cluster node; svc in front of it and the node's own HTTP interface are measured alternately with the same requests",
    `on the same cache of ${ENTRIES} entries. The load generator, svc and the node share the cores, so a request to svc uses`,
    "CPU time of both. Each number is the median of the rounds by svc's CPU time; CPU is the time of svc's",
    'process, user and system, per request. `clients` is an HTTP client that sends one request at a time per connection;',
    '`sockets` writes requests as fast as one thread can.',
    '',
    '| operation | load | connections | svc/s | node/s | throughput ratio | svc CPU µs | svc p99 ms | node p99 ms |',
    '|---|---|---|---|---|---|---|---|---|',
    ...comparisons.map(
      ({ kind, operation, connections, svc, node }) =>
        `| ${operation} | ${kind} | ${connections} | ${rate(svc)} | ${rate(node)} | ` +
        `${(svc.perSecond / node.perSecond).toFixed(2)} | ${svc.cpuMicros.toFixed(1)} | ` +
        `${svc.p99Ms.toFixed(1)} | ${node.p99Ms.toFixed(1)} |`,
    ),
    '',
    'Two services on two ports, in front of the same node, 64 connections in all (`sockets`):',
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
  await fill(own, CACHE, 0, ENTRIES);
  await using first = await startClusterSvc('svc 1', node.endpoint);
  await using second = await startClusterSvc('svc 2', node.endpoint);
  for (const server of [own, first, second]) {
    for (const operation of OPERATIONS) await load(server, 'sockets', operation, 64, WARM_UP_MS / 4);
  }
  const text = report(await compare(first, own), await scale(first, second));
  say(`\n${text}`);
  if (!quick) await Bun.write(join(import.meta.dir, 'RESULTS-CLUSTER.md'), text);
}

await main();
