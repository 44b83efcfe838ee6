/** Rows in request bodies: JSON objects whose members are columns. */
import { gridError } from '../base/errors.ts';
import { JSON_BOUNDS } from '../base/limits.ts';
import { ConversionFailure } from '../values/conversion-failure.ts';
import { type JsonNode, readJson } from '../values/json.ts';
import { bodyText, type ResourceCall } from './call.ts';
import { columnNamed } from './filters.ts';
import { type Argument, argumentOfNode } from './sql.ts';
import type { Column, Table } from './tables.ts';

/** The columns of a row in a body, and their values in the same order. */
export interface SentRow {
  readonly columns: readonly Column[];
  readonly args: readonly Argument[];
}

/** Returns a row's value for a column, or undefined if it has none. */
export function argumentIn({ columns, args }: SentRow, column: Column): Argument | undefined {
  const at = columns.indexOf(column);
  return at < 0 ? undefined : args[at];
}

/** Returns the only row of a body. Throws RESOURCE_INVALID. */
export function sentRow(call: ResourceCall, table: Table): SentRow {
  return rowOf(table, readBody(call));
}

/**
 * Returns the new row or rows in a body, which must all have the same columns, including all required ones. Throws
 * RESOURCE_INVALID and LIMIT_EXCEEDED.
 */
export function sentRows(call: ResourceCall, table: Table): readonly SentRow[] {
  const node = readBody(call);
  const items = node.kind === 'array' ? node.items : [node];
  const { keysPerCommand, parametersPerRequest } = call.options.limits;
  if (items.length > keysPerCommand)
    throw gridError('LIMIT_EXCEEDED', 'rows', keysPerCommand, items.length, 'keysPerCommand');
  const rows = items.map((item) => rowOf(table, item));
  const [first] = rows;
  if (first === undefined) return rows;
  checkRequired(table, first);
  const { columns } = first;
  const values = rows.length * columns.length;
  if (values > parametersPerRequest)
    throw gridError('LIMIT_EXCEEDED', 'values', parametersPerRequest, values, 'parametersPerRequest');
  for (const row of rows) {
    if (row.columns.length === columns.length && row.columns.every((column) => columns.includes(column))) continue;
    throw gridError('RESOURCE_INVALID', 'body', 'all objects of an array need the same members, null for no value');
  }
  return rows;
}

/** Throws RESOURCE_INVALID for a new row that lacks a column. */
function checkRequired(table: Table, row: SentRow): void {
  const missing = table.columns.filter((column) => column.isRequired && !row.columns.includes(column));
  const [first] = missing;
  if (first === undefined) return;
  const names = missing.map(({ name }) => name).join(', ');
  const reason = table.key.includes(first) ? 'a row needs its key' : 'a row needs what cannot be NULL';
  throw gridError('RESOURCE_INVALID', 'body', `${reason}, and ${names} is missing`);
}

function readBody(call: ResourceCall): JsonNode {
  const { batchCharacters } = call.options.limits;
  const text = bodyText(call);
  if (text.length > batchCharacters)
    throw gridError('LIMIT_EXCEEDED', 'body characters', batchCharacters, text.length, 'batchCharacters');
  try {
    return readJson(text, JSON_BOUNDS.values);
  } catch (error) {
    if (error instanceof ConversionFailure) throw gridError('RESOURCE_INVALID', 'body', error.reason);
    throw error;
  }
}

function rowOf(table: Table, node: JsonNode): SentRow {
  if (node.kind !== 'object') throw gridError('RESOURCE_INVALID', 'body', `a row is a JSON object, found ${node.kind}`);
  const columns: Column[] = [];
  const args: Argument[] = [];
  for (const [name, member] of node.members) {
    const column = columnNamed(table, name, 'body');
    if (columns.includes(column)) throw gridError('RESOURCE_INVALID', 'body', `it has the column ${column.name} twice`);
    const argument = argumentOfNode(column, member, `member ${name}`);
    if (argument.text === undefined && !column.isNullable) {
      throw gridError('RESOURCE_INVALID', `member ${name}`, `the column ${column.name} cannot be NULL`);
    }
    columns.push(column);
    args.push(argument);
  }
  if (columns.length === 0) throw gridError('RESOURCE_INVALID', 'body', 'the object has no members');
  return { columns, args };
}
