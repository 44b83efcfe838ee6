/**
 * What a statement may read and change, as data that travels with it. The service checks a statement by its text;
 * an engine that resolves names checks by the grant what it has found, so that no difference between the two can show a
 * table that nobody has checked.
 */

/** A table whose rights were checked. */
export interface GrantedTable {
  readonly cache: string;
  /** `SCHEMA.NAME`; undefined if the rights are those on the cache. */
  readonly table: string | undefined;
}

export interface StatementGrant {
  /** Undefined: every table, view and system view. */
  readonly reads: readonly GrantedTable[] | undefined;
  /** Tables that may be read, too. Undefined: every table. */
  readonly changes: readonly GrantedTable[] | undefined;
}
