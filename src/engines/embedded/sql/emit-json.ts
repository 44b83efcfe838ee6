/** Writes JSON functions over the values of entries, which are read in stored form instead of as JSON. */
import { type Bound, type BoundConstant, isConstant, VALUE_COLUMN } from '../../../sql/binding/bound.ts';
import { jsonEvaluation, NO_CLAUSES } from '../../../sql/functions/json.ts';
import { findItem, formatPath, itemOfValue, type JsonItem, type PathStep } from '../../../sql/types/json-path.ts';
import type { SqlData } from '../../../sql/types/sql-types.ts';
import { type FindStored, storedPath } from '../storage/stored-path.ts';
import { FIRST_OBJECT_TYPE, type StorageValue } from '../storage/value-storage.ts';
import { sourceName } from './emit-column.ts';
import type { Emitter } from './emitter.ts';
import { type EntryTable, entryTable } from './entry-table.ts';
import { formatType, numbered } from './native-function.ts';
import { encode } from './storage-values.ts';

type Call = Extract<Bound, { kind: 'call' }>;

/** Returns the text of a call with a constant path over a table's values, or undefined for any other call. */
export function emitJson(call: Call, out: Emitter): string | undefined {
  const { function: sqlFunction, args, type } = call;
  if (sqlFunction.group !== 'json') return undefined;
  const indexed = indexedPath(call);
  if (indexed !== undefined) return indexed;
  const [document, ...others] = args;
  const source = document && valuesOf(document);
  if (source === undefined || !areConstant(others)) return undefined;
  const { table, name } = source;
  const data: readonly SqlData[] = [null, ...others.map((each) => each.data)];
  if (data[1] === null) return undefined;
  const types = args.map((arg) => arg.type);
  const evaluation = jsonEvaluation(sqlFunction.names[0], data, types);
  if (evaluation === undefined) return undefined;
  const shown = others.map((each) => `${formatType(each.type)} ${JSON.stringify(each.data, asText)}`).join(', ');
  const columns = table.valueColumns;
  const findStored = evaluation.steps.length > 0 ? storedPath(evaluation.steps) : undefined;
  const stored = `${table.physical} ${table.vt} ${columns.join(' ')} ${table.layout()}`;
  const native = numbered(
    `json ${sqlFunction.names[0]}(${shown}) ${formatType(type)} of ${stored}`,
    2 + columns.length,
    (vt = null, v = null, ...storageValues) =>
      typeof vt !== 'bigint'
        ? null
        : encode(
            type,
            evaluation.evaluate((steps) => findInRow(table, { vt, v, storageValues }, steps, findStored)),
          ),
  );
  return out.call(native, [`${name}.vt`, `${name}.v`, ...columns.map((column) => `${name}.${column}`)]);
}

/**
 * Returns the column that stores the result of a JSON_VALUE, or undefined if there is none, or the call has clauses.
 */
export function indexedPath(bound: Bound): string | undefined {
  if (bound.kind !== 'call' || bound.function.names[0] !== 'JSON_VALUE') return undefined;
  const [document, ...others] = bound.args;
  const source = document && valuesOf(document);
  const paths = source?.table.paths ?? [];
  if (source === undefined || paths.length === 0 || !areConstant(others)) return undefined;
  const [path, returned, clauses] = others;
  if (typeof path?.data !== 'string' || clauses?.data !== NO_CLAUSES) return undefined;
  const written = formatPath(path.data);
  const found = paths.find((each) => each.path === written && each.type === returned?.type.name);
  return found && `${source.name}.f${found.column}`;
}

function areConstant(bounds: readonly Bound[]): bounds is BoundConstant[] {
  return bounds.every(isConstant);
}

function asText(_: string, data: unknown): unknown {
  return typeof data === 'bigint' ? String(data) : data;
}

/** Returns the table whose whole values an expression denotes, and its alias. */
function valuesOf(bound: Bound): { readonly table: EntryTable; readonly name: string } | undefined {
  if (bound.kind !== 'column' || bound.source.kind !== 'table' || bound.type.name !== 'OTHER') return undefined;
  const table = entryTable(bound.source.table);
  const column = table.columns[bound.column];
  const isValue = column === undefined ? bound.name === VALUE_COLUMN : table.entries && column.field === VALUE_COLUMN;
  return isValue ? { table, name: sourceName(bound.source.id) } : undefined;
}

interface ReadRow {
  readonly vt: bigint;
  readonly v: StorageValue;
  readonly storageValues: readonly StorageValue[];
}

function findInRow(
  table: EntryTable,
  { vt, v, storageValues }: ReadRow,
  steps: readonly PathStep[],
  findStored: FindStored | undefined,
): JsonItem | undefined {
  // An object whose fields are all in columns has no text.
  if (findStored !== undefined && v !== null && storageValues.length === 0 && vt >= FIRST_OBJECT_TYPE)
    return findStored(v);
  return findItem(itemOfValue(table.valueOf(vt, v, storageValues)), steps);
}
