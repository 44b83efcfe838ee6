/** Writes bench/RESULTS.md from measurements. */
import { readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import type { LoadKind, LoadResult } from './load.ts';
import type { Operation } from './requests.ts';

export interface Measurement {
  /** `svc workers=1`, `Apache Ignite`. */
  readonly server: string;
  readonly kind: LoadKind;
  readonly operation: Operation;
  readonly cache: string;
  readonly entries: number;
  readonly connections: number;
  readonly own: LoadResult;
  /** The bare server, measured alternately with it. */
  readonly bare: LoadResult;
}

export interface Report {
  readonly firstAnswerMs: number;
  readonly idleMegabytes: number;
  readonly measurements: readonly Measurement[];
  readonly quick: boolean;
  readonly rounds: number;
  readonly durationMs: number;
  /** Why Ignite was not measured; undefined if it was. */
  readonly igniteMissing: string | undefined;
}

/** CPU time per request as a multiple of the bare server's. */
export function cpuRatio({ own, bare }: Measurement): number {
  return own.cpuMicros / bare.cpuMicros;
}

interface Goal {
  readonly what: string;
  readonly most: number;
  readonly measured: number | undefined;
}

function goals(report: Report): Goal[] {
  const find = (server: string, operation: Operation, entries = 1_000) =>
    report.measurements.find(
      (each) =>
        each.kind === 'clients' &&
        each.server === server &&
        each.operation === operation &&
        each.cache === 'durable' &&
        each.entries === entries &&
        each.connections === 64,
    );
  const ratio = (measurement: Measurement | undefined) => measurement && cpuRatio(measurement);
  const compare = (a: Measurement | undefined, b: Measurement | undefined) => a && b && cpuRatio(a) / cpuRatio(b);
  const [one, beside, two] = ['svc workers=1', 'svc workers=1 (beside two)', 'svc workers=2'] as const;
  const get = find(one, 'get');
  return [
    { what: 'get, CPU time per request against the bare server', most: 1.9, measured: ratio(get) },
    { what: 'durable put, the same', most: 2.8, measured: ratio(find(one, 'put')) },
    { what: 'get with 10^6 entries against 10^3', most: 1.3, measured: compare(find(one, 'get', 1_000_000), get) },
    {
      what: 'get with two HTTP threads against one',
      most: 1.3,
      measured: compare(find(two, 'get'), find(beside, 'get')),
    },
    {
      what: 'put with two HTTP threads against one',
      most: 1.3,
      measured: compare(find(two, 'put'), find(beside, 'put')),
    },
    { what: 'first response after the start, ms', most: 200, measured: report.firstAnswerMs },
    { what: 'resident memory when idle, MB', most: 90, measured: report.idleMegabytes },
  ];
}

/** Returns the text of RESULTS.md. */
export function writeReport(report: Report): string {
  const lines = [
    '# Benchmarks',
    '',
    `Written by \`npm run bench${report.quick ? ' -- --quick' : ''}\` on ${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}),`,
    `${Math.round(totalmem() / 2 ** 30)} GiB, ${systemName()}, Bun ${Bun.version}, over loopback. Each number is the median of`,
    `${report.rounds} round(s) of ${report.durationMs / 1000} s (one round where the number of connections is not 64), alternating with a bare \`Bun.serve\` that answers one fixed envelope (bench/bare-process.ts).`,
    'The load generator is a separate process on the same machine. `clients` is an ordinary HTTP client that sends one',
    'request at a time per connection (bench/load-clients-process.mjs); it is busier than the server, and the goals apply',
    'to it. `sockets` writes raw requests and saturates the server (bench/load-sockets-process.ts): see it for throughput.',
    "CPU is the time of the server's process, user and system, per request. Keys are random, values are short strings;",
    '`getall` and `putall` have 100 keys. `durable` is a persistent region: the response follows the fsync. `memory` is a',
    'region without persistence.',
    '',
    '## Goals',
    '',
    '| what | at most | measured |',
    '|---|---|---|',
    ...goals(report)
      .filter(({ measured }) => measured !== undefined)
      .map(({ what, most, measured = 0 }) => `| ${what} | ${most} | ${measured.toFixed(measured < 10 ? 2 : 0)} |`),
    '',
  ];
  const servers = [...new Set(report.measurements.map(({ server }) => server))];
  for (const server of servers) {
    lines.push(`## ${server}`, '', ...table(report.measurements.filter((each) => each.server === server)), '');
  }
  if (report.igniteMissing === undefined) lines.push('## svc against Ignite', '', ...against(report), '');
  else lines.push(`The Ignite node was not measured: ${report.igniteMissing}.`, '');
  return lines.join('\n');
}

function table(measurements: readonly Measurement[]): string[] {
  return [
    '| operation | load | cache | entries | connections | requests/s | CPU µs | bare CPU µs | CPU ratio | rate ratio | p50 ms | p99 ms |',
    '|---|---|---|---|---|---|---|---|---|---|---|---|',
    ...measurements.map((each) => {
      const { operation, kind, cache, entries, connections, own, bare } = each;
      return `| ${[
        operation,
        kind,
        cache,
        entries,
        connections,
        Math.round(own.perSecond),
        own.cpuMicros.toFixed(1),
        bare.cpuMicros.toFixed(1),
        cpuRatio(each).toFixed(2),
        (own.perSecond / bare.perSecond).toFixed(2),
        own.p50Ms.toFixed(2),
        own.p99Ms.toFixed(2),
      ].join(' | ')} |`;
    }),
  ];
}

function against(report: Report): string[] {
  const lines = [
    '| operation | load | entries | connections | svc memory/s | Ignite/s | svc CPU µs | Ignite CPU µs | CPU ratio |',
    '|---|---|---|---|---|---|---|---|---|',
  ];
  for (const node of report.measurements.filter(({ server }) => server === 'Apache Ignite')) {
    const svc = report.measurements.find(
      (each) =>
        each.server === 'svc workers=1' &&
        each.cache === 'memory' &&
        each.kind === node.kind &&
        each.operation === node.operation &&
        each.entries === node.entries &&
        each.connections === node.connections,
    );
    if (svc === undefined) continue;
    lines.push(
      `| ${[
        node.operation,
        node.kind,
        node.entries,
        node.connections,
        Math.round(svc.own.perSecond),
        Math.round(node.own.perSecond),
        svc.own.cpuMicros.toFixed(1),
        node.own.cpuMicros.toFixed(1),
        (svc.own.cpuMicros / node.own.cpuMicros).toFixed(2),
      ].join(' | ')} |`,
    );
  }
  return lines;
}

function systemName(): string {
  try {
    return /^PRETTY_NAME="(.*)"$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? process.platform;
  } catch {
    return process.platform;
  }
}
