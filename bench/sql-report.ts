/** Writes the report of measurements of statements. */
import type { LoadResult } from './load.ts';
import { machineText, optionsText } from './report.ts';
import { SQL_SUBJECTS, type SqlSubject } from './sql-subjects.ts';
import type { Workload } from './workload.ts';

export interface SqlMeasurement {
  /** `svc workers=1`, `Apache Ignite`. */
  readonly server: string;
  readonly subject: SqlSubject;
  readonly workload: Workload;
  readonly connections: number;
  readonly result: LoadResult;
}

export interface SqlReport {
  readonly measurements: readonly SqlMeasurement[];
  /** HTTP threads of svc. */
  readonly workers: number;
  readonly rounds: number;
  readonly durationMs: number;
  readonly longMs: number;
  /** Load averages before and after the run. */
  readonly loads: readonly [before: number, after: number];
  /** Why Ignite was not measured; undefined if it was. */
  readonly igniteMissing: string | undefined;
}

/** Returns the text of the report. */
export function writeSqlReport(report: SqlReport): string {
  const { workers, rounds, durationMs, longMs, loads, igniteMissing } = report;
  return [
    '# Benchmarks of statements',
    '',
    `Written by \`npm run bench:sql\`${optionsText()} on ${machineText()}, over loopback. Load average before and after`,
    `the run: ${loads.map((each) => each.toFixed(1)).join(' and ')}. Where it exceeds what the benchmark itself makes, about 3, others used the`,
    'machine, too: compare figures of one row, and CPU times rather than statements per second.',
    '',
    'svc and an Ignite node of its own (one server node, its default data region in memory, 2 GiB of heap) run side by side',
    'and are measured alternately with the same statements and arguments; the other one is idle. Both use all cores: svc',
    `has ${workers} HTTP threads. In svc an INSERT returns when it is on disk (fsync); Ignite's default stores nothing on disk.`,
    `Each number is the median of ${rounds} round(s) of ${durationMs / 1000} s by CPU time; grouping and scan have one round of ${longMs / 1000} s; ` +
      'with 64 connections, each sends the grouping once, and the time until all are answered counts.',
    'The load generator is a separate process on the same machine and uses one core when it is busy.',
    "CPU is the time of the server's processes, user and system, per request. Rows have five columns (id INT PRIMARY KEY,",
    'name VARCHAR, code INT, kind INT, amount INT) and an index on code, whose neighbours are far apart by key; the small',
    'table has 100 rows. `name` has as many bytes as the column says; keys and beginnings of ranges are uniform or',
    'Zipf-distributed. The table of an INSERT grows while it is measured.',
    '',
    ...SQL_SUBJECTS.map(({ name, statement }) => `- ${name}: \`${statement}\``),
    '',
    ...(igniteMissing === undefined
      ? againstReference(report)
      : [`Ignite was not measured: ${igniteMissing}.`, '', ...alone(report)]),
    '',
  ].join('\n');
}

function againstReference({ measurements }: SqlReport): string[] {
  const lines = [
    '| statement | rows | keys | value bytes | connections | svc/s | Ignite/s | throughput ratio | goal | svc CPU µs | Ignite CPU µs | CPU ratio | svc p99 ms | Ignite p99 ms |',
    '|---|---|---|---|---|---|---|---|---|---|---|---|---|---|',
  ];
  for (const own of measurements) {
    if (own.server === 'Apache Ignite') continue;
    const other = measurements.find(
      (each) =>
        each.server === 'Apache Ignite' &&
        each.subject === own.subject &&
        each.workload === own.workload &&
        each.connections === own.connections,
    );
    if (other === undefined) continue;
    lines.push(
      `| ${[
        own.subject.name,
        own.workload.entries,
        own.workload.distribution,
        own.workload.valueBytes,
        own.connections,
        rate(own.result),
        rate(other.result),
        (own.result.perSecond / other.result.perSecond).toFixed(2),
        own.subject.goal,
        own.result.cpuMicros.toFixed(0),
        other.result.cpuMicros.toFixed(0),
        (own.result.cpuMicros / other.result.cpuMicros).toFixed(2),
        own.result.p99Ms.toFixed(1),
        other.result.p99Ms.toFixed(1),
      ].join(' | ')} |`,
    );
  }
  return lines;
}

function alone({ measurements }: SqlReport): string[] {
  return [
    '| statement | rows | keys | value bytes | connections | requests/s | CPU µs | p50 ms | p99 ms |',
    '|---|---|---|---|---|---|---|---|---|',
    ...measurements.map(
      ({ subject, workload, connections, result }) =>
        `| ${subject.name} | ${workload.entries} | ${workload.distribution} | ${workload.valueBytes} | ` +
        `${connections} | ${rate(result)} | ${result.cpuMicros.toFixed(0)} | ` +
        `${result.p50Ms.toFixed(1)} | ${result.p99Ms.toFixed(1)} |`,
    ),
  ];
}

function rate({ perSecond }: LoadResult): string {
  return perSecond.toFixed(perSecond < 100 ? 2 : 0);
}
