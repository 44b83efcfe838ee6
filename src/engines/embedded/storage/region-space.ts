/**
 * Enforces the size bound of a persistent region. All persistent regions share the data file, so the bound applies to
 * all its used pages. They are counted once every 64 entries, so the bound is exact to within some hundred entries.
 */
import type { Database, Statement } from 'bun:sqlite';
import { fail } from '../../../base/errors.ts';
import { prepare } from './databases.ts';
import type { Binding } from './value-storage.ts';

const USED_BYTES = `SELECT (page_count - freelist_count) * page_size AS used
  FROM pragma_page_count, pragma_freelist_count, pragma_page_size`;

/** The number of stores between two checks of the size, which read the file. */
const STORES_PER_CHECK = 64;

export class RegionSpace {
  readonly #region: string;
  readonly #maxSizeBytes: number;
  readonly #used: Statement<{ used: bigint }, Binding[]>;
  #stores = 0;
  #full = false;

  constructor(region: string, maxSizeBytes: number, database: Database) {
    this.#region = region;
    this.#maxSizeBytes = maxSizeBytes;
    this.#used = prepare(database, USED_BYTES);
  }

  /** Throws REGION_FULL. Must be called before an entry is stored. */
  check(): void {
    if (this.#full || this.#stores % STORES_PER_CHECK === 0) {
      this.#full = Number(this.#used.get()?.used ?? 0n) >= this.#maxSizeBytes;
    }
    this.#stores++;
    if (this.#full) throw fail('REGION_FULL', this.#region, this.#maxSizeBytes);
  }
}

/** Returns the bytes of all used pages of the file. */
export function usedBytes(database: Database): number {
  return Number(database.query<{ used: bigint }, []>(USED_BYTES).get()?.used ?? 0n);
}
