/**
 * What only the service knows of its process, for the views of SYS. Plain data, so that it can be sent to the thread
 * that runs the statement; every member may be absent, and its views are empty then.
 */
import type { AttributeValue } from '../../../../grid/grid.ts';

export interface ServiceFacts {
  /** Addresses and names under which this node is reached. */
  readonly addresses?: readonly string[];
  readonly hostNames?: readonly string[];
  /** Figures of the node by the names of `node` with `mtr=true`. */
  readonly nodeMetrics?: Readonly<Record<string, number>>;
  /** Attributes of the node as `attr=true` shows them. */
  readonly nodeAttributes?: Readonly<Record<string, AttributeValue>>;
  /** Settings by their path in the configuration; none that is secret. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Further figures for SYS.METRICS by name: counters of requests and the like. */
  readonly figures?: Readonly<Record<string, string | number>>;
  readonly connections?: readonly ConnectionFact[];
  readonly queries?: readonly QueryFact[];
  readonly scans?: readonly ScanFact[];
  readonly history?: readonly QueryHistoryFact[];
  readonly tasks?: readonly TaskFact[];
  readonly jobs?: readonly JobFact[];
  readonly users?: readonly UserFact[];
}

/** A session, or a connection without one. Times in ms since the epoch. */
export interface ConnectionFact {
  readonly id: number;
  readonly localAddress: string | null;
  readonly remoteAddress: string | null;
  readonly type: 'HTTP' | 'HTTPS';
  readonly user: string | null;
  readonly version: string | null;
}

/** A running SQL query or an open cursor. */
export interface QueryFact {
  readonly id: number;
  readonly sql: string;
  readonly schema: string;
  readonly startedAtMs: number;
  /** The user that runs it; empty: anonymous. */
  readonly owner: string;
}

/** A running scan or its open cursor. */
export interface ScanFact {
  readonly id: number;
  readonly cache: string;
  readonly startedAtMs: number;
  readonly filter: string | null;
  readonly pageSize: number;
}

/** Runs of one text. */
export interface QueryHistoryFact {
  readonly schema: string;
  readonly sql: string;
  readonly executions: number;
  readonly failures: number;
  readonly shortestMs: number;
  readonly longestMs: number;
  readonly lastStartedAtMs: number;
}

export interface TaskFact {
  readonly id: string;
  readonly name: string;
  readonly startedAtMs: number;
  /** 0: not ended. */
  readonly endedAtMs: number;
}

export interface JobFact {
  readonly id: string;
  readonly taskId: string;
  readonly taskName: string;
  readonly createdAtMs: number;
  /** 0: not started. */
  readonly startedAtMs: number;
  readonly state: 'ACTIVE' | 'PASSIVE' | 'CANCELED';
}

export interface UserFact {
  readonly name: string;
  readonly administrator: boolean;
}
