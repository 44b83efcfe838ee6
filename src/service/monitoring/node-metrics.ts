/**
 * The 55 metrics of a node that `mtr=true` returns, with Ignite's names; times in ms (docs/spec/ignite-cluster.md 3).
 */
import type { Clock } from '../../base/clock.ts';
import type { Metrics } from './metrics.ts';
import type { ProcessMetrics } from './process-metrics.ts';

/** Metrics of task steps since startup; times in ms. */
export interface JobMetrics {
  readonly active: number;
  readonly waiting: number;
  readonly maximumActive: number;
  readonly maximumWaiting: number;
  readonly executed: number;
  readonly rejected: number;
  readonly cancelled: number;
  readonly totalExecuteMs: number;
  readonly maximumExecuteMs: number;
  readonly totalWaitMs: number;
  readonly maximumWaitMs: number;
  readonly idleSinceMs: number;
}

export interface NodeMetricsInput {
  readonly clock: Clock;
  readonly machine: ProcessMetrics;
  readonly metrics: Metrics;
  readonly jobs: JobMetrics;
  readonly executedTasks: number;
  /** When the service started to answer, in ms since the Unix epoch. */
  readonly nodeStartedAtMs: number;
}

/** Ignite's value for an unknown metric. */
const UNKNOWN = -1;

/** Returns the metrics. Jobs are steps of tasks; messages are HTTP requests and responses. */
export function nodeMetrics({ clock, machine, metrics, jobs, executedTasks, nodeStartedAtMs }: NodeMetricsInput) {
  const memory = machine.memory();
  const processor = machine.processor();
  const threads = machine.threads();
  const disk = machine.disk();
  const requests = metrics.metric('httpRequests');
  const upTimeMs = machine.upTimeMs();
  const busyMs = Math.min(upTimeMs, jobs.totalExecuteMs);
  const idleMs = upTimeMs - busyMs;
  const average = (total: number, count: number) => (count === 0 ? 0 : total / count);
  return {
    lastUpdateTime: whole(clock.nowMs()),
    maximumActiveJobs: jobs.maximumActive,
    currentActiveJobs: jobs.active,
    averageActiveJobs: average(jobs.totalExecuteMs, upTimeMs),
    maximumWaitingJobs: jobs.maximumWaiting,
    currentWaitingJobs: jobs.waiting,
    averageWaitingJobs: average(jobs.totalWaitMs, upTimeMs),
    maximumRejectedJobs: jobs.rejected,
    currentRejectedJobs: 0,
    averageRejectedJobs: average(jobs.rejected, jobs.executed + jobs.rejected),
    totalRejectedJobs: jobs.rejected,
    maximumCancelledJobs: jobs.cancelled,
    currentCancelledJobs: 0,
    averageCancelledJobs: average(jobs.cancelled, jobs.executed),
    totalCancelledJobs: jobs.cancelled,
    totalExecutedJobs: jobs.executed,
    maximumJobWaitTime: whole(jobs.maximumWaitMs),
    currentJobWaitTime: 0,
    averageJobWaitTime: average(jobs.totalWaitMs, jobs.executed),
    maximumJobExecuteTime: whole(jobs.maximumExecuteMs),
    currentJobExecuteTime: 0,
    averageJobExecuteTime: average(jobs.totalExecuteMs, jobs.executed),
    totalExecutedTasks: executedTasks,
    totalBusyTime: whole(busyMs),
    totalIdleTime: whole(idleMs),
    currentIdleTime: jobs.active > 0 ? 0 : whole(clock.monotonicMs() - jobs.idleSinceMs),
    busyTimePercentage: average(busyMs, upTimeMs),
    idleTimePercentage: upTimeMs === 0 ? 1 : idleMs / upTimeMs,
    totalCpus: processor.count,
    currentCpuLoad: processor.currentLoad,
    averageCpuLoad: processor.averageLoad,
    currentGcCpuLoad: 0,
    heapMemoryInitialized: 0,
    heapMemoryUsed: memory.heapUsedBytes,
    heapMemoryCommitted: memory.heapCommittedBytes,
    heapMemoryMaximum: machine.totalMemoryBytes,
    nonHeapMemoryInitialized: 0,
    nonHeapMemoryUsed: Math.max(0, memory.residentBytes - memory.heapCommittedBytes),
    nonHeapMemoryCommitted: memory.residentBytes,
    nonHeapMemoryMaximum: UNKNOWN,
    upTime: whole(upTimeMs),
    startTime: whole(machine.startedAtMs),
    nodeStartTime: whole(nodeStartedAtMs),
    currentThreadCount: threads.current,
    maximumThreadCount: threads.maximum,
    totalStartedThreadCount: threads.started,
    currentDaemonThreadCount: Math.max(0, threads.current - 1),
    lastDataVersion: whole(nodeStartedAtMs),
    sentMessagesCount: requests,
    sentBytesCount: metrics.metric('sentBytes'),
    receivedMessagesCount: requests,
    receivedBytesCount: metrics.metric('receivedBytes'),
    fileSystemFreeSpace: disk?.freeBytes ?? UNKNOWN,
    fileSystemTotalSpace: disk?.totalBytes ?? UNKNOWN,
    fileSystemUsableSpace: disk?.usableBytes ?? UNKNOWN,
  };
}

function whole(value: number): number {
  return Math.max(0, Math.round(value));
}
