/** Writes bench/RESULTS.md from measurements. */
import { readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import type { LoadResult } from './load.ts';
import type { Operation } from './requests.ts';
import type { Workload } from './workload.ts';

export interface Measurement {
  readonly operation: Operation;
  readonly workload: Workload;
  readonly connections: number;
  /** What was measured in turns; `svcMemory` is a cache without persistence. */
  readonly results: Readonly<Partial<Record<'svc' | 'svcMemory' | 'ignite' | 'bare', LoadResult>>>;
}

export interface Report {
  readonly firstAnswerMs: number;
  readonly idleMegabytes: number;
  readonly measurements: readonly Measurement[];
  readonly rounds: number;
  readonly durationMs: number;
  /** Load averages before and after the run. */
  readonly loads: readonly [before: number, after: number];
  /** Why Ignite was not measured; undefined if it was. */
  readonly igniteMissing: string | undefined;
}

interface Goal {
  readonly what: string;
  readonly most: number;
  readonly measured: number;
}

function goals({ measurements, firstAnswerMs, idleMegabytes }: Report): Goal[] {
  const find = (operation: Operation, entries: number) =>
    measurements.find(
      ({ operation: own, workload, connections }) =>
        own === operation &&
        workload.entries === entries &&
        workload.distribution === 'uniform' &&
        workload.valueBytes === 100 &&
        connections === 64,
    )?.results;
  const ratio = (a: LoadResult | undefined, b: LoadResult | undefined) =>
    (a?.cpuMicros ?? Number.NaN) / (b?.cpuMicros ?? Number.NaN);
  const [get, put, largeGet] = [find('get', 100_000), find('put', 100_000), find('get', 1_000_000)];
  return [
    { what: 'get, CPU time against the bare server', most: 1.25, measured: ratio(get?.svc, get?.bare) },
    { what: 'durable put, CPU time against the bare server', most: 1.6, measured: ratio(put?.svc, put?.bare) },
    { what: 'get with 10^6 entries against 10^5, CPU time', most: 1.3, measured: ratio(largeGet?.svc, get?.svc) },
    { what: 'first response after the start, ms', most: 200, measured: firstAnswerMs },
    { what: 'memory when idle, MB', most: 90, measured: idleMegabytes },
  ];
}

/** Returns the text of RESULTS.md. */
export function writeReport(report: Report): string {
  const { measurements, rounds, durationMs, loads, igniteMissing } = report;
  return [
    '# Benchmarks',
    '',
    `Written by \`npm run bench\`${optionsText()} on ${machineText()}, over loopback. Load average before and after`,
    `the run: ${loads.map((each) => each.toFixed(1)).join(' and ')}. Where it exceeds what the benchmark itself makes, about 2, others used the`,
    'machine, too: compare figures of one row, and CPU times rather than requests per second.',
    '',
    'In each row, svc with a cache on disk and one in memory, an Apache Ignite node whose data are in memory and a bare',
    `\`Bun.serve\` that answers one fixed envelope were measured in turns; each figure is the median of ${rounds} round(s) of`,
    `${durationMs / 1_000} s by CPU time. svc has one HTTP thread. The load generator is a process on the same machine and sends one`,
    "request at a time on each connection (bench/load-sockets-process.ts). CPU is the time of the server's processes, user",
    'and system, per request. Keys are uniform or Zipf-distributed (exponent 0.99, frequent keys scattered);',
    '`getall` and `putall` have 100 keys. A put on disk is answered after the fsync.',
    '',
    '## Goals',
    '',
    '| what | at most | measured |',
    '|---|---|---|',
    ...goals(report)
      .filter(({ measured }) => !Number.isNaN(measured))
      .map(({ what, most, measured }) => `| ${what} | ${most} | ${measured.toFixed(measured < 10 ? 2 : 0)} |`),
    '',
    '## CPU time and latency',
    '',
    ...(igniteMissing === undefined ? [] : [`The Ignite node was not measured: ${igniteMissing}.`, '']),
    '| operation | entries | keys | value bytes | connections | svc/s | in memory/s | Ignite/s | svc CPU µs | in memory | Ignite | bare | svc p99 ms | in memory | Ignite |',
    '|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|',
    ...measurements.map(row),
    '',
  ].join('\n');
}

/** Returns the options of this run. */
export function optionsText(): string {
  const options = process.argv.slice(2).join(' ');
  return options === '' ? '' : ` (\`${options}\`)`;
}

/** Returns processor, memory, system and runtime. */
export function machineText(): string {
  const system = /^PRETTY_NAME="(.*)"$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? process.platform;
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  return `${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), ${memory}, ${system}, Bun ${Bun.version}`;
}

function row({ operation, workload, connections, results }: Measurement): string {
  const { svc, svcMemory, ignite, bare } = results;
  const columns = (each: readonly (LoadResult | undefined)[], value: (result: LoadResult) => string) =>
    each.map((result) => (result === undefined ? '' : value(result)));
  return `| ${[
    operation,
    workload.entries,
    workload.distribution,
    workload.valueBytes,
    connections,
    ...columns([svc, svcMemory, ignite], ({ perSecond }) => perSecond.toFixed(0)),
    ...columns([svc, svcMemory, ignite, bare], ({ cpuMicros }) => cpuMicros.toFixed(1)),
    ...columns([svc, svcMemory, ignite], ({ p99Ms }) => p99Ms.toFixed(2)),
  ].join(' | ')} |`;
}
