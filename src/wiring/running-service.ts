import type { Grid } from '../grid/grid.ts';

/** A service that has started. */
export interface RunningService {
  /** undefined while it waits for a cluster, and if only HTTP is served. */
  readonly grid?: Grid | undefined;
  readonly url: string;
  /** The console's address, or undefined if it is not served. */
  readonly consoleUrl?: string | undefined;
  /** The configured port, if it is in use and the service listens on a different one. */
  readonly movedFrom?: { readonly port: number; readonly chosen: number };
  /**
   * Resolves with the problem with the JSON Web Token keys once they have been loaded, or undefined if there is none.
   */
  readonly tokenKeyWarning?: Promise<string | undefined>;
  /** Whether it is the primary or a standby, in words. */
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
