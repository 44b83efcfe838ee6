/** Converts CREATE TABLE and ALTER TABLE to query entities, with Apache Ignite's checks and errors. */
import { randomUuid } from '../../../base/clock.ts';
import { splitList } from '../../../base/lists.ts';
import { SqlFailure } from '../../../base/sql-failure.ts';
import type { EntityField, QueryEntity } from '../../../grid/grid.ts';
import type { ColumnDefinition, CreateTableStatement, Expression } from '../../../sql/syntax/ast.ts';
import { checkColumn } from '../../../sql/types/column-checks.ts';
import { convert } from '../../../sql/types/convert.ts';
import type { SqlData, SqlType } from '../../../sql/types/sql-types.ts';
import { fieldOfSqlType } from '../../../sql/types/sql-values.ts';
import type { ScalarTypeName } from '../../../values/value.ts';
import { valueOfData } from '../sql/storage-values.ts';
import { asDdlFailure, ddlFailure } from './ddl-failures.ts';

const OPTION_NAMES = new Set([
  'TEMPLATE',
  'BACKUPS',
  'CACHE_NAME',
  'KEY_TYPE',
  'VALUE_TYPE',
  'WRAP_KEY',
  'WRAP_VALUE',
  'AFFINITY_KEY',
  'DATA_REGION',
  'CACHE_GROUP',
  'ATOMICITY',
  'WRITE_SYNCHRONIZATION_MODE',
  'PARALLELISM',
  'ENCRYPTED',
  'PK_INLINE_SIZE',
  'AFFINITY_INDEX_INLINE_SIZE',
  'TTLMS',
  'SLIDING',
  'CHANGE_FEED',
]);

/** Options that are true if they have no value. */
const FLAGS: ReadonlySet<string> = new Set(['WRAP_KEY', 'WRAP_VALUE', 'ENCRYPTED']);

/** Returns the `name=value` pairs after WITH, with names in upper case. Throws LIMIT_EXCEEDED. */
export function readOptions(parameters: readonly string[]): ReadonlyMap<string, string> {
  const options = new Map<string, string>();
  const blank = parameters.find((each) => each.trim() === '');
  if (blank !== undefined) throw ddlFailure('OPTION_MALFORMED', blank);
  for (const pair of splitList('WITH', parameters.join(','))) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const name = (at < 0 ? pair : pair.slice(0, at)).trim().toUpperCase();
    const value = at < 0 ? (FLAGS.has(name) ? 'true' : '') : pair.slice(at + 1).trim();
    if (name === '') throw ddlFailure('OPTION_MALFORMED', pair);
    if (!OPTION_NAMES.has(name)) throw ddlFailure('OPTION_UNKNOWN', name);
    if (value === '') throw ddlFailure('OPTION_EMPTY', name);
    if (options.has(name)) throw ddlFailure('OPTION_TWICE', name);
    options.set(name, value);
  }
  checkWithoutEffect(options);
  return options;
}

/**
 * Checks options that have no effect, as Ignite does. A table is not encrypted, so a request for encryption must not
 * pass silently.
 */
function checkWithoutEffect(options: ReadonlyMap<string, string>): void {
  for (const name of ['PARALLELISM', 'PK_INLINE_SIZE', 'AFFINITY_INDEX_INLINE_SIZE']) {
    const text = options.get(name);
    if (text === undefined) continue;
    if (!/^[+-]?\d{1,9}$/.test(text)) throw ddlFailure('OPTION_NOT_INTEGER', name, text);
    if (name === 'PARALLELISM' && Number(text) <= 0) throw ddlFailure('OPTION_NOT_POSITIVE', name, text);
    if (Number(text) < 0) throw ddlFailure('OPTION_NEGATIVE', name, text);
  }
  if (options.get('ENCRYPTED')?.toLowerCase() === 'true') throw ddlFailure('OPTION_ENCRYPTED');
}

export function enumOption<W extends string>(
  options: ReadonlyMap<string, string>,
  name: string,
  words: readonly W[],
  hint: string,
): W | undefined {
  const text = options.get(name);
  if (text === undefined) return undefined;
  const word = words.find((each) => each === text.toUpperCase());
  if (word === undefined) throw ddlFailure('OPTION_INVALID', name, hint, text);
  return word;
}

/** Returns the time to live of rows (docs/spec/extensions.md 1). */
export function expiryOptions(options: ReadonlyMap<string, string>): { ttlMs?: number; sliding?: boolean } {
  const text = options.get('TTLMS');
  const sliding = booleanOption(options, 'SLIDING');
  if (text !== undefined && !/^[+-]?\d{1,15}$/.test(text)) throw ddlFailure('OPTION_NOT_INTEGER', 'TTLMS', text);
  if (text !== undefined && Number(text) < 0) throw ddlFailure('OPTION_NEGATIVE', 'TTLMS', text);
  if (sliding === true && Number(text ?? 0) === 0) throw ddlFailure('OPTION_NEEDS', 'SLIDING', 'TTLMS');
  return { ...(text !== undefined && { ttlMs: Number(text) }), ...(sliding !== undefined && { sliding }) };
}

export function backupsOption(options: ReadonlyMap<string, string>): number | undefined {
  const text = options.get('BACKUPS');
  if (text === undefined) return undefined;
  if (!/^[+-]?\d{1,9}$/.test(text)) throw ddlFailure('OPTION_NOT_INTEGER', 'BACKUPS', text);
  if (Number(text) < 0) throw ddlFailure('OPTION_NEGATIVE', 'BACKUPS', text);
  return Number(text);
}

/** Returns a boolean option, or undefined if it is absent. */
export function booleanOption(options: ReadonlyMap<string, string>, name: string): boolean | undefined {
  const text = options.get(name)?.toLowerCase();
  if (text === undefined) return undefined;
  if (text !== 'true' && text !== 'false') throw ddlFailure('OPTION_NOT_BOOLEAN', name, text);
  return text === 'true';
}

/** Returns whether every table has the column. */
export function isPseudoColumn(name: string): boolean {
  return name === '_KEY' || name === '_VAL';
}

/** Returns the query entity of CREATE TABLE. Checks in the same order as Apache Ignite and throws its errors. */
export function entityOf(
  statement: CreateTableStatement,
  schema: string,
  name: string,
  options: ReadonlyMap<string, string>,
): QueryEntity {
  const { columns } = statement;
  const keys =
    statement.primaryKey.length > 0
      ? statement.primaryKey.map((each) => each.text)
      : columns.filter((each) => each.primaryKey).map((each) => each.name.text);
  if (keys.length === 0) throw ddlFailure('NO_PRIMARY_KEY');
  const names = new Set<string>();
  for (const column of columns) {
    const text = column.name.text;
    if (isPseudoColumn(text.toUpperCase())) throw ddlFailure('RESERVED_COLUMN');
    if (names.has(text)) throw ddlFailure('TABLE_COLUMN_TWICE', text);
    names.add(text);
  }
  for (const key of keys) {
    if (!names.has(key)) throw ddlFailure('KEY_COLUMN_UNDEFINED', key);
  }
  const keyNames = new Set(keys);
  const values = columns.filter((column) => !keyNames.has(column.name.text));
  if (values.length === 0) throw ddlFailure('NO_VALUE_COLUMNS');
  const affinityField = affinityKeyOf(options, keys, names);
  const keyType = keyTypeOf(columns, keys, options, schema, name);
  const only = values.length === 1 ? values[0] : undefined;
  const wrapValue = booleanOption(options, 'WRAP_VALUE');
  if (wrapValue === false && !only) throw ddlFailure('UNWRAPPED_COLUMNS');
  if (wrapValue === false && options.has('VALUE_TYPE')) throw ddlFailure('UNWRAPPED_VALUE_TYPE');
  const bare = wrapValue === false && only ? scalarOf(only.type) : undefined;
  return {
    keyType,
    valueType: bare ?? options.get('VALUE_TYPE') ?? typeName(schema, name),
    tableName: name,
    keyFields: keys,
    fields: columns.map((column) => fieldOf(column, keys.length === 1 && keyNames.has(column.name.text))),
    ...(affinityField !== undefined && { affinityField }),
    indexes: [],
    fromSql: true,
  };
}

function keyTypeOf(
  columns: readonly ColumnDefinition[],
  keys: readonly string[],
  options: ReadonlyMap<string, string>,
  schema: string,
  name: string,
): string {
  const wrapKey = booleanOption(options, 'WRAP_KEY');
  if (wrapKey === false && options.has('KEY_TYPE')) throw ddlFailure('UNWRAPPED_KEY_TYPE');
  if (wrapKey === false && keys.length > 1) throw ddlFailure('UNWRAPPED_COMPOSITE_KEY');
  const single = keys.length === 1 ? columns.find((column) => column.name.text === keys[0]) : undefined;
  const scalar = single ? scalarOf(single.type) : undefined;
  const wrapped = wrapKey ?? (keys.length > 1 || options.has('KEY_TYPE'));
  if (!wrapped && scalar !== undefined) return scalar;
  return options.get('KEY_TYPE') ?? `${typeName(schema, name)}_KEY`;
}

function affinityKeyOf(
  options: ReadonlyMap<string, string>,
  keys: readonly string[],
  names: ReadonlySet<string>,
): string | undefined {
  const affinity = options.get('AFFINITY_KEY');
  if (affinity === undefined) return undefined;
  const column = affinity.startsWith("'") || affinity.startsWith('"') ? affinity.slice(1, -1) : affinity.toUpperCase();
  if (!names.has(column)) throw ddlFailure('AFFINITY_COLUMN_NOT_FOUND', affinity);
  if (!keys.includes(column)) throw ddlFailure('AFFINITY_COLUMN_NOT_KEY', column);
  return column;
}

/** Returns a type name for a table, as Apache Ignite generates it. */
function typeName(schema: string, table: string): string {
  return `SQL_${schema}_${table}_${randomUuid().replaceAll('-', '_')}`;
}

/** Returns the field of a column. `isWholeKey` means that the column alone is the key, which is never NULL. */
export function fieldOf(column: ColumnDefinition, isWholeKey: boolean): EntityField {
  return {
    name: column.name.text,
    type: fieldOfSqlType(column.type),
    ...((column.notNull || isWholeKey) && { notNull: true }),
    ...(column.default && {
      defaultValue: valueOfData(column.type, literalOf(column.name.text, column.type, column.default)),
    }),
  };
}

/** Returns a default value as written. Throws if the column cannot hold it. */
function literalOf(column: string, type: SqlType, expression: Expression): SqlData {
  const data = convertedLiteral(column, withoutBounds(type), expression);
  try {
    checkColumn({ name: column, type, notNull: false }, data);
  } catch (error) {
    throw error instanceof SqlFailure ? asDdlFailure(error) : error;
  }
  return data;
}

/** Returns the type without bounds to which CAST would round or cut a value; bounds of times stay. */
function withoutBounds({ name, scale }: SqlType): SqlType {
  return name === 'DECIMAL' ? { name } : { name, scale };
}

function convertedLiteral(column: string, type: SqlType, expression: Expression): SqlData {
  const negative = expression.kind === 'negate' ? expression.operand : undefined;
  const literal = negative ?? expression;
  if (literal.kind !== 'literal') throw ddlFailure('DEFAULT_NOT_CONSTANT', column);
  const data =
    negative && typeof literal.data === 'bigint'
      ? -literal.data
      : negative && typeof literal.data === 'number'
        ? -literal.data
        : literal.data;
  try {
    return convert(data, literal.type, type);
  } catch {
    throw ddlFailure('DEFAULT_INVALID', column, type.name, literal.type.name);
  }
}

/** Returns the scalar type of a column's values, or undefined if they are not scalars. */
function scalarOf(type: SqlType): ScalarTypeName | undefined {
  const field = fieldOfSqlType(type);
  return field.kind === 'scalar' ? field.type : undefined;
}
