/** The result of the command `metricshistory`. */

/** Samples of the service's metrics. */
export interface MetricsSamples {
  readonly intervalMs: number;
  /** Milliseconds since 1970, ascending. */
  readonly times: readonly number[];
  /** The value at each time; null where there is none. */
  readonly series: Readonly<Record<string, readonly (number | null)[]>>;
  /** Requests per second, by command. */
  readonly commands: Readonly<Record<string, readonly (number | null)[]>>;
  readonly limits: MetricsLimits;
}

/** Reference values for metrics; null where nothing is known. */
export interface MetricsLimits {
  /** Time after which requests and statements are logged as slow, or null for never. */
  readonly slowMs: number | null;
  /** The machine's memory. */
  readonly memoryBytes: number | null;
  /** Size of the data folder's disk. */
  readonly diskBytes: number | null;
  /** Free space below which changes that add data are rejected. */
  readonly diskReserveBytes: number | null;
}
