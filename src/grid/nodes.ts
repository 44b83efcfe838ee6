/** A grid's report on its nodes and regions. */

/** A node as the engine describes it. The service adds its own addresses, jobs and requests. */
export interface GridNode {
  readonly id: string;
  readonly consistentId: string;
  readonly order: number;
  readonly local: boolean;
  readonly addresses: readonly string[];
  readonly hostNames: readonly string[];
  readonly port: number;
  /** Values by member name; if undefined, the metrics describe the service's process (embedded engine). */
  readonly metrics: Readonly<Record<string, number>> | undefined;
  readonly attributes: Readonly<Record<string, AttributeValue>> | undefined;
}

export type AttributeValue = string | number | boolean | readonly string[];

export interface Baseline {
  readonly active: boolean;
  readonly baseline: readonly string[];
  readonly topologyVersion: number;
  readonly servers: readonly string[];
}

/** Metrics of a data region; names are Ignite's (`dataregion`). */
export type RegionMetrics = Readonly<{ name: string } & Record<string, number | string>>;
