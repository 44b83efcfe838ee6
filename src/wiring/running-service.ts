/** A service that has started. */
export interface RunningService {
  readonly url: string;
  /** Finishes in-flight requests, commits their changes and closes. */
  stop(): Promise<void>;
}
