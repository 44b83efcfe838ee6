/** Writes bench/RESULTS-PEERS.md from the results of all workloads. */
import { merge, percentileMs } from '../histogram.ts';
import { shownWorkload } from '../workload.ts';
import { LEVELS, type Level, type SystemResult, type WorkloadResult } from './measure.ts';
import { DESCRIPTIONS, WORKLOADS } from './operations.ts';
import { METRICS, type Metric, type Reasons, reasonOf } from './reasons.ts';
import { DURABILITIES, type Durability, SYSTEMS } from './system.ts';

const TITLES: Readonly<Record<Durability, string>> = {
  synced: 'Every acknowledged write synced',
  unsynced: 'Nobody syncs',
};
/** Share of a core above which the generator may limit the maximum. */
const BUSY_GENERATOR = 0.9;
/** The level whose CPU time, memory and latency are compared. */
export const COMPARED: Level = 60;

/** A name of a file for a durability and a working set. */
export function setName({ durability, workload }: Pick<WorkloadResult, 'durability' | 'workload'>): string {
  return `${durability}-${workload.entries}-${workload.distribution}-${workload.valueBytes}`;
}

/** Returns the results of each durability and working set, in the order of the report. */
export function groupsOf(all: readonly WorkloadResult[]): WorkloadResult[][] {
  const groups = new Map<string, WorkloadResult[]>();
  const sorted = all.toSorted(
    (a, b) =>
      DURABILITIES.indexOf(a.durability) - DURABILITIES.indexOf(b.durability) ||
      a.workload.valueBytes - b.workload.valueBytes ||
      a.workload.entries - b.workload.entries ||
      b.workload.distribution.localeCompare(a.workload.distribution) ||
      WORKLOADS.indexOf(a.name) - WORKLOADS.indexOf(b.name),
  );
  for (const result of sorted) groups.set(setName(result), [...(groups.get(setName(result)) ?? []), result]);
  return [...groups.values()];
}

/** The result of svc as a multiple of a peer's. */
export interface Comparison {
  readonly peer: SystemResult;
  readonly throughput: number;
  readonly cpu: number;
  readonly p99: number;
  readonly memory: number;
  /** The metrics in which svc is behind; empty if none. */
  readonly behind: readonly Metric[];
  /** The lowest measured rate of svc that is at least the peer's, and svc's p99 there; undefined if there is none. */
  readonly atPeersRate: { readonly perSecond: number; readonly p99Ms: number } | undefined;
}

/** Compares svc with each peer. */
export function compare({ systems }: WorkloadResult): Comparison[] {
  const own = systems.find(({ system }) => system === 'svc');
  if (own === undefined) return [];
  return systems
    .filter((peer) => peer !== own)
    .map((peer) => {
      const ratio = (value: (result: SystemResult) => number) => value(own) / value(peer);
      const throughput = ratio(({ maximum }) => maximum);
      const cpu = ratio((each) => levelOf(each, COMPARED)?.cpuMicros ?? Number.NaN);
      const p99 = ratio((each) => latencyMs(each, COMPARED, 99));
      const memory = ratio((each) => levelOf(each, COMPARED)?.megabytes ?? Number.NaN);
      const isBehind: Readonly<Record<Metric, boolean>> = {
        throughput: throughput < 1,
        CPU: cpu > 1,
        p99: p99 > 1,
        memory: memory > 1,
      };
      const behind = METRICS.filter((metric) => isBehind[metric]);
      return { peer, throughput, cpu, p99, memory, behind, atPeersRate: atRateOf(own, peer) };
    });
}

function atRateOf(own: SystemResult, peer: SystemResult): Comparison['atPeersRate'] {
  const rate = levelOf(peer, COMPARED)?.perSecond ?? Number.POSITIVE_INFINITY;
  const level = own.levels.find(({ perSecond }) => perSecond >= rate);
  return level && { perSecond: level.perSecond, p99Ms: latencyMs(own, level.level, 99) };
}

export function levelOf({ levels }: SystemResult, level: Level): SystemResult['levels'][number] | undefined {
  return levels.find((each) => each.level === level);
}

/** Returns a percentile of the latencies at a level in ms; NaN if it was not measured. */
export function latencyMs(result: SystemResult, level: Level, percent: number): number {
  const found = levelOf(result, level);
  return found === undefined ? Number.NaN : percentileMs(merge([found.histogram]), percent);
}

/** Returns the text of bench/RESULTS-PEERS.md; `plots` are the paths of the plots by name of the set. */
export function writePeersReport(
  all: readonly WorkloadResult[],
  reasons: Reasons,
  plots: ReadonlyMap<string, readonly string[]>,
): string {
  const groups = groupsOf(all);
  return [
    '# svc beside its peers',
    '',
    'Written by `npm run bench:peers`. All systems of a table ran on one machine at the same time and were measured in turns,',
    'over loopback and HTTP connections that stay open, from a load generator on the same machine. First each one sends as fast',
    'as it is answered (the maximum); then operations are due at a fixed rate, 30, 60 and 90 % of its own maximum, and latencies',
    'count from the time when an operation was due (no coordinated omission). Each latency is the percentile of all rounds',
    '(HdrHistogram, in `svc-VERSION-measurements.tgz` of a release), each other figure the median of the rounds. CPU is the time of all processes of',
    `a system per operation, user and system, and memory that of all its processes, both at ${COMPARED} %. A system at 60 % of a`,
    'higher maximum answers more operations in a second than one at 60 % of a lower maximum.',
    '',
    ...WORKLOADS.map((name) => `- ${name}: ${DESCRIPTIONS[name]}`),
    '',
    ...(groups.length === 0 ? ['Nothing has been measured yet.', ''] : []),
    ...groups.flatMap((group) => section(group, reasons, plots)),
  ].join('\n');
}

function section(
  group: readonly WorkloadResult[],
  reasons: Reasons,
  plots: ReadonlyMap<string, readonly string[]>,
): string[] {
  const [first] = group;
  if (first === undefined) return [];
  const title = `${TITLES[first.durability]}: ${shownWorkload(first.workload)}`;
  return [
    `## ${title}`,
    '',
    ...settings(group),
    '',
    ...(plots.get(setName(first)) ?? []).flatMap((path) => [`![${title}](${path})`, '']),
    `### svc as a multiple of each peer, ${first.durability}`,
    '',
    'More than 1 is better for throughput, less than 1 for the others.',
    '',
    '| workload | peer | throughput | CPU | p99 | memory | svc is behind in | reason |',
    '|---|---|---|---|---|---|---|---|',
    ...group.flatMap((result) => compare(result).map((each) => comparisonRow(result, each, reasons))),
    '',
    '### Figures',
    '',
    ...group.flatMap(latencyTable),
  ];
}

/** Returns how each system is configured, and how they were measured. */
function settings(group: readonly WorkloadResult[]): string[] {
  const systems = new Map(group.flatMap((result) => result.systems).map((each) => [each.system, each]));
  const conditions = group.map(
    ({ machine, fileSystem, rounds, durationMs, connections }) =>
      `${machine}; data on ${fileSystem}; ${rounds} round(s) of ${durationMs / 1_000} s, ${connections} connections.`,
  );
  return [
    ...SYSTEMS.flatMap((name) => {
      const found = systems.get(name);
      return found === undefined ? [] : [`- ${found.title}: ${found.setting}`];
    }),
    '',
    ...new Set(conditions),
  ];
}

function comparisonRow(result: WorkloadResult, comparison: Comparison, reasons: Reasons): string {
  const { name } = result;
  const { peer, throughput, cpu, p99, memory, behind } = comparison;
  const reason = behind.map((metric) => shownReason(metric, result, comparison, reasons)).join('; ');
  const ratios = [throughput, cpu, p99, memory].map((each) => each.toFixed(2));
  return `| ${[name, peer.title, ...ratios, behind.join(', ') || 'nothing', reason].join(' | ')} |`;
}

/** Returns why svc is behind in a metric. Latencies grow with the rate, so a higher one is the first reason. */
function shownReason(
  metric: Metric,
  { durability, name }: WorkloadResult,
  { peer, throughput, atPeersRate }: Comparison,
  reasons: Reasons,
): string {
  if (metric !== 'p99' || throughput <= 1 || atPeersRate === undefined) {
    return `${metric}: ${reasonOf(reasons, durability, name, peer.system, metric) ?? 'not known yet'}`;
  }
  const [ownMs, peerMs] = [atPeersRate.p99Ms, latencyMs(peer, COMPARED, 99)];
  const atSameRate =
    ownMs <= peerMs
      ? `; at ${atPeersRate.perSecond.toFixed(0)}/s, no less than the peer's, ${shownMs(ownMs)} ms (${shownMs(peerMs)})`
      : '';
  return `p99: at ${throughput.toFixed(2)} times the peer's rate, on cores that the generator shares${atSameRate}`;
}

function latencyTable(result: WorkloadResult): string[] {
  const heads = LEVELS.flatMap((level) => [`p50 ms at ${level} %`, 'p99', 'p99.9']);
  return [
    `#### ${result.name}`,
    '',
    `| system | maximum/s | CPU µs | memory MB | ${heads.join(' | ')} |`,
    `|---|---|---|---|${heads.map(() => '---|').join('')}`,
    ...result.systems.map((each) => {
      const compared = levelOf(each, COMPARED);
      const latencies = LEVELS.flatMap((level) =>
        [50, 99, 99.9].map((percent) => shownMs(latencyMs(each, level, percent))),
      );
      const maximum = `${each.maximum.toFixed(0)}${each.generatorCores > BUSY_GENERATOR ? ' *' : ''}`;
      const used = [compared?.cpuMicros.toFixed(1) ?? '', compared?.megabytes.toFixed(0) ?? ''];
      return `| ${[each.title, maximum, ...used, ...latencies].join(' | ')} |`;
    }),
    '',
    ...notes(result),
  ];
}

function notes({ systems, missing, loads }: WorkloadResult): string[] {
  const unanswered = systems.flatMap(({ title, levels }) =>
    levels
      .filter((each) => each.unanswered > 0)
      .map((each) => `${title} did not answer ${each.unanswered} operations at ${each.level} %.`),
  );
  const delay = Math.max(0, ...systems.flatMap(({ levels }) => levels.map((each) => each.delayP99Micros)));
  const lines = [
    ...Object.entries(missing).map(([system, reason]) => `Not measured: ${system}: ${reason.replaceAll('\n', ' ')}.`),
    ...(systems.some(({ generatorCores }) => generatorCores > BUSY_GENERATOR)
      ? ['\\* The load generator used its whole core: the maximum may be its own.']
      : []),
    ...unanswered,
    `The generator sent at most ${delay.toFixed(0)} µs late (99th percentile). Load average before and after: ` +
      `${loads.map((each) => each.toFixed(1)).join(' and ')}.`,
  ];
  return lines.flatMap((line) => [line, '']);
}

function shownMs(milliseconds: number): string {
  return Number.isNaN(milliseconds) ? '' : milliseconds.toFixed(milliseconds < 10 ? 2 : milliseconds < 100 ? 1 : 0);
}
