/** A table's rows as the target of an import in batches: statements with several rows. */
import { GridError, gridError } from '../../base/errors.ts';
import { nearestNames } from '../../base/nearest.ts';
import type { ImportRequest, ImportTarget } from '../../grid/bulk.ts';
import type { CacheDefinition, EntityField, Grid, QueryEntity } from '../../grid/grid.ts';
import { senderOf } from '../../grid/queries.ts';
import { hasHiddenKey, KEY_COLUMN, namedTables, quoted, quotedTable, tableNameOf } from '../../grid/table-names.ts';
import { ConversionFailure } from '../../values/conversion-failure.ts';
import { readPlainOrExact } from '../../values/exact-values.ts';
import { trimJava } from '../../values/java-number.ts';
import { readJson, writeNode } from '../../values/json.ts';
import { parseText } from '../../values/scalar-traits.ts';
import { scalarTypeNamed } from '../../values/type-names.ts';
import { NULL, type ScalarTypeName, type Value } from '../../values/value.ts';
import type { RecordResult } from '../import-sink.ts';
import type { ColumnKind, SourceField } from '../records.ts';
import { type BatchedTarget, failureOf, several } from './batch-sink.ts';

/** Maximum number of rows per statement, and of concurrent statements. */
const STATEMENT_ROWS = 100;
const AT_ONCE = 16;

const DEFAULT_SCHEMA = 'PUBLIC';

/** A converted row: the values of the columns that the record has. */
interface Row {
  /** The columns, separated by commas. */
  readonly columns: string;
  readonly values: readonly Value[];
}

export interface Column {
  readonly name: string;
  readonly field: EntityField;
  readonly isKey: boolean;
}

/** Throws TABLE_NOT_FOUND. */
export async function tableTarget(
  { caches, queries }: Pick<Grid, 'caches' | 'queries'>,
  { onDuplicate, owner, tenant }: ImportRequest,
  target: Extract<ImportTarget, { kind: 'table' }>,
  onReceive: ((value: Value) => Value) | undefined,
): Promise<BatchedTarget<Row>> {
  const { schema, name, cache, columns } = findTable(await caches.list(), target);
  const exact = new Map(columns.map((column, index) => [column.name, index]));
  const folded = new Map(columns.map((column, index) => [column.name.toUpperCase(), index]));
  const verb = onDuplicate === 'replace' ? 'MERGE' : 'INSERT';

  async function execute(rows: readonly Row[]): Promise<void> {
    const [first] = rows;
    if (first === undefined) return;
    const places = `(${first.values.map(() => '?').join(', ')})`;
    const table = quotedTable({ schema, name });
    const sql = `${verb} INTO ${table}(${first.columns}) VALUES ${rows.map(() => places).join(', ')}`;
    const args = rows.flatMap(({ values }) => values);
    const sender = senderOf(tenant);
    await queries.execute({ kind: 'fields', cache, owner, sender, sql, args, pageSize: 1, format: 'json' });
  }

  async function storeOne(row: Row): Promise<RecordResult> {
    try {
      await execute([row]);
      return 'stored';
    } catch (error) {
      const isDuplicate = error instanceof GridError && error.code === 'SQL_CONFLICT';
      return isDuplicate && onDuplicate === 'skip' ? 'skipped' : failureOf(error);
    }
  }

  async function storeRows(rows: readonly Row[]): Promise<readonly RecordResult[]> {
    if (verb === 'INSERT') return several(rows, AT_ONCE, storeOne);
    try {
      await execute(rows);
      return rows.map(() => 'stored');
    } catch (error) {
      failureOf(error);
      // A statement that fails may have stored some of its rows. MERGE stores them again.
      return several(rows, 1, storeOne);
    }
  }

  return {
    columns: {
      names: columns.map((column) => column.name),
      indexOf: (each) => exact.get(each) ?? folded.get(each.trim().toUpperCase()) ?? -1,
      kinds: columns.map(kindOf),
    },
    checkColumns(names) {
      const given = new Set(names.map((each) => exact.get(each) ?? folded.get(each.trim().toUpperCase())));
      const missing = columns.find(
        ({ field, isKey }, at) =>
          (isKey || field.notNull === true) && field.defaultValue === undefined && !given.has(at),
      );
      if (missing !== undefined) throw gridError('IMPORT_COLUMN_REQUIRED', missing.name);
    },
    prepare(fields) {
      const given = columns.flatMap((column, at) => (fields[at] === undefined ? [] : [{ column, field: fields[at] }]));
      return {
        columns: given.map(({ column }) => quoted(column.name)).join(', '),
        values: given.map(({ column, field }) => receivedValue(column, field, onReceive)),
      };
    },
    async store(batch) {
      const results: RecordResult[] = [];
      for (const rows of statementsOf(batch)) results.push(...(await storeRows(rows)));
      return results;
    },
  };
}

/** Divides rows into those for one statement: consecutive ones with the same columns. */
function statementsOf(batch: readonly Row[]): Row[][] {
  const statements: Row[][] = [];
  for (const row of batch) {
    const last = statements.at(-1);
    if (last !== undefined && last.length < STATEMENT_ROWS && last[0]?.columns === row.columns) last.push(row);
    else statements.push([row]);
  }
  return statements;
}

/** Returns the first table that a written name may mean. Throws TABLE_NOT_FOUND. */
export function findTable(definitions: readonly CacheDefinition[], target: Extract<ImportTarget, { kind: 'table' }>) {
  const own = definitions.find(({ name }) => name === target.cache)?.schema ?? DEFAULT_SCHEMA;
  for (const { schema = own, name } of namedTables(target.name)) {
    for (const definition of definitions) {
      const entity = definition.entities.find((each) => tableNameOf(each) === name);
      if (definition.schema !== schema || entity === undefined) continue;
      return { schema, name, cache: definition.name, columns: columnsOf(entity) };
    }
  }
  throw gridError('TABLE_NOT_FOUND', target.name, nearestTable(definitions, target.name));
}

/** Returns the table with the most similar name to a written one. */
export function nearestTable(definitions: readonly CacheDefinition[], written: string): string | undefined {
  const [{ name } = { name: written }] = namedTables(written);
  return nearestNames(
    name,
    definitions.flatMap(({ entities }) => entities.map(tableNameOf)),
  )[0];
}

function columnsOf(entity: QueryEntity): readonly Column[] {
  const { fields, keyFields = [], fromSql } = entity;
  const columns = fields.map((field) => {
    const name = field.alias ?? field.name;
    return { name: fromSql === true ? name : name.toUpperCase(), field, isKey: keyFields.includes(field.name) };
  });
  return hasHiddenKey(entity) ? [hiddenKey(entity), ...columns] : columns;
}

function hiddenKey({ keyType }: QueryEntity): Column {
  const type = scalarTypeNamed(keyType);
  const field: EntityField = {
    name: KEY_COLUMN,
    type: type === undefined ? { kind: 'any' } : { kind: 'scalar', type },
  };
  return { name: KEY_COLUMN, field, isKey: true };
}

/** Returns the message interceptor's result for a field. */
function receivedValue(column: Column, field: SourceField, onReceive: ((value: Value) => Value) | undefined): Value {
  const value = valueOfField(column, field);
  return onReceive === undefined || value.type === 'null' ? value : onReceive(value);
}

/** Converts a record's field to a column's value. Throws ConversionFailure, which names the column. */
function valueOfField({ name, field: { type } }: Column, field: SourceField): Value {
  if (field === null || field === undefined) return NULL;
  if (typeof field !== 'string' && field.kind === 'null') return NULL;
  try {
    if (type.kind !== 'scalar') return readPlainOrExact(typeof field === 'string' ? readJson(field) : field);
    const text = typeof field === 'string' ? field : field.kind === 'string' ? field.value : writeNode(field);
    if (isText(type)) return parseText(type.type, text);
    const bare = trimJava(text);
    return parseText(type.type, type.type === 'timestamp' ? timestampText(bare) : bare);
  } catch (error) {
    if (!(error instanceof ConversionFailure)) throw error;
    throw new ConversionFailure(`column ${name}: ${error.reason}`, error.javaReason);
  }
}

const NUMBERS: ReadonlySet<ScalarTypeName> = new Set<ScalarTypeName>([
  'byte',
  'short',
  'integer',
  'long',
  'float',
  'double',
  'decimal',
  'bigInteger',
]);

/** Returns a column's kind, which determines how its strings are read. */
export function kindOf({ field: { type } }: Column): ColumnKind {
  if (isText(type)) return 'text';
  if (type.kind !== 'scalar') return 'other';
  if (NUMBERS.has(type.type)) return 'number';
  return type.type === 'date' || type.type === 'timestamp' ? 'moment' : 'other';
}

function isText(type: EntityField['type']): type is { readonly kind: 'scalar'; readonly type: 'string' | 'char' } {
  return type.kind === 'scalar' && (type.type === 'string' || type.type === 'char');
}

/** Returns a moment in the form of a timestamp: a date without a time means its beginning. */
function timestampText(text: string): string {
  return DAY.test(text) ? `${text} 00:00:00` : text;
}

const DAY = /^[+-]?\d{4,10}-\d{1,2}-\d{1,2}$/;
