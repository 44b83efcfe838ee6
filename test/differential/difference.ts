/** A statement that two of the targets, or a target and the evaluator, do not agree about. */
export interface Difference {
  readonly seed: number;
  /** Number of the statement in the history of the seed. */
  readonly number: number;
  readonly sql: string;
  /** What differs: rows, types, change, evaluator, only Ignite rejects, only svc rejects, or error text. */
  readonly what: string;
  /** The answers, by the name of the target. */
  readonly said: Readonly<Record<string, string>>;
}
