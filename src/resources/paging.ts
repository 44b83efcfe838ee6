/** Orders rows and pages them by key: a cursor names a page's last row, so that changes move no other row. */
import { gridError } from '../base/errors.ts';
import { JSON_BOUNDS } from '../base/limits.ts';
import { ConversionFailure } from '../values/conversion-failure.ts';
import { type JsonNode, readJson, writeNode } from '../values/json.ts';
import { columnNamed, splitNames, unquoted } from './filters.ts';
import { argumentOf, joinedBy, type Sql, sql } from './sql.ts';
import type { Column, Table } from './tables.ts';

export interface OrderTerm {
  readonly column: Column;
  readonly isDescending: boolean;
  readonly nullsFirst: boolean;
}

/** The value of a column in the last row, or null for NULL. */
export type CursorValue = string | null;

/** Returns the order in a parameter, `people.desc,name`, with the missing key columns added at the end. */
export function readOrder(table: Table, written: string): readonly OrderTerm[] {
  const terms = written === '' ? [] : splitNames(written).flatMap((each) => termsOf(table, each));
  const named = new Set(terms.map(({ column }) => column));
  if (named.size < terms.length) throw gridError('RESOURCE_INVALID', ORDER, 'it names a column twice');
  const rest = table.key.filter((column) => !named.has(column));
  return [...terms, ...rest.map((column) => ({ column, isDescending: false, nullsFirst: true }))];
}

const ORDER = 'parameter order';
const TERM = /^(.*?)(?:\.(asc|desc))?(?:\.(nullsfirst|nullslast))?$/;
const DIRECTIONS = 'a dot and asc or desc, then by nullsfirst or nullslast';

/**
 * Returns the terms for a column; for a path, whose values can have any type, one for its numbers and one
 * for its strings.
 */
function termsOf(table: Table, written: string): readonly OrderTerm[] {
  const term = termOf(table, written);
  const { forms, name } = term.column;
  if (forms === undefined) return [term];
  if (term.nullsFirst === term.isDescending)
    throw gridError('RESOURCE_INVALID', ORDER, `entries without a value come first, after ${name}.desc last`);
  return [
    { ...term, column: forms.number },
    { ...term, column: forms.text },
  ];
}

function termOf(table: Table, written: string): OrderTerm {
  const [, name = '', direction, nulls] = TERM.exec(written) ?? [];
  const isDescending = direction === 'desc';
  if (table.column(unquoted(name)) === undefined) checkDirection(table, name);
  const column = columnNamed(table, name, ORDER);
  if (column.type === undefined) throw gridError('RESOURCE_INVALID', ORDER, `the column ${column.name} has no order`);
  // NULL is less than everything else, as in Ignite.
  return { column, isDescending, nullsFirst: nulls === undefined ? !isDescending : nulls === 'nullsfirst' };
}

/** Throws RESOURCE_INVALID for a column name followed by something that is not a direction. */
function checkDirection(table: Table, written: string): void {
  const [, name = '', rest] = /^(.+?)[. ](.*)$/s.exec(written) ?? [];
  if (rest === undefined || table.column(name) === undefined) return;
  const reason = `${name} can be followed by ${DIRECTIONS}, as in ${name}.desc, not by ${rest}`;
  throw gridError('RESOURCE_INVALID', ORDER, reason);
}

export function orderSql(terms: readonly OrderTerm[]): string {
  const written = terms.map(({ column, isDescending, nullsFirst }) => {
    const direction = isDescending ? ' DESC' : '';
    const isUsual = !column.isNullable || nullsFirst !== isDescending;
    return `${column.ordered}${direction}${isUsual ? '' : nullsFirst ? ' NULLS FIRST' : ' NULLS LAST'}`;
  });
  return ` ORDER BY ${written.join(', ')}`;
}

/** Returns the prefix of an order's cursors. JSON of its columns' values in the last row follows. */
export function cursorMark(order: string): string {
  return `${Bun.hash.xxHash3(order).toString(36)}-`;
}

/** Returns the condition for the rows after the one with the values. */
export function afterSql(terms: readonly OrderTerm[], values: readonly CursorValue[]): Sql {
  const alternatives: Sql[] = [];
  const same: Sql[] = [];
  terms.forEach((term, index) => {
    const value = values[index] ?? null;
    const after = afterValue(term, value);
    if (after !== undefined) alternatives.push(joinedBy(' AND ', [...same, after]));
    same.push(sameValue(term, value));
  });
  const { text, args } = joinedBy(
    ' OR ',
    alternatives.map(({ text, args }) => sql(`(${text})`, args)),
  );
  return alternatives.length === 0 ? sql('1 = 0') : sql(`(${text})`, args);
}

/** Returns the condition for a column after a value, or undefined if nothing comes after it. */
function afterValue({ column, isDescending, nullsFirst }: OrderTerm, value: CursorValue): Sql | undefined {
  if (value === null) return nullsFirst ? sql(`${column.quoted} IS NOT NULL`) : undefined;
  const condition = sql(`${column.quoted} ${isDescending ? '<' : '>'} ?`, [argumentOf(column, value, PART)]);
  if (nullsFirst || !column.isNullable) return condition;
  return sql(`(${condition.text} OR ${column.quoted} IS NULL)`, condition.args);
}

function sameValue({ column }: OrderTerm, value: CursorValue): Sql {
  if (value === null) return sql(`${column.quoted} IS NULL`);
  return sql(`${column.quoted} = ?`, [argumentOf(column, value, PART)]);
}

const PART = 'parameter cursor';

/** Returns the values in a cursor for an order with a mark. Throws RESOURCE_INVALID for a different order's cursor. */
export function readCursor({ length }: readonly OrderTerm[], mark: string, cursor: string): readonly CursorValue[] {
  const end = cursor.indexOf('-') + 1;
  const values = valuesIn(cursor.slice(end));
  if (end === 0 || values === undefined) {
    throw gridError('RESOURCE_INVALID', PART, 'it is none that the service has returned');
  }
  if (cursor.slice(0, end) !== mark || values.length !== length) {
    throw gridError('RESOURCE_INVALID', PART, 'it belongs to another order of the rows');
  }
  return values;
}

/** Returns the values in a list without brackets, or undefined for any other string. */
function valuesIn(list: string): readonly CursorValue[] | undefined {
  try {
    const node = readJson(`[${list}]`, JSON_BOUNDS.values);
    return node.kind === 'array' ? node.items.map(cursorValueOf) : undefined;
  } catch (error) {
    if (error instanceof ConversionFailure) return undefined;
    throw error;
  }
}

function cursorValueOf(node: JsonNode): CursorValue {
  if (node.kind === 'null') return null;
  return node.kind === 'string' ? node.value : writeNode(node);
}
