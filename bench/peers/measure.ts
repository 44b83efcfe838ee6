/** Measures systems in turns: each one's maximum, then latencies at fixed shares of it. */
import { loadavg } from 'node:os';
import { encode, merge, percentileMs } from '../histogram.ts';
import { type ArrivalsResult, type LoadPlan, medianOf, runArrivals } from '../load.ts';
import { residentMegabytes } from '../process-usage.ts';
import { machineText } from '../report.ts';
import type { BenchRequest } from '../requests.ts';
import type { Workload } from '../workload.ts';
import { type Operation, operationsOf, type WorkloadName } from './operations.ts';
import type { Durability, MeasuredSystem, SystemName } from './system.ts';

/** Shares of a system's own maximum, in percent. */
export const LEVELS = [30, 60, 90] as const;
export type Level = (typeof LEVELS)[number];

export interface LevelResult {
  readonly level: Level;
  /** Operations that are due in a second. */
  readonly perSecond: number;
  /** CPU time of all processes of the system per operation, user and system; the median of the rounds. */
  readonly cpuMicros: number;
  /** Memory of all processes of the system; the median of the rounds. */
  readonly megabytes: number;
  /** Latencies of all rounds in microseconds (HdrHistogram, compressed, base64). */
  readonly histogram: string;
  readonly unanswered: number;
  /** The worst round: how late the generator sent although a connection was free, 99th percentile. */
  readonly delayP99Micros: number;
}

export interface SystemResult {
  readonly system: SystemName;
  readonly title: string;
  readonly setting: string;
  /** Operations per second in a closed loop, the median of the rounds. */
  readonly maximum: number;
  /** CPU time of the generator per second meanwhile: near 1, it limits the maximum. */
  readonly generatorCores: number;
  readonly levels: readonly LevelResult[];
}

/** The result of a workload on all systems; a file of the folder of results. */
export interface WorkloadResult {
  readonly durability: Durability;
  readonly name: WorkloadName;
  readonly workload: Workload;
  readonly machine: string;
  /** The file system of the data. */
  readonly fileSystem: string;
  readonly rounds: number;
  readonly durationMs: number;
  readonly connections: number;
  /** Load averages before and after. */
  readonly loads: readonly [before: number, after: number];
  readonly systems: readonly SystemResult[];
  /** Why systems were not measured. */
  readonly missing: Readonly<Partial<Record<SystemName, string>>>;
}

export interface Schedule {
  readonly rounds: number;
  readonly durationMs: number;
  readonly connections: number;
  /** Before the first measurement of a workload, by system: a virtual machine compiles frequently executed code. */
  readonly warmUpMs: Readonly<Record<SystemName, number>>;
}

/** Before each measurement, at its own rate. */
const LEAD_MS = 500;

/** Returns the order of each round: a different system begins, so a drift in the machine's speed favours none. */
export function ordersOf<T>(systems: readonly T[], rounds: number): T[][] {
  return Array.from({ length: rounds }, (_, round) =>
    systems.map((_system, at) => systems[(at + round) % systems.length] as T),
  );
}

/** Returns the rates of a system with this maximum. */
export function ratesOf(maximum: number): ReadonlyArray<readonly [level: Level, perSecond: number]> {
  return LEVELS.map((level) => [level, Math.max(1, (maximum * level) / 100)]);
}

/** Whether a system can execute all operations. */
export function canExecute(system: Pick<MeasuredSystem, 'steps'>, operations: readonly Operation[]): boolean {
  return operations.every((operation) => operation.every(({ kind }) => system.steps.has(kind)));
}

/** Returns the request of an operation, with the ones that follow it. */
export function requestOf(system: Pick<MeasuredSystem, 'request'>, [first, ...others]: Operation): BenchRequest {
  const request = system.request(first);
  const [second, ...further] = others;
  return second === undefined ? request : { ...request, next: requestOf(system, [second, ...further]) };
}

/** A system under measurement. */
interface Subject {
  readonly system: MeasuredSystem;
  readonly requests: readonly BenchRequest[];
  readonly maxima: ArrivalsResult[];
  readonly levels: Map<Level, Array<ArrivalsResult & { readonly megabytes: number }>>;
  failure: string | undefined;
}

function megabytesOf({ pids }: MeasuredSystem): number {
  return pids.reduce((sum, pid) => sum + residentMegabytes(pid), 0);
}

/** Measures a workload on systems that have its entries. */
export async function measureWorkload(
  about: Pick<WorkloadResult, 'durability' | 'name' | 'workload' | 'fileSystem' | 'missing'>,
  systems: readonly MeasuredSystem[],
  { rounds, durationMs, connections, warmUpMs }: Schedule,
  say: (text: string) => void,
): Promise<WorkloadResult> {
  const before = loadavg()[0] ?? 0;
  const operations = operationsOf(about.name, about.workload);
  const missing = { ...about.missing };
  const subjects: Subject[] = [];
  for (const system of systems) {
    if (canExecute(system, operations)) {
      const requests = operations.map((operation) => requestOf(system, operation));
      subjects.push({ system, requests, maxima: [], levels: new Map(), failure: undefined });
    } else missing[system.name] = 'it has no such operation';
  }

  /** Runs a load on a system that has not failed. */
  async function load(subject: Subject, times: Pick<LoadPlan, 'warmUpMs' | 'durationMs' | 'perSecond'>) {
    if (subject.failure !== undefined) return undefined;
    const [serverPid, furtherPid] = subject.system.pids;
    const further = furtherPid === undefined ? {} : { furtherPid };
    try {
      const plan = { port: subject.system.port, connections, serverPid, ...further, ...times };
      const result = await runArrivals(plan, subject.requests);
      if (result.requests === result.unanswered) throw new Error('it answered nothing');
      await subject.system.tidy?.();
      return result;
    } catch (error) {
      subject.failure = (error instanceof Error ? error.message : String(error)).slice(0, 300);
      say(`${about.name} ${about.durability} ${subject.system.title}: ${subject.failure}`);
      return undefined;
    }
  }

  for (const subject of subjects) {
    await load(subject, { warmUpMs: 0, durationMs: warmUpMs[subject.system.name] });
  }
  for (const order of ordersOf(subjects, rounds)) {
    for (const subject of order) {
      const result = await load(subject, { warmUpMs: LEAD_MS, durationMs });
      if (result !== undefined) subject.maxima.push(result);
    }
  }
  for (const order of ordersOf(subjects, rounds)) {
    for (const at of LEVELS.keys()) {
      for (const subject of order) {
        const maximum = medianOf(subject.maxima.map(({ perSecond }) => perSecond));
        const [level, perSecond] = ratesOf(maximum)[at] ?? [LEVELS[0], 1];
        const result = await load(subject, { warmUpMs: LEAD_MS, durationMs, perSecond });
        if (result === undefined) continue;
        const results = subject.levels.get(level) ?? [];
        results.push({ ...result, megabytes: megabytesOf(subject.system) });
        subject.levels.set(level, results);
      }
    }
  }
  const measured: SystemResult[] = [];
  for (const subject of subjects) {
    if (subject.failure === undefined) measured.push(resultOf(subject));
    else missing[subject.system.name] = subject.failure;
  }
  for (const { title, maximum, levels } of measured) {
    const shown = levels.map(({ level, histogram }) => `${level} %: ${shownLatencies(histogram)}`).join(', ');
    say(`${about.name} ${about.durability} ${title}: ${maximum.toFixed(0)}/s; p50 and p99 in ms at ${shown}`);
  }
  const loads = [before, loadavg()[0] ?? 0] as const;
  return { ...about, machine: machineText(), rounds, durationMs, connections, loads, systems: measured, missing };
}

function shownLatencies(text: string): string {
  const histogram = merge([text]);
  return [50, 99].map((percent) => percentileMs(histogram, percent).toFixed(2)).join(' and ');
}

function resultOf({ system, maxima, levels }: Subject): SystemResult {
  return {
    system: system.name,
    title: system.title,
    setting: system.setting,
    maximum: medianOf(maxima.map(({ perSecond }) => perSecond)),
    generatorCores: medianOf(maxima.map(({ generatorCores }) => generatorCores)),
    levels: [...levels].map(([level, results]) => ({
      level,
      perSecond: medianOf(results.map(({ requests }) => requests)) / (medianOf(results.map(durationOf)) / 1_000),
      cpuMicros: medianOf(results.map(({ cpuMicros }) => cpuMicros)),
      megabytes: medianOf(results.map(({ megabytes }) => megabytes)),
      histogram: encode(merge(results.map(({ histogram }) => histogram))),
      unanswered: results.reduce((sum, { unanswered }) => sum + unanswered, 0),
      delayP99Micros: Math.max(...results.map(({ delayP99Micros }) => delayP99Micros)),
    })),
  };
}

function durationOf({ requests, perSecond }: ArrivalsResult): number {
  return (requests * 1_000) / perSecond;
}
