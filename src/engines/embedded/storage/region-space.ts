/**
 * Enforces the size limit of a persistent region. All persistent regions share the data file, so the limit applies to
 * all its used pages. SQLite itself limits the files of the others (max_page_count).
 */
import type { Database } from 'bun:sqlite';
import { gridError } from '../../../base/errors.ts';
import type { Region } from '../../../grid/cache-rules.ts';

/** The number of stores between checks of the size, which read the file. */
const STORES_PER_CHECK = 64;

type BoundedRegion = Region & { readonly maxSizeBytes: number };

function isBounded(region: Region | undefined): region is BoundedRegion {
  return region?.persistent === true && region.maxSizeBytes !== undefined;
}

/** Throws REGION_FULL if the data file has reached a persistent region's limit. */
export function checkRegionSize(database: Database, region: Region | undefined): void {
  if (!isBounded(region)) return;
  const row = database
    .query<{ used: bigint }, []>(
      `SELECT (page_count - freelist_count) * page_size AS used
      FROM pragma_page_count, pragma_freelist_count, pragma_page_size`,
    )
    .get();
  if (Number(row?.used ?? 0n) >= region.maxSizeBytes) throw gridError('REGION_FULL', region.name, region.maxSizeBytes);
}

/** Checks the size once every 64 entries, so that the limit is exact to within some hundred entries. */
export class RegionSpace {
  readonly #database: Database;
  readonly #region: Region;
  #stores = 0;
  #isFull = false;

  private constructor(database: Database, region: Region) {
    this.#database = database;
    this.#region = region;
  }

  /** Returns undefined for a region without a limit to check. */
  static of(database: Database, region: Region | undefined): RegionSpace | undefined {
    return isBounded(region) ? new RegionSpace(database, region) : undefined;
  }

  /** Throws REGION_FULL. Call it before storing an entry. */
  check(): void {
    if (!this.#isFull && this.#stores++ % STORES_PER_CHECK !== 0) return;
    this.#isFull = true;
    checkRegionSize(this.#database, this.#region);
    this.#isFull = false;
  }
}
