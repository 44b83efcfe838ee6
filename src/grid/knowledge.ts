/** The information beyond its own data that a query's sender may see (SECURITY.md, "Who may know what"). */
export interface Knowledge {
  /** Other users and their activity. */
  readonly users: boolean;
  /** The service, its nodes and its machine. */
  readonly service: boolean;
  /** Every counter. */
  readonly counters: boolean;
}
