/**
 * Statements prepared for SQLite (`prepare-statement.ts`), and the input of each run. A prepared statement
 * is immutable data without a connection, so each thread may cache its own. It is stale if the catalog has a
 * different version.
 */
import { sqlFailure } from '../../../base/sql-errors.ts';
import type { SqlFailure } from '../../../base/sql-failure.ts';
import type { Column, FieldsQuery } from '../../../grid/grid.ts';
import type { DdlStatement } from '../../../sql/syntax/ast.ts';
import type { SqlType } from '../../../sql/types/sql-types.ts';
import type { ChangeStep, Emptying } from './change-steps.ts';
import type { Placeholder } from './emitter.ts';
import type { EntryTable } from './entry-table.ts';
import type { NativeFunction } from './native-function.ts';

export interface PreparedBase {
  readonly text: string;
  readonly schema: string;
  /** Version of the catalog that the statement was prepared with. */
  readonly catalogVersion: number;
  /** Minimum number of arguments. */
  readonly parameterCount: number;
  /** Entry tables that the statement reads or changes. */
  readonly tables: readonly EntryTable[];
  /** Indexes of the parameters whose type nothing in the statement determines: they have the types of the arguments. */
  readonly untyped: readonly number[];
}

interface Emitted {
  readonly placeholders: readonly Placeholder[];
  /** Functions that the connection must have registered. */
  readonly functions: readonly NativeFunction[];
  /**
   * True if the statement only reads or changes rows by their primary keys, or inserts constant rows. It then touches a
   * known number of rows, so any thread may run it. A query returns at most one row.
   */
  readonly byKey: boolean;
}

/** A SELECT or VALUES. Rows have the columns c0, c1 ... of `types`. */
export interface PreparedQuery extends PreparedBase, Emitted {
  readonly kind: 'query';
  readonly sql: string;
  readonly columns: readonly Column[];
  readonly types: readonly SqlType[];
  /** A table that is joined without an index, if any. */
  readonly joinedWithoutIndex: EntryTable | undefined;
  /** Number of tables that it reads, counting each occurrence. */
  readonly tableReads: number;
}

/** EXPLAIN: runs EXPLAIN QUERY PLAN of `sql`; with ANALYZE also `sql` itself. */
export interface PreparedExplain extends PreparedBase, Emitted {
  readonly kind: 'explain';
  readonly analyze: boolean;
  readonly sql: string;
  readonly columns: readonly Column[];
}

/** INSERT, MERGE, UPDATE, DELETE: see {@link runChange}. */
export interface PreparedChange extends PreparedBase, Emitted {
  readonly kind: 'change';
  readonly change: 'insert' | 'merge' | 'update' | 'delete';
  readonly target: EntryTable;
  readonly steps: readonly ChangeStep[];
  /** For a DELETE of all rows. */
  readonly emptying: Emptying | undefined;
  readonly columns: readonly Column[];
}

/** A DDL statement for the engine to run. Its names have not been resolved. */
export interface PreparedDdl extends PreparedBase {
  readonly kind: 'ddl';
  readonly statement: DdlStatement;
  /** Thrown unless the response must be Ignite's. */
  readonly rejected: SqlFailure | undefined;
  readonly columns: readonly Column[];
}

export type Prepared = PreparedQuery | PreparedExplain | PreparedChange | PreparedDdl;

/** The only column of DDL and DML results. */
export const UPDATED_COLUMNS: readonly Column[] = [
  { schemaName: '', typeName: '', fieldName: 'UPDATED', fieldTypeName: 'java.lang.Long' },
];

/**
 * Throws if Ignite rejects a join without an index: with `distributedJoins`, and if the response must be Ignite's.
 * Ignite names the table's cache.
 */
export function checkDistributedJoin(
  { joinedWithoutIndex }: PreparedQuery,
  { distributedJoins, asIgnite }: Pick<FieldsQuery, 'distributedJoins' | 'asIgnite'>,
): void {
  if (joinedWithoutIndex === undefined || distributedJoins !== true || asIgnite !== true) return;
  throw sqlFailure('DISTRIBUTED_JOIN', joinedWithoutIndex.cache);
}
