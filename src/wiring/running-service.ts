import type { Grid } from '../grid/grid.ts';

/** A service that has started. */
export interface RunningService {
  /** Absent while it waits for a cluster, and where only HTTP is served. */
  readonly grid?: Grid | undefined;
  readonly url: string;
  /** The address of the console; absent if it is not served. */
  readonly consoleUrl?: string | undefined;
  /** The configured port, if it is in use and the service listens on another one. */
  readonly movedFrom?: { readonly port: number; readonly chosen: number };
  /** Resolves with what is wrong with the keys of JSON Web Tokens when they have been loaded; undefined: nothing. */
  readonly tokenKeyWarning?: Promise<string | undefined>;
  /** Whether it is the primary or a standby, for people. */
  readonly role?: string;
  /** Why commands fail until the cluster can be reached. */
  readonly waitsBecause?: string;
  /** Serves for the configured delay while it is not ready, finishes in-flight requests, commits and closes. */
  stop(): Promise<void>;
}

/** A service that a watchdog can watch. */
export interface WatchableService extends RunningService {
  /** Starts the watchdog soon. The signal handlers must already be installed. */
  watch(): void;
}
