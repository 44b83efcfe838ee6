import type { Difference, DifferenceKind, Outcomes } from './difference.ts';
import type { Outcome } from './targets.ts';

/** A difference that is accepted, and how it is recognized. Each has at least one of the four functions. */
export interface KnownDifference {
  readonly reason: string;
  /** Maximum number of occurrences in 1,000 statements. */
  readonly maxPerThousand: number;
  /** Returns whether both answers show the deviation that the reason describes. */
  holds?(difference: Difference): boolean;
  /** Returns svc's outcome with the deviation applied, or the outcome itself where it does not apply. */
  predicted?(outcomes: Outcomes): Outcome;
  /**
   * Returns statements with the same meaning but without the deviation. Ignite's outcome of one must be svc's outcome.
   */
  equivalents?(sql: string, what: DifferenceKind): readonly string[];
  /** Determines with svc the outcome that Ignite must have. Returns undefined if the deviation does not apply. */
  imitated?(difference: Difference, ask: (sql: string) => Promise<Outcome>): Promise<Outcome | undefined>;
}
