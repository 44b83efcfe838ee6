/**
 * The bound of a persistent region. All persistent regions share the data file, so what counts is its used pages as a
 * whole, looked at now and then: a bound that holds to within some hundred entries.
 */
import type { Database, Statement } from 'bun:sqlite';
import { fail } from '../../../base/errors.ts';
import { prepare } from './databases.ts';
import type { Binding } from './value-storage.ts';

const STORES_PER_LOOK = 64;

export class RegionSpace {
  readonly #region: string;
  readonly #maxSizeBytes: number;
  readonly #used: Statement<{ used: bigint }, Binding[]>;
  #stores = 0;
  #full = false;

  constructor(region: string, maxSizeBytes: number, database: Database) {
    this.#region = region;
    this.#maxSizeBytes = maxSizeBytes;
    this.#used = prepare(
      database,
      `SELECT (page_count - freelist_count) * page_size AS used
      FROM pragma_page_count, pragma_freelist_count, pragma_page_size`,
    );
  }

  /** Refuses REGION_FULL. Call before an entry is stored. */
  check(): void {
    if (this.#full || this.#stores % STORES_PER_LOOK === 0) {
      this.#full = Number(this.#used.get()?.used ?? 0n) >= this.#maxSizeBytes;
    }
    this.#stores++;
    if (this.#full) throw fail('REGION_FULL', this.#region, this.#maxSizeBytes);
  }
}
