/**
 * The rows of destroyed caches in the table `caches`. They tell threads which caches were destroyed; the oldest rows
 * are removed when there are many.
 */
import type { Database } from 'bun:sqlite';
import { EMBEDDED_BOUNDS } from '../../../base/limits.ts';
import { prepare } from '../storage/databases.ts';
import type { SharedState } from '../storage/shared-state.ts';

/** Maximum number of rows removed in one step. */
const REMOVED_AT_ONCE = EMBEDDED_BOUNDS.destroyedCaches / 2;

export class DestroyedCaches {
  readonly #shared: SharedState;
  /** Ids of caches without a table, in order of destruction. */
  #ids: number[] = [];

  constructor(shared: SharedState) {
    this.#shared = shared;
  }

  /** Adds a cache whose table was dropped. The next startup finds those for which this was not called. */
  add(id: number): void {
    this.#ids.push(id);
  }

  /** Removes the oldest rows if there are many, in the transaction that changes definitions. */
  removeOldest(database: Database): void {
    if (this.#ids.length < EMBEDDED_BOUNDS.destroyedCaches) return;
    const oldest = this.#ids.slice(0, REMOVED_AT_ONCE);
    this.#ids = this.#ids.slice(REMOVED_AT_ONCE);
    const list = oldest.join(', ');
    using newest = prepare<{ version: bigint | null }>(
      database,
      `SELECT max(version) AS version FROM caches WHERE id IN (${list})`,
    );
    this.#shared.definitionsForgotten(newest.get()?.version ?? 0n);
    database.run(`DELETE FROM caches WHERE id IN (${list}) AND live = 0`);
  }
}
