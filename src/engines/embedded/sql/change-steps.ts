/** The SQLite statements that a change consists of. */

/** One SQLite statement of a change. Its rows count unless it only prepares the next step. */
export interface ChangeStep {
  readonly sql: string;
  /** The effect on the rows: stored or replaced, updated, removed, or none that counts. */
  readonly effect: 'store' | 'update' | 'remove' | 'none';
  /**
   * For a step that changes entries: it selects them, and the writer stores them. `insert` fails for an existing key,
   * `insertNew` only after storing the others. If undefined, the statement changes the rows itself.
   */
  readonly entries?: 'insert' | 'insertNew' | 'put';
}

export interface EmittedChange {
  /** In the order in which they run. They share the emitter's placeholders. */
  readonly steps: readonly ChangeStep[];
  /** Whether it only inserts rows determined by the text and the arguments. */
  readonly insertsFixedRows: boolean;
  /** For a DELETE of all rows. */
  readonly emptying?: Emptying | undefined;
}

/** How a DELETE of all rows can empty a table that stores nothing else. */
export interface Emptying {
  /** Counts the live entries as c0, and the rows among them as c1. */
  readonly live: string;
  /** Removes all entries, live or not. */
  readonly remove: string;
}
