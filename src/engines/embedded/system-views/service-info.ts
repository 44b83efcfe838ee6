/**
 * The service's data for the system views, as plain data sent to the statement's thread. Every member is optional; the
 * views of an undefined member are empty.
 */
import type { ConsumerInfo } from '../../../grid/change-feed.ts';
import type { AttributeValue } from '../../../grid/grid.ts';
import type { StatementState } from '../../../grid/statement-report.ts';

export interface ServiceInfo {
  /** Addresses and names of this node. */
  readonly addresses?: readonly string[];
  readonly hostNames?: readonly string[];
  /** The node's metrics by the names of `node` with `mtr=true`. */
  readonly nodeMetrics?: Readonly<Record<string, number>>;
  /** The node's attributes as shown by `attr=true`. */
  readonly nodeAttributes?: Readonly<Record<string, AttributeValue>>;
  /** Settings by their path in the configuration, without secrets. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Additional metrics for SYS.METRICS by name, such as request counters. */
  readonly metrics?: Readonly<Record<string, string | number>>;
  readonly connections?: readonly ConnectionInfo[];
  readonly queries?: readonly QueryInfo[];
  readonly scans?: readonly ScanInfo[];
  /** Running statements and scans. */
  readonly statements?: readonly StatementInfo[];
  readonly history?: readonly QueryHistoryInfo[];
  readonly tasks?: readonly TaskInfo[];
  readonly jobs?: readonly JobInfo[];
  readonly users?: readonly UserInfo[];
  /** Consumers of the change feed. */
  readonly consumers?: readonly ConsumerInfo[];
}

/** A session, or a connection without one. Times in ms since the epoch. */
export interface ConnectionInfo {
  readonly id: number;
  readonly localAddress: string | null;
  readonly remoteAddress: string | null;
  readonly type: 'HTTP' | 'HTTPS';
  readonly user: string | null;
  readonly version: string | null;
}

/** A running SQL query or its open cursor. */
export interface QueryInfo {
  readonly id: number;
  readonly sql: string;
  readonly schema: string;
  readonly startedAtMs: number;
  /** The user; empty if anonymous. */
  readonly owner: string;
}

/** A running scan or its open cursor. */
export interface ScanInfo {
  readonly id: number;
  readonly cache: string;
  readonly startedAtMs: number;
  readonly filter: string | null;
  readonly pageSize: number;
  readonly owner: string;
}

/** A running statement or scan with its resource use. */
export interface StatementInfo {
  readonly id: number;
  readonly kind: 'sql' | 'scan';
  readonly state: StatementState;
  /** The text of a statement, or the cache of a scan. */
  readonly text: string;
  readonly owner: string;
  readonly startedAtMs: number;
  readonly activeMs: number;
  readonly rows: number;
  readonly memoryBytes: number;
  readonly temporaryBytes: number;
  /** Entries that a definition has converted, and their total; 0 of 0 for other statements. */
  readonly convertedRows: number;
  readonly rowsToConvert: number;
}

/** Statistics of one statement text. Durations cover the execution, without the client's time to read pages. */
export interface QueryHistoryInfo {
  readonly schema: string;
  readonly sql: string;
  readonly executions: number;
  readonly failures: number;
  readonly shortestMs: number;
  readonly longestMs: number;
  readonly totalMs: number;
  /** Standard deviation of the durations. */
  readonly deviationMs: number;
  readonly fewestRows: number;
  readonly mostRows: number;
  readonly totalRows: number;
  readonly deviationRows: number;
  readonly lastStartedAtMs: number;
}

export interface TaskInfo {
  readonly id: string;
  readonly name: string;
  readonly startedAtMs: number;
  /** 0 while it runs. */
  readonly endedAtMs: number;
  readonly owner: string;
}

export interface JobInfo {
  readonly id: string;
  readonly taskId: string;
  readonly taskName: string;
  readonly createdAtMs: number;
  /** 0 before it starts. */
  readonly startedAtMs: number;
  readonly state: 'ACTIVE' | 'PASSIVE' | 'CANCELED';
  readonly owner: string;
}

export interface UserInfo {
  readonly name: string;
  readonly administrator: boolean;
}
