/** Bounds what a statement repeats: expressions that are written once and stand several times in the bound tree. */

import { SQL_BOUNDS } from '../../base/limits.ts';
import { sqlFailure } from '../../base/sql-errors.ts';
import { type Bound, partsOf } from './bound.ts';
import { expressionsOf } from './query-expressions.ts';

/**
 * Counts the parts of repeated expressions. BETWEEN and a simple CASE repeat their operand, so that twenty within each
 * other would make a million of it.
 */
export class Repetition {
  /** The parts of each expression, those of its subqueries included. */
  readonly #sizes = new Map<Bound, number>();
  readonly #placed = new Set<Bound>();
  #repeated = 0;

  /** Notes an expression whose parts have been noted. Throws when the statement repeats too much. */
  note(bound: Bound): void {
    if (!this.#sizes.has(bound)) this.#measure(bound);
  }

  #measure(bound: Bound): number {
    let size = 1;
    for (const part of partsOf(bound)) size += this.#place(part);
    if ('query' in bound) for (const part of expressionsOf(bound.query)) size += this.#place(part);
    this.#sizes.set(bound, size);
    return size;
  }

  #place(bound: Bound): number {
    const size = this.#sizes.get(bound) ?? this.#measure(bound);
    if (this.#placed.has(bound)) this.#repeated += size;
    else this.#placed.add(bound);
    if (this.#repeated > SQL_BOUNDS.repeatedParts) throw sqlFailure('TOO_COMPLEX');
    return size;
  }
}
