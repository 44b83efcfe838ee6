/** Reasons why svc is behind a peer in a comparison of the report. */
import type { WorkloadName } from './operations.ts';
import type { Durability, SystemName } from './system.ts';

/** The comparisons, in the order of the report. */
export const METRICS = ['throughput', 'CPU', 'p99', 'memory'] as const;
export type Metric = (typeof METRICS)[number];

/** Reasons by metric, by peer and metric, by workload, peer and metric, or by durability and these. */
export type Reasons = Readonly<Record<string, string>>;

const PAGES_OF_CHANGES =
  'Redis changes a hash table in memory; SQLite writes the page of 4 KiB that has the entry to its log, and later to ' +
  'its file';
const PAGES_OF_BULK =
  'a hundred keys are on about as many pages of 4 KiB, which SQLite writes to its log, and later to its file';

const CHECKPOINTS =
  'one thread commits, and writes the log back to the file after each thousand pages; requests that it has not answered ' +
  'wait meanwhile';

export const REASONS: Reasons = {
  memory: 'each HTTP thread has a JavaScript heap and connections of SQLite with their caches',
  'webdis memory': 'Redis and Webdis have the entries and little else; each HTTP thread of svc has a JavaScript heap',
  'ycsb-a webdis throughput': PAGES_OF_CHANGES,
  'ycsb-a webdis CPU': PAGES_OF_CHANGES,
  'ycsb-b webdis throughput': PAGES_OF_CHANGES,
  'ycsb-f webdis CPU': PAGES_OF_CHANGES,
  'counters webdis throughput': PAGES_OF_CHANGES,
  'counters webdis CPU': PAGES_OF_CHANGES,
  'counters webdis p99': CHECKPOINTS,
  'bulk-read webdis throughput': 'a look-up in a B-tree of 100,000 rows costs more than one in a hash table',
  'bulk-read webdis CPU': 'a look-up in a B-tree of 100,000 rows costs more than one in a hash table',
  'bulk-write webdis throughput': PAGES_OF_BULK,
  'bulk-write webdis CPU': PAGES_OF_BULK,
  'bulk-write webdis p99': CHECKPOINTS,
  'bulk-write ignite throughput': PAGES_OF_BULK,
  'bulk-write ignite CPU': PAGES_OF_BULK,
  'bulk-write ignite p99': CHECKPOINTS,
};

/** Returns the most specific reason, or undefined if unknown. */
export function reasonOf(
  reasons: Reasons,
  durability: Durability,
  workload: WorkloadName,
  peer: SystemName,
  metric: Metric,
): string | undefined {
  const words = [durability, workload, peer, metric];
  return words.map((_, at) => reasons[words.slice(at).join(' ')]).find((reason) => reason !== undefined);
}
