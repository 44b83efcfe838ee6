/**
 * Bounds the repetition in a statement: expressions that are written once but occur several times in the bound tree.
 */

import { SQL_BOUNDS } from '../../base/limits.ts';
import { sqlFailure } from '../../base/sql-errors.ts';
import { type Bound, partsOf } from './bound.ts';
import { expressionsOf } from './query-expressions.ts';

/**
 * Counts the parts of repeated expressions. BETWEEN and a simple CASE repeat their operand, so nesting twenty of them
 * would produce a million copies.
 */
export class Repetition {
  /** The parts of each expression, including its subqueries. */
  readonly #sizes = new Map<Bound, number>();
  readonly #placed = new Set<Bound>();
  #repeated = 0;

  /** Records an expression whose parts have been recorded. Throws if the statement repeats too much. */
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
