/** Statements that change one row, but nothing if it has changed since it was read. */
import { quoted } from '../elements/sql-names.ts';
import { argumentTypeOf } from '../rows/column-filter.ts';
import type { RowTexts } from '../rows/row.ts';
import { type Statement, type TableColumn, tableNameOf } from './row-query.ts';
import { placeholderOf, REQUIRED } from './stored-rows.ts';

export interface TableShape {
  readonly table: { readonly schema: string; readonly name: string };
  readonly columns: readonly TableColumn[];
}

function argumentOf(column: TableColumn, value: string) {
  return { type: argumentTypeOf(column) ?? 'string', value };
}

/**
 * Returns columns with the values of a row, each as `"name" = ?`, or with a different ending where the value is NULL.
 */
function equations(columns: readonly TableColumn[], row: RowTexts, ofNull: string, separator: string): Statement {
  const valued = columns.map((column) => ({ column, value: row[column.name] ?? null }));
  return {
    sql: valued.map(({ column, value }) => `${quoted(column.name)} ${value === null ? ofNull : '= ?'}`).join(separator),
    args: valued.flatMap(({ column, value }) => (value === null ? [] : [argumentOf(column, value)])),
  };
}

/**
 * Returns the condition that a row has the key and the values that were read. The row that was added has a default
 * where none was given, which is not compared.
 */
function unchanged({ columns }: TableShape, row: RowTexts): Statement {
  const comparable = columns.filter((column) => {
    const isDefault = row[column.name] === undefined && column.defaultValue !== null;
    return argumentTypeOf(column) !== undefined && !isDefault;
  });
  return equations(comparable, row, 'IS NULL', ' AND ');
}

/** Returns whether two rows, as they were read at different times, have the same key. */
export function hasSameKey({ columns }: Pick<TableShape, 'columns'>, one: RowTexts, other: RowTexts): boolean {
  return columns.every(({ name, isKey }) => !isKey || one[name] === other[name]);
}

/** Returns the statement that changes the columns whose values differ, or undefined if none does. */
export function updateOf(shape: TableShape, before: RowTexts, after: RowTexts): Statement | undefined {
  const changed = shape.columns.filter(({ name, isKey }) => !isKey && (before[name] ?? null) !== (after[name] ?? null));
  if (changed.length === 0) return undefined;
  const sets = equations(changed, after, '= NULL', ', ');
  const condition = unchanged(shape, before);
  return {
    sql: `UPDATE ${tableNameOf(shape.table)} SET ${sets.sql} WHERE ${condition.sql}`,
    args: [...sets.args, ...condition.args],
  };
}

/**
 * Returns the statement that adds a row. Columns without a value get their defaults: NULL is named only where the
 * default is another value.
 */
export function insertOf(shape: TableShape, row: RowTexts): Statement {
  const given = shape.columns.flatMap((column) => {
    const value = row[column.name];
    const isDefault = value === undefined || (value === null && column.defaultValue === null);
    return isDefault ? [] : [{ column, value }];
  });
  const names = given.map(({ column }) => quoted(column.name)).join(', ');
  const values = given.map(({ value }) => (value === null ? 'NULL' : '?')).join(', ');
  return {
    sql: `INSERT INTO ${tableNameOf(shape.table)} (${names}) VALUES (${values})`,
    args: given.flatMap(({ column, value }) => (value === null ? [] : [argumentOf(column, value)])),
  };
}

/** Returns whether a new row lacks a value of its key, or one that has no default and cannot be NULL. */
export function isIncomplete({ columns }: TableShape, row: RowTexts): boolean {
  return columns.some(
    (column) => argumentTypeOf(column) !== undefined && placeholderOf(column, row[column.name]) === REQUIRED,
  );
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
