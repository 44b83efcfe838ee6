/** The columns of statements, as clients see them. */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../base/clock.ts';
import type { Column } from '../../../grid/grid.ts';
import { javaClassOf } from '../../../values/type-names.ts';
import type { Value } from '../../../values/value.ts';
import { columnValue, type JdbcConnection, type JdbcResult } from '../connections/jdbc.ts';
import type { Pool } from '../connections/pool.ts';
import type { Row } from './cursors.ts';

/** How long the columns of a statement are cached. */
const COLUMNS_FRESH_MS = 1_000;
const CACHED_STATEMENTS = 1_000;

/** The only column of a DML or DDL statement's result. */
export const UPDATED: readonly Column[] = [
  { fieldName: 'UPDATED', fieldTypeName: 'java.lang.Long', schemaName: '', typeName: '' },
];
export class StatementColumns {
  readonly #pool: Pool;
  readonly #clock: Clock;
  readonly #known = new LRUCache<string, { readonly columns: readonly Column[]; readonly loadedMs: number }>({
    max: CACHED_STATEMENTS,
  });

  constructor(pool: Pool, clock: Clock) {
    this.#pool = pool;
    this.#clock = clock;
  }

  /** Returns the columns of a statement. They rarely change between runs, so they are cached briefly. */
  async of(connection: JdbcConnection, result: JdbcResult, key: string): Promise<readonly Column[]> {
    const now = this.#clock.monotonicMs();
    const known = this.#known.get(key);
    if (known && now - known.loadedMs < COLUMNS_FRESH_MS) return known.columns;
    const columns = withUuids(await connection.metadata(result.cursorId), result.rows);
    this.#known.set(key, { columns, loadedMs: now });
    return columns;
  }

  /** Returns the rows with values as the columns declare them. */
  valuesOf(rows: readonly Row[], columns: readonly Column[]): readonly Row[] {
    if (columns.every(({ fieldTypeName }) => fieldTypeName !== 'java.sql.Date')) return rows;
    const { context } = this.#pool;
    return rows.map((row) =>
      row.map((value, index) => {
        const column = columns[index];
        return column ? columnValue(value, column, context) : value;
      }),
    );
  }

  clear(): void {
    this.#known.clear();
  }
}

/** The dialect describes a UUID column as an array of bytes; its values show the type. */
function withUuids(columns: readonly Column[], rows: readonly Row[]): readonly Column[] {
  return columns.map((column, index) => {
    if (column.fieldTypeName !== '[B') return column;
    const value = rows.map((row) => row[index]).find((each) => each !== undefined && each.type !== 'null');
    return value?.type === 'uuid' ? { ...column, fieldTypeName: 'java.util.UUID' } : column;
  });
}

/** Returns the columns of a statement over the usual dialect, which only reports names. */
export function columnsOfNames(names: readonly string[], row: readonly Value[] | undefined): readonly Column[] {
  if (names.length === 1 && names[0] === 'UPDATED') return UPDATED;
  return names.map((fieldName, index) => {
    const value = row?.[index];
    const fieldTypeName = value ? javaClassOf(value) : 'java.lang.Object';
    return { fieldName, fieldTypeName, schemaName: '', typeName: '' };
  });
}
