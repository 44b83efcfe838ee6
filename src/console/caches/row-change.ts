/** Statements that change one row, and nothing if it has changed since it was read. */
import { argumentTypeOf, quoted, type RowTexts, type Statement, type TableColumn, tableNameOf } from './row-query.ts';

export interface TableShape {
  readonly table: { readonly schema: string; readonly name: string };
  readonly columns: readonly TableColumn[];
}

function argumentOf(column: TableColumn, value: string) {
  return { type: argumentTypeOf(column) ?? 'string', value };
}

/** Returns the condition that a row has the key and the values that were read. */
function unchanged({ columns }: TableShape, row: RowTexts): Statement {
  const args: Array<Statement['args'][number]> = [];
  const parts = columns
    .filter((column) => argumentTypeOf(column) !== undefined)
    .map((column) => {
      const value = row[column.name] ?? null;
      if (value === null) return `${quoted(column.name)} IS NULL`;
      args.push(argumentOf(column, value));
      return `${quoted(column.name)} = ?`;
    });
  return { sql: parts.join(' AND '), args };
}

/** Returns the statement that changes the columns whose values differ; undefined if none does. */
export function updateOf(shape: TableShape, before: RowTexts, after: RowTexts): Statement | undefined {
  const changed = shape.columns.filter(({ name, isKey }) => !isKey && (before[name] ?? null) !== (after[name] ?? null));
  if (changed.length === 0) return undefined;
  const args: Array<Statement['args'][number]> = [];
  const sets = changed.map((column) => {
    const value = after[column.name] ?? null;
    if (value === null) return `${quoted(column.name)} = NULL`;
    args.push(argumentOf(column, value));
    return `${quoted(column.name)} = ?`;
  });
  const condition = unchanged(shape, before);
  return {
    sql: `UPDATE ${tableNameOf(shape.table)} SET ${sets.join(', ')} WHERE ${condition.sql}`,
    args: [...args, ...condition.args],
  };
}

/** Returns the statement that adds a row. Columns without a value get their defaults. */
export function insertOf(shape: TableShape, row: RowTexts): Statement {
  const given = shape.columns.filter(({ name }) => (row[name] ?? null) !== null);
  const names = given.map(({ name }) => quoted(name)).join(', ');
  return {
    sql: `INSERT INTO ${tableNameOf(shape.table)} (${names}) VALUES (${given.map(() => '?').join(', ')})`,
    args: given.map((column) => argumentOf(column, row[column.name] ?? '')),
  };
}

/** Returns the statement that removes rows. */
export function deleteRowsOf(shape: TableShape, rows: readonly RowTexts[]): Statement {
  const conditions = rows.map((row) => unchanged(shape, row));
  const where = conditions.map(({ sql }) => (conditions.length === 1 ? sql : `(${sql})`)).join(' OR ');
  return {
    sql: `DELETE FROM ${tableNameOf(shape.table)} WHERE ${where}`,
    args: conditions.flatMap(({ args }) => args),
  };
}
