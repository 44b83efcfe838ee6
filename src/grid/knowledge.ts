/** What the sender of a query may know, beyond what is its own (SECURITY.md, "Who may know what"). */
export interface Knowledge {
  /** Other users and what they run. */
  readonly users: boolean;
  /** The service, its nodes and its machine. */
  readonly service: boolean;
  /** Every counter. */
  readonly counters: boolean;
}
