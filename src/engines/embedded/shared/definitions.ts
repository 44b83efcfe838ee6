/** Decides which definitions are permitted, and which only the writer runs. */
import { sqlFailure } from '../../../base/sql-errors.ts';
import type { DdlStatement } from '../../../sql/syntax/ast.ts';
import type { EngineCatalog } from '../catalog/engine-catalog.ts';
import type { PreparedDdl } from '../sql/statement.ts';
import { statementFailure } from './sql-failures.ts';

/** A definition that only the writer runs, in a moment. */
export type QuickDefinition = Extract<
  DdlStatement,
  { kind: 'createTable' | 'dropTable' | 'dropColumns' | 'createView' | 'dropView' }
>;

/** Ignite drops the first of several tables, whether or not the others exist. */
function asIgniteDefines<S extends DdlStatement>(statement: S): S {
  return statement.kind === 'dropTable' ? { ...statement, tables: statement.tables.slice(0, 1) } : statement;
}

/** Returns the statement to run. Throws for one that svc rejects or, with `asIgnite`, Ignite. */
export function definitionOf<S extends DdlStatement>(
  { statement, text, rejected }: Pick<PreparedDdl, 'text' | 'rejected'> & { readonly statement: S },
  asIgnite: boolean,
): S {
  if (!asIgnite) {
    if (rejected !== undefined) throw statementFailure(rejected, text);
    return statement;
  }
  if (statement.kind === 'createView' && (statement.ifNotExists || statement.columns.length > 0))
    throw statementFailure(sqlFailure('STATEMENT_UNSUPPORTED', text), text);
  return asIgniteDefines(statement);
}

/** Checks ALTER TABLE with LOGGING or NOLOGGING, which has no other effect. Throws SQL if there is no such table. */
export function checkSetLogging(
  { table, ifTableExists }: Extract<DdlStatement, { kind: 'setLogging' }>,
  { schema, text }: PreparedDdl,
  catalog: EngineCatalog,
): void {
  if (ifTableExists || catalog.find(table.schema?.text ?? schema, table.name.text) !== undefined) return;
  throw statementFailure(sqlFailure('DDL_TABLE_NOT_FOUND', table.name.text), text);
}

/** The options of CREATE TABLE that name a cache, which may have entries, and that need columns in the change feed. */
const NEEDS_COLUMNS = /cache_name|change_feed/i;

/** Returns a definition that only the writer runs, or undefined for one that needs more. */
export function quickDefinition(statement: DdlStatement): QuickDefinition | undefined {
  switch (statement.kind) {
    case 'createTable':
      return statement.parameters.some((text) => NEEDS_COLUMNS.test(text)) ? undefined : statement;
    case 'dropTable':
    case 'dropColumns':
    case 'createView':
    case 'dropView':
      return statement;
    case 'addColumns':
    case 'alterIfExists':
    case 'alterUser':
    case 'analyze':
    case 'createIndex':
    case 'createUser':
    case 'dropIndex':
    case 'dropUser':
    case 'killQuery':
    case 'setLogging':
    case 'truncate':
      return undefined;
  }
}
