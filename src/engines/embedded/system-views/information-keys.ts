/** Tables of INFORMATION_SCHEMA about indexes, keys and constraints. */

import { deparseName } from '../../../sql/binding/deparser.ts';
import { DATABASE_NAME } from '../../../sql/functions/system.ts';
import { javaHash, type SystemInfo } from './system-info.ts';
import { emptyView, flag, int, type SystemView, short, systemView, text } from './system-view.ts';
import { type IndexInfo, indexInfo } from './table-parts.ts';

const SCHEMA = 'INFORMATION_SCHEMA';

interface IndexColumnInfo extends IndexInfo {
  readonly isConstraint: boolean;
  readonly name: string;
  readonly descending: boolean;
  readonly position: number;
}

function indexColumns(indexes: readonly IndexInfo[], { asIgnite }: SystemInfo): IndexColumnInfo[] {
  return indexes.flatMap((info) => {
    const isConstraint = info.index.unique && !asIgnite;
    return info.index.columns.map((column, at) => ({ ...info, ...column, isConstraint, position: at + 1 }));
  });
}

const INDEXES = systemView<IndexColumnInfo>(SCHEMA, 'INDEXES', '', (info) => indexColumns(indexInfo(info), info), {
  TABLE_CATALOG: text(() => DATABASE_NAME),
  TABLE_SCHEMA: text(({ table }) => table.schema),
  TABLE_NAME: text(({ table }) => table.name),
  NON_UNIQUE: flag(({ index }) => !index.unique || index.internal === 'proxy'),
  INDEX_NAME: text(({ index }) => index.name),
  ORDINAL_POSITION: short(({ position }) => position),
  COLUMN_NAME: text(({ name }) => name),
  CARDINALITY: int(() => 0),
  PRIMARY_KEY: flag(({ index }) => index.isPrimaryKey),
  INDEX_TYPE_NAME: text(({ index }) => typeOf(index)),
  IS_GENERATED: flag(() => false),
  INDEX_TYPE: short(() => 3),
  ASC_OR_DESC: text(({ descending }) => (descending ? 'D' : 'A')),
  PAGES: int(() => 0),
  FILTER_CONDITION: text(() => ''),
  REMARKS: text(() => ''),
  SQL: text(definitionOf),
  ID: int((info) => idOf(info)),
  SORT_TYPE: int(({ descending }) => Number(descending)),
  CONSTRAINT_NAME: text((info) => (info.isConstraint ? constraintName(info) : null)),
  INDEX_CLASS: text(() => null),
  AFFINITY: flag(() => false),
});

function typeOf({ isPrimaryKey, unique, internal }: IndexInfo['index']): string {
  if (isPrimaryKey) return internal === 'hash' ? 'PRIMARY KEY HASH' : 'PRIMARY KEY';
  return unique && internal !== 'proxy' ? 'UNIQUE INDEX' : 'INDEX';
}

function definitionOf({ table, index }: IndexInfo): string {
  const columns = index.columns.map(({ name, descending }) => `${deparseName(name)}${descending ? ' DESC' : ''}`);
  const schema = deparseName(table.schema);
  return (
    `CREATE ${typeOf(index)} ${schema}.${deparseName(index.name)} ON ${schema}.${deparseName(table.name)}` +
    `(${columns.join(', ')})`
  );
}

function idOf({ table, index }: IndexInfo): number {
  return javaHash(`${table.schema}.${table.name}.${index.name}`);
}

/** Returns a unique name: index names are unique in a schema, but the primary key's only in its table. */
function constraintName({ table, index }: IndexInfo): string {
  return index.isPrimaryKey ? `${table.name}_PK` : index.name;
}

/** Returns the indexes of constraints. Ignite lists no constraints. */
function constraintInfo(info: SystemInfo): IndexInfo[] {
  return info.asIgnite ? [] : indexInfo(info).filter(({ index }) => index.unique);
}

function constraintType({ index }: IndexInfo): string {
  return index.isPrimaryKey ? 'PRIMARY KEY' : 'UNIQUE';
}

/** The first columns of both views of constraints. */
const CONSTRAINT_COLUMNS = {
  CONSTRAINT_CATALOG: text(() => DATABASE_NAME),
  CONSTRAINT_SCHEMA: text(({ table }: IndexInfo) => table.schema),
  CONSTRAINT_NAME: text(constraintName),
  CONSTRAINT_TYPE: text(constraintType),
  TABLE_CATALOG: text(() => DATABASE_NAME),
  TABLE_SCHEMA: text(({ table }: IndexInfo) => table.schema),
  TABLE_NAME: text(({ table }: IndexInfo) => table.name),
};

const CONSTRAINTS = systemView<IndexInfo>(SCHEMA, 'CONSTRAINTS', '', constraintInfo, {
  ...CONSTRAINT_COLUMNS,
  UNIQUE_INDEX_NAME: text(({ index }) => index.name),
  CHECK_EXPRESSION: text(() => null),
  COLUMN_LIST: text(({ index }) => index.columns.map(({ name }) => name).join(',')),
  REMARKS: text(() => ''),
  SQL: text(definitionOf),
  ID: int(idOf),
});

const TABLE_CONSTRAINTS = systemView<IndexInfo>(SCHEMA, 'TABLE_CONSTRAINTS', '', constraintInfo, {
  ...CONSTRAINT_COLUMNS,
  IS_DEFERRABLE: text(() => 'NO'),
  INITIALLY_DEFERRED: text(() => 'NO'),
});

const KEY_COLUMN_USAGE = systemView<IndexColumnInfo>(
  SCHEMA,
  'KEY_COLUMN_USAGE',
  '',
  (info) => indexColumns(constraintInfo(info), info),
  {
    CONSTRAINT_CATALOG: text(() => DATABASE_NAME),
    CONSTRAINT_SCHEMA: text(({ table }) => table.schema),
    CONSTRAINT_NAME: text(constraintName),
    TABLE_CATALOG: text(() => DATABASE_NAME),
    TABLE_SCHEMA: text(({ table }) => table.schema),
    TABLE_NAME: text(({ table }) => table.name),
    COLUMN_NAME: text(({ name }) => name),
    ORDINAL_POSITION: text(({ position }) => String(position)),
    POSITION_IN_UNIQUE_CONSTRAINT: text(() => null),
  },
);

export const INFORMATION_KEYS: readonly SystemView[] = [
  INDEXES,
  CONSTRAINTS,
  TABLE_CONSTRAINTS,
  KEY_COLUMN_USAGE,
  emptyView(
    SCHEMA,
    'REFERENTIAL_CONSTRAINTS',
    '',
    'CONSTRAINT_CATALOG text, CONSTRAINT_SCHEMA text, CONSTRAINT_NAME text, UNIQUE_CONSTRAINT_CATALOG text, ' +
      'UNIQUE_CONSTRAINT_SCHEMA text, UNIQUE_CONSTRAINT_NAME text, MATCH_OPTION text, UPDATE_RULE text, DELETE_RULE text',
  ),
  emptyView(
    SCHEMA,
    'CROSS_REFERENCES',
    '',
    'PKTABLE_CATALOG text, PKTABLE_SCHEMA text, PKTABLE_NAME text, PKCOLUMN_NAME text, FKTABLE_CATALOG text, ' +
      'FKTABLE_SCHEMA text, FKTABLE_NAME text, FKCOLUMN_NAME text, ORDINAL_POSITION short, UPDATE_RULE short, ' +
      'DELETE_RULE short, FK_NAME text, PK_NAME text, DEFERRABILITY short',
  ),
];
