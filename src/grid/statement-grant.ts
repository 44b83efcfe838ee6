/**
 * The objects that a statement may read and change, as data sent along with it. The service checks a statement by its
 * text. An engine that resolves names checks what it has found against the grant, so that a discrepancy between the two
 * cannot expose an unchecked table.
 */

/** A table whose rights were checked. */
export interface GrantedTable {
  readonly cache: string;
  /** `SCHEMA.NAME`; undefined if the rights are those on the cache. */
  readonly table: string | undefined;
}

export interface StatementGrant {
  /** Every table, view and system view if undefined. */
  readonly reads: readonly GrantedTable[] | undefined;
  /** Tables that may also be read. Every table if undefined. */
  readonly changes: readonly GrantedTable[] | undefined;
}
