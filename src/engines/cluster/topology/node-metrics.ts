/** Node metrics and where SYS.NODE_METRICS has them. */
import { NODE_METRIC_COLUMNS } from '../../../grid/node-metrics.ts';

/** Columns that contain another column's metrics. */
const REPEATED: ReadonlySet<string> = new Set(['TOTAL_JOBS_EXECUTE_TIME', 'HEAP_MEMORY_TOTAL', 'NONHEAP_MEMORY_TOTAL']);

/** Column of each metric. */
export const METRIC_COLUMNS: Readonly<Record<string, string>> = Object.fromEntries(
  NODE_METRIC_COLUMNS.filter(({ name, metric }) => metric !== '-' && !REPEATED.has(name)).map(({ name, metric }) => [
    metric,
    name,
  ]),
);

/** Metrics that no node sets. */
export const CONSTANT_METRICS: Readonly<Record<string, number>> = {
  fileSystemFreeSpace: -1,
  fileSystemTotalSpace: -1,
  fileSystemUsableSpace: -1,
};

export const METRICS_QUERY = `select NODE_ID, ${Object.values(METRIC_COLUMNS).join(', ')} from SYS.NODE_METRICS`;
