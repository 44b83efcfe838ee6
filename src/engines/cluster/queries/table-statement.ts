/** Writes the statements that recreate an SQL table and its cache on another cluster. */
import type { CacheDefinition, EntityField, QueryEntity } from '../../../grid/grid.ts';
import { quoted } from '../../../grid/table-names.ts';
import { formatScalar, isScalar } from '../../../values/scalar-traits.ts';
import { resolveType } from '../../../values/type-names.ts';
import type { ScalarTypeName, Value } from '../../../values/value.ts';

const COLUMN_TYPES: Readonly<Record<ScalarTypeName, string>> = {
  boolean: 'BOOLEAN',
  byte: 'TINYINT',
  short: 'SMALLINT',
  integer: 'INT',
  long: 'BIGINT',
  float: 'REAL',
  double: 'DOUBLE',
  char: 'CHAR(1)',
  string: 'VARCHAR',
  date: 'DATE',
  time: 'TIME',
  timestamp: 'TIMESTAMP',
  instant: 'TIMESTAMP',
  uuid: 'UUID',
  gridUuid: 'OTHER',
  decimal: 'DECIMAL',
  bigInteger: 'DECIMAL',
  bytes: 'BINARY',
};

const AFFINITY_INDEX = 'AFFINITY_KEY';

/** Characters that would end or split an option's value. */
const UNSAFE_OPTION = /[,="']/;

/**
 * Returns CREATE TABLE and CREATE INDEX for the cache. Returns undefined if they cannot recreate it: it was not created
 * by CREATE TABLE, is in a schema other than PUBLIC, or has names that options cannot contain. The statements name
 * `region` if it is defined.
 */
export function tableStatements(
  definition: CacheDefinition,
  region: string | undefined,
): readonly string[] | undefined {
  const [entity, second] = definition.entities;
  if (!entity || second || entity.fromSql !== true || definition.schema !== 'PUBLIC') return undefined;
  // The cluster's CREATE TABLE has no option for it.
  if (definition.ttlMs !== undefined) return undefined;
  const options = optionsOf(definition, entity, region);
  if (options.some(([, value]) => UNSAFE_OPTION.test(value))) return undefined;
  const { keyFields = [], affinityField } = entity;
  if (affinityField !== undefined && UNSAFE_OPTION.test(affinityField)) return undefined;
  const table = `${quoted('PUBLIC')}.${quoted(entity.tableName ?? entity.valueType)}`;
  const columns = entity.fields.map((field) => formatColumn(field, keyFields.includes(field.name)));
  const parts = [...columns, `PRIMARY KEY (${keyFields.map(quoted).join(', ')})`];
  // In quotes, a column name keeps its case.
  const affinity = affinityField === undefined ? [] : [`AFFINITY_KEY='${affinityField}'`];
  const pairs = [...options.map((pair) => pair.join('=')), ...affinity].join(',');
  const create = `CREATE TABLE ${table} (${parts.join(', ')}) WITH "${pairs}"`;
  // The nodes create the index of an affinity key themselves.
  const own = (entity.indexes ?? []).filter(({ name }) => affinityField === undefined || name !== AFFINITY_INDEX);
  const indexes = own.map(({ name, fields }) => {
    const columnsOfIndex = fields.map((field) => `${quoted(field.name)} ${field.descending === true ? 'DESC' : 'ASC'}`);
    return `CREATE INDEX ${name === undefined ? '' : `${quoted(name)} `}ON ${table} (${columnsOfIndex.join(', ')})`;
  });
  return [create, ...indexes];
}

function optionsOf(definition: CacheDefinition, entity: QueryEntity, region: string | undefined) {
  const { name, mode, backups, group, atomicity, writeMode } = definition;
  const options: Array<readonly [string, string]> = [
    ['TEMPLATE', mode],
    ['CACHE_NAME', name],
    ['ATOMICITY', atomicity],
    ['WRITE_SYNCHRONIZATION_MODE', writeMode],
  ];
  if (mode === 'PARTITIONED') options.push(['BACKUPS', String(backups)]);
  if (group !== undefined) options.push(['CACHE_GROUP', group]);
  if (region !== undefined) options.push(['DATA_REGION', region]);
  // KEY_TYPE and VALUE_TYPE turn keys and values into objects, so scalar types must not appear there.
  if (!isScalarType(entity.keyType)) options.push(['KEY_TYPE', entity.keyType]);
  if (isScalarType(entity.valueType)) options.push(['WRAP_VALUE', 'false']);
  else options.push(['VALUE_TYPE', entity.valueType]);
  return options;
}

function isScalarType(typeName: string): boolean {
  return resolveType(typeName, 'ignite').kind === 'scalar';
}

function formatColumn({ name, type, notNull, defaultValue }: EntityField, isKey: boolean): string {
  const defaultLiteral = defaultValue && literal(defaultValue);
  return [
    quoted(name),
    columnType(type),
    ...(notNull === true && !isKey ? ['NOT NULL'] : []),
    ...(defaultLiteral === undefined ? [] : [`DEFAULT ${defaultLiteral}`]),
  ].join(' ');
}

function columnType(type: EntityField['type']): string {
  if (type.kind !== 'scalar') return 'OTHER';
  const { precision, scale } = type;
  const name = COLUMN_TYPES[type.type];
  if (precision === undefined || !SIZED.has(type.type)) return name;
  return scale === undefined || type.type !== 'decimal' ? `${name}(${precision})` : `${name}(${precision}, ${scale})`;
}

const SIZED: ReadonlySet<ScalarTypeName> = new Set(['string', 'decimal', 'bytes']);

/** Returns a literal of the dialect, or undefined for values that have none. */
function literal(value: Value): string | undefined {
  if (!isScalar(value) || value.type === 'bytes') return undefined;
  const text = formatScalar(value);
  const isQuoted = typeof value.data === 'string' || typeof value.data === 'object' || TIMES.has(value.type);
  return isQuoted && value.type !== 'decimal' ? `'${text.replaceAll("'", "''")}'` : text;
}

const TIMES: ReadonlySet<string> = new Set(['date', 'time', 'timestamp', 'instant']);
