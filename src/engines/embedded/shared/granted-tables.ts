/** Checks that a prepared statement uses no table beyond its grant. */
import { gridError } from '../../../base/errors.ts';
import type { GrantedTable, StatementGrant } from '../../../grid/statement-grant.ts';
import type { EntryTable } from '../sql/entry-table.ts';
import type { Prepared } from '../sql/statement.ts';

/**
 * Throws PERMISSION_DENIED for a statement with a table that was not granted. A system view and a definition need an
 * unlimited grant. The text does not name the table, because its reader may not know that it exists.
 */
export function checkGranted(prepared: Prepared, { reads, changes }: StatementGrant, owner: string): void {
  const changed = prepared.kind === 'change' ? prepared.target : undefined;
  if (changed !== undefined && !isGranted(changed, changes)) {
    throw gridError('PERMISSION_DENIED', owner, 'put, remove on the table that the statement changes');
  }
  if (reads === undefined && prepared.kind !== 'ddl') return;
  const areGranted =
    prepared.kind !== 'ddl' &&
    prepared.placeholders.every(({ kind }) => kind !== 'rows') &&
    prepared.tables.every((table) => isGranted(table, reads) || isGranted(table, changes));
  if (!areGranted) throw gridError('PERMISSION_DENIED', owner, 'read on every table of the statement');
}

function isGranted(found: EntryTable, granted: readonly GrantedTable[] | undefined): boolean {
  if (granted === undefined) return true;
  // Rights on a table never extend to the entries of its cache.
  const name = found.entries === undefined ? `${found.schema}.${found.name}` : undefined;
  return granted.some(({ cache, table }) => cache === found.cache && (table === undefined || table === name));
}
