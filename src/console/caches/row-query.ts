/** The statement that reads the rows of a table, with filters and an order that users give by column. */
import { sqlTypeOf } from '../rows/sql-types.ts';

export interface TableColumn {
  readonly name: string;
  /** The name of a Java class. */
  readonly type: string;
  readonly isKey: boolean;
  /** The SQL type with its bounds. */
  readonly sqlType: string;
  readonly isNullable: boolean;
  /** What a new row gets without a value; null: NULL. */
  readonly defaultValue: string | null;
}

export interface Order {
  readonly column: string;
  readonly isDescending: boolean;
}

export interface RowQuery {
  readonly table: { readonly schema: string; readonly name: string };
  readonly columns: readonly TableColumn[];
  /** What was typed into the filters, by column. */
  readonly filters: Readonly<Record<string, string>>;
  readonly order: Order | undefined;
}

interface Argument {
  readonly type: string;
  readonly value: string;
}

interface Condition {
  readonly sql: string;
  readonly args: readonly Argument[];
}

/** A comparison, and what follows it. */
const COMPARISON = /^\s*(<=|>=|<>|!=|=|<|>)\s*(.*)$/s;

/** Returns the type of arguments that are compared with a column; undefined if the console can send none. */
export function argumentTypeOf({ type }: Pick<TableColumn, 'type'>): string | undefined {
  return sqlTypeOf(type).argument;
}

/** Returns a name as SQL writes it in any case. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Returns the name of a table with its schema, as SQL writes it. */
export function tableNameOf({ schema, name }: RowQuery['table']): string {
  return `${quoted(schema)}.${quoted(name)}`;
}

/** Escapes what LIKE takes for a wildcard. */
function contained(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}

/**
 * Returns the condition that a filter says: `null`, `!null`, a comparison such as `>= 5`, or a plain text: what text
 * columns contain in any case, and what others equal. Undefined for an empty filter.
 */
export function conditionOf(column: TableColumn, text: string): Condition | undefined {
  const name = quoted(column.name);
  const wanted = text.trim();
  if (wanted === '') return undefined;
  if (/^null$/i.test(wanted)) return { sql: `${name} IS NULL`, args: [] };
  if (/^!\s*null$/i.test(wanted)) return { sql: `${name} IS NOT NULL`, args: [] };
  const type = argumentTypeOf(column) ?? 'string';
  const [, operator, operand] = COMPARISON.exec(wanted) ?? [];
  if (operator !== undefined && operand !== undefined) {
    return { sql: `${name} ${operator === '!=' ? '<>' : operator} ?`, args: [{ type, value: operand }] };
  }
  if (type !== 'string') return { sql: `${name} = ?`, args: [{ type, value: wanted }] };
  return { sql: `LOWER(${name}) LIKE LOWER(?)`, args: [{ type, value: contained(wanted) }] };
}

/** Returns the statement that reads the rows. Rows that are equal in the chosen order follow that of the key. */
export function statementOf({ table, columns, filters, order }: RowQuery): {
  readonly sql: string;
  readonly args: readonly Argument[];
} {
  const conditions = columns.flatMap((column) => conditionOf(column, filters[column.name] ?? '') ?? []);
  const keys = columns.filter(({ isKey, name }) => isKey && name !== order?.column).map(({ name }) => quoted(name));
  const first = order === undefined ? [] : [`${quoted(order.column)}${order.isDescending ? ' DESC' : ''}`];
  const sorted = [...first, ...keys];
  const sql = [
    `SELECT ${columns.map(({ name }) => quoted(name)).join(', ')}`,
    `FROM ${tableNameOf(table)}`,
    ...(conditions.length === 0 ? [] : [`WHERE ${conditions.map((each) => each.sql).join(' AND ')}`]),
    ...(sorted.length === 0 ? [] : [`ORDER BY ${sorted.join(', ')}`]),
  ].join(' ');
  return { sql, args: conditions.flatMap(({ args }) => args) };
}
