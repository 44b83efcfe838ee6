/** The statement that reads the rows of a table, with the filters and order that users set by column. */
import { quoted } from '../elements/sql-names.ts';
import { argumentTypeOf, filterTest, type Order, problemOfFilter } from '../rows/column-filter.ts';
import type { RowTexts } from '../rows/row.ts';

export interface TableColumn {
  readonly name: string;
  /** The name of a Java class. */
  readonly type: string;
  readonly isKey: boolean;
  /** The SQL type with its bounds. */
  readonly sqlType: string;
  readonly isNullable: boolean;
  /** The default in a new row; null means NULL. */
  readonly defaultValue: string | null;
}

export interface RowQuery {
  readonly table: { readonly schema: string; readonly name: string };
  readonly columns: readonly TableColumn[];
  /** The text typed into the filters, by column. */
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

/** Returns the name of a table with its schema, as SQL writes it. */
export function tableNameOf({ schema, name }: RowQuery['table']): string {
  return `${quoted(schema)}.${quoted(name)}`;
}

/** Escapes LIKE's wildcards. */
function contained(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}

/** Returns a filter's condition, or undefined for an empty one. */
export function conditionOf(column: TableColumn, text: string): Condition | undefined {
  const test = filterTest(column, text);
  if (test === undefined) return undefined;
  const name = quoted(column.name);
  const type = argumentTypeOf(column) ?? 'string';
  switch (test.kind) {
    case 'null':
      return { sql: `${name} IS ${test.isNull ? '' : 'NOT '}NULL`, args: [] };
    case 'contains':
      return { sql: `LOWER(${name}) LIKE LOWER(?)`, args: [{ type, value: contained(test.text) }] };
    case 'compared': {
      const { values, isAny } = test;
      const sql = values.map(({ operator }) => `${name} ${operator} ?`).join(isAny ? ' OR ' : ' AND ');
      return { sql: isAny ? `(${sql})` : sql, args: values.map(({ value }) => ({ type, value })) };
    }
  }
}

/** Returns why filters cannot be sent (values do not fit their columns), or undefined if they can. */
export function filterProblem({ columns, filters }: Pick<RowQuery, 'columns' | 'filters'>): string | undefined {
  const problems = columns.flatMap((column) => problemOfFilter(column, filters[column.name] ?? '') ?? []);
  return problems.length === 0 ? undefined : problems.join(' ');
}

/** A statement with its arguments. */
export interface Statement {
  readonly sql: string;
  readonly args: readonly Argument[];
}

interface OrderPart {
  readonly column: TableColumn;
  readonly isDescending: boolean;
}

/** Returns the order of rows: rows that are equal in the chosen order are ordered by key. */
function orderParts({ columns, order }: RowQuery): readonly OrderPart[] {
  const first = columns.find(({ name }) => name === order?.column);
  const keys = columns.filter((column) => column.isKey && column !== first);
  return [
    ...(first === undefined ? [] : [{ column: first, isDescending: order?.isDescending === true }]),
    ...keys.map((column) => ({ column, isDescending: false })),
  ];
}

function orderText(parts: readonly OrderPart[], isBackward: boolean): string {
  const texts = parts.map(({ column, isDescending }) =>
    isDescending === isBackward ? quoted(column.name) : `${quoted(column.name)} DESC`,
  );
  // Every row has a key, even where no column shows it.
  return `ORDER BY ${texts.length === 0 ? `"_KEY"${isBackward ? ' DESC' : ''}` : texts.join(', ')}`;
}

/** Returns whether a page can be read from the rows before or after it: all order columns can be compared. */
export function hasKeyset(query: RowQuery): boolean {
  const parts = orderParts(query);
  return parts.some(({ column }) => column.isKey) && parts.every(({ column }) => argumentTypeOf(column) !== undefined);
}

/** Returns the condition that a row comes after the given value of one column. NULL comes before all values. */
function behind({ column, isDescending }: OrderPart, value: string | null): Condition {
  const name = quoted(column.name);
  if (value === null) return { sql: isDescending ? 'FALSE' : `${name} IS NOT NULL`, args: [] };
  const args = [{ type: argumentTypeOf(column) ?? 'string', value }];
  if (!isDescending) return { sql: `${name} > ?`, args };
  return { sql: column.isNullable ? `(${name} < ? OR ${name} IS NULL)` : `${name} < ?`, args };
}

function same({ column }: OrderPart, value: string | null): Condition {
  const name = quoted(column.name);
  if (value === null) return { sql: `${name} IS NULL`, args: [] };
  return { sql: `${name} = ?`, args: [{ type: argumentTypeOf(column) ?? 'string', value }] };
}

/** Returns the condition that a row comes after another in an order, or before it. */
function beyond(query: RowQuery, row: RowTexts, isBackward: boolean): Condition {
  const parts = orderParts(query).map(({ column, isDescending }) => ({
    column,
    isDescending: isDescending !== isBackward,
  }));
  const readValue = ({ column }: OrderPart) => row[column.name] ?? null;
  const choices = parts.map((part, at) => {
    const conditions = [
      ...parts.slice(0, at).map((each) => same(each, readValue(each))),
      behind(part, readValue(part)),
    ];
    return {
      sql: conditions.map(({ sql }) => sql).join(' AND '),
      args: conditions.flatMap(({ args }) => args),
    };
  });
  const all = choices.map(({ sql }) => (choices.length === 1 ? sql : `(${sql})`)).join(' OR ');
  const args = choices.flatMap((choice) => choice.args);
  const [first] = parts;
  const value = first === undefined ? null : readValue(first);
  if (choices.length === 1 || first === undefined || value === null) return { sql: `(${all})`, args };
  if (first.isDescending && first.column.isNullable) return { sql: `(${all})`, args };
  // An index finds where the rows begin by this condition alone.
  const bound = `${quoted(first.column.name)} ${first.isDescending ? '<=' : '>='} ?`;
  return {
    sql: `${bound} AND (${all})`,
    args: [{ type: argumentTypeOf(first.column) ?? 'string', value }, ...args],
  };
}

function whereOf(conditions: readonly Condition[]): string {
  return conditions.length === 0 ? '' : ` WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`;
}

function filtersOf({ columns, filters }: RowQuery): readonly Condition[] {
  return columns.flatMap((column) => conditionOf(column, filters[column.name] ?? '') ?? []);
}

function select(
  query: RowQuery,
  { conditions, isBackward = false }: { readonly conditions: readonly Condition[]; readonly isBackward?: boolean },
): Statement {
  const names = query.columns.map(({ name }) => quoted(name)).join(', ');
  const order = orderText(orderParts(query), isBackward);
  return {
    sql: `SELECT ${names} FROM ${tableNameOf(query.table)}${whereOf(conditions)} ${order}`,
    args: conditions.flatMap(({ args }) => args),
  };
}

/** Returns the statement that reads all rows. */
export function statementOf(query: RowQuery): Statement {
  return select(query, { conditions: filtersOf(query) });
}

/** Where a page begins: after a number of rows, after a row, or before one, in which case its rows are reversed. */
export type PageStart = { readonly skipped: number } | { readonly after: RowTexts } | { readonly before: RowTexts };

/** Returns the statement that reads a page. */
export function pageStatement(query: RowQuery, start: PageStart, rows: number): Statement {
  const filters = filtersOf(query);
  if ('skipped' in start) {
    const { sql, args } = select(query, { conditions: filters });
    return { sql: `${sql} LIMIT ${rows}${start.skipped === 0 ? '' : ` OFFSET ${start.skipped}`}`, args };
  }
  const isBackward = 'before' in start;
  const row = 'before' in start ? start.before : start.after;
  const { sql, args } = select(query, { conditions: [...filters, beyond(query, row, isBackward)], isBackward });
  return { sql: `${sql} LIMIT ${rows}`, args };
}

function count(query: RowQuery, conditions: readonly Condition[]): Statement {
  return {
    sql: `SELECT COUNT(*) FROM ${tableNameOf(query.table)}${whereOf(conditions)}`,
    args: conditions.flatMap(({ args }) => args),
  };
}

/** Returns the statement that counts the rows. */
export function countStatement(query: RowQuery): Statement {
  return count(query, filtersOf(query));
}

/** Returns the statement that counts the rows before a row. */
export function positionStatement(query: RowQuery, row: RowTexts): Statement {
  return count(query, [...filtersOf(query), beyond(query, row, true)]);
}

/** Returns the statement that reads the row with a key, if filters select it. */
export function rowByKeyStatement(query: RowQuery, key: RowTexts): Statement {
  const keys = query.columns.filter(({ isKey }) => isKey).map((column) => ({ column, isDescending: false }));
  return select(query, {
    conditions: [...filtersOf(query), ...keys.map((part) => same(part, key[part.column.name] ?? null))],
  });
}
