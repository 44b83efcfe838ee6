/** Queries the cluster's system views for the engine's own use. */
import { isScalar } from '../../../values/scalar-traits.ts';
import type { Value } from '../../../values/value.ts';
import type { Connection } from '../connections/connection.ts';
import type { Pool } from '../connections/pool.ts';
import { fieldsNextPage, QUERY } from '../operations/query-operations.ts';
import { isTemporary, NodeError, toGridError } from '../protocol/status.ts';

/** Maximum number of rows per response: one response is enough for most system views. */
const PAGE_ROWS = 8_192;
/** Maximum number of attempts for a query whose node leaves or is not ready. */
const MAX_TRIES = 4;

/**
 * Returns all rows of a select. Runs it over the connection `over`, because metric views describe the queried node, or
 * over any connection if undefined.
 */
export async function selectAll(
  pool: Pool,
  sql: string,
  args: readonly Value[] = [],
  over?: Connection,
): Promise<ReadonlyArray<readonly Value[]>> {
  for (let tries = 1; ; tries++) {
    const connection = over ?? (await pool.acquire());
    try {
      return await selectOver(pool, connection, sql, args);
    } catch (error) {
      const lost = !connection.isOpen;
      const temporary = error instanceof NodeError && isTemporary(error);
      if (over || tries >= MAX_TRIES || !(lost || temporary)) throw toGridError(error, {});
    }
  }
}

async function selectOver(
  pool: Pool,
  connection: Connection,
  sql: string,
  args: readonly Value[],
): Promise<ReadonlyArray<readonly Value[]>> {
  const first = await pool.callOver(connection, QUERY.select, statement(sql, args));
  const rows = [...first.rows];
  let { more } = first;
  while (more) {
    const page = await pool.callOver(connection, fieldsNextPage(first.names.length), first.cursorId);
    for (const row of page.rows) rows.push(row);
    more = page.more && page.rows.length > 0;
  }
  return rows;
}

function statement(sql: string, args: readonly Value[]) {
  return { schema: 'PUBLIC', sql, args, pageSize: PAGE_ROWS, timeoutMs: 0, distributedJoins: false };
}

/** Returns a column's value as a string; empty for null. */
export function stringOf(value: Value | undefined): string {
  if (value === undefined) return '';
  return value.type === 'string' || value.type === 'uuid' ? value.data : '';
}

/** Returns a column's value as a number: times in ms since the epoch, or 0 for null and strings. */
export function numberOf(value: Value | undefined): number {
  if (value === undefined || !isScalar(value)) return 0;
  switch (value.type) {
    case 'byte':
    case 'short':
    case 'integer':
    case 'float':
    case 'double':
    case 'instant':
      return value.data;
    case 'long':
      return Number(value.data);
    case 'timestamp':
      return Number(value.data / 1_000_000n);
    case 'decimal':
      return Number(value.data.unscaled) / 10 ** value.data.scale;
    case 'boolean':
    case 'char':
    case 'string':
    case 'date':
    case 'time':
    case 'uuid':
    case 'gridUuid':
    case 'bigInteger':
    case 'bytes':
      return 0;
  }
}

/** Reports whether a column's value is true. */
export function booleanOf(value: Value | undefined): boolean {
  return value?.type === 'boolean' && value.data;
}
