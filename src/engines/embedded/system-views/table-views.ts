/** SYS views of schemas, tables, columns, indexes, views and types. */

import { javaClassOf } from '../../../sql/types/type-order.ts';
import { SYSTEM_SCHEMAS } from '../catalog/engine-catalog.ts';
import { PUBLIC_SCHEMA } from '../ddl/sql-names.ts';
import { classOfViewColumn } from './column-classes.ts';
import type { BinaryTypeInfo, SystemInfo, TableInfo } from './system-info.ts';
import { className, emptyView, flag, int, integer, type SystemView, systemView, text } from './system-view.ts';
import { columnsOf, type IndexInfo, indexInfo, keyColumnsOf, type TableColumn } from './table-parts.ts';

const SCHEMAS = systemView<string>('SYS', 'SCHEMAS', 'SQL schemas', ({ schemas }) => schemas, {
  SCHEMA_NAME: text((name) => name),
  PREDEFINED: flag((name) => name === PUBLIC_SCHEMA || SYSTEM_SCHEMAS.some((each) => each === name)),
});

/** The first columns of the table and index views. */
const TABLE_IDENTITY = {
  CACHE_GROUP_ID: int(({ cache }: TableInfo) => cache.groupId),
  CACHE_GROUP_NAME: text(({ cache }: TableInfo) => cache.groupName),
  CACHE_ID: int(({ cache }: TableInfo) => cache.id),
  CACHE_NAME: text(({ table }: TableInfo) => table.cache),
  SCHEMA_NAME: text(({ table }: TableInfo) => table.schema),
  TABLE_NAME: text(({ table }: TableInfo) => table.name),
};

const TABLES = systemView<TableInfo>('SYS', 'TABLES', 'SQL tables', ({ tables }) => tables, {
  ...TABLE_IDENTITY,
  AFFINITY_KEY_COLUMN: text(({ table }) => table.affinityColumn),
  KEY_ALIAS: text(({ table }) => table.columns.find((column) => column.physical === 'k')?.name),
  VALUE_ALIAS: text(({ table }) => table.columns.find((column) => column.physical === 'v')?.name),
  KEY_TYPE_NAME: text(({ table }) => typeName(table.keySqlType.name, javaClassOf(table.keySqlType), table.keyType)),
  VALUE_TYPE_NAME: text(({ table }) =>
    typeName(table.valueSqlType.name, javaClassOf(table.valueSqlType), table.valueType),
  ),
  IS_INDEX_REBUILD_IN_PROGRESS: flag(() => false),
});

/** Returns the Java class of a scalar type, or the name of an object type. */
function typeName(sqlType: string, javaClass: string, name: string): string {
  return sqlType === 'OTHER' ? name : javaClass;
}

interface ColumnInfo {
  readonly info: TableInfo;
  readonly column: TableColumn;
}

const TABLE_COLUMNS = systemView<ColumnInfo>(
  'SYS',
  'TABLE_COLUMNS',
  'SQL table columns',
  ({ tables, asIgnite }) =>
    tables.flatMap((info) => columnsOf(info.table, asIgnite).map((column) => ({ info, column }))),
  {
    COLUMN_NAME: text(({ column }) => column.name),
    TABLE_NAME: text(({ info }) => info.table.name),
    SCHEMA_NAME: text(({ info }) => info.table.schema),
    AFFINITY_COLUMN: flag(({ column }) => column.isAffinity),
    AUTO_INCREMENT: flag(() => false),
    DEFAULT_VALUE: text(({ column }) => column.defaultValue),
    NULLABLE: flag(({ column }) => column.nullable && !column.hidden),
    PK: flag(({ column }) => column.isKey),
    PRECISION: int(({ column }) => column.type.precision ?? -1),
    SCALE: int(({ column }) => column.type.scale ?? -1),
    TYPE: className(({ column }) => javaClassOf(column.type)),
  },
);

const isTree = ({ index }: IndexInfo): boolean => index.internal !== 'hash';

const INDEXES = systemView<IndexInfo>('SYS', 'INDEXES', 'SQL indexes', (info) => indexInfo(info).filter(isTree), {
  ...TABLE_IDENTITY,
  INDEX_NAME: text(({ index }) => index.name),
  INDEX_TYPE: text(() => 'SORTED'),
  COLUMNS: text(formatColumns),
  IS_PK: flag(({ index }) => index.isPrimaryKey),
  IS_UNIQUE: flag(({ index }) => index.unique),
  INLINE_SIZE: integer(() => null),
});

/** Formats the columns of an index. SQLite appends the key to each index entry. */
function formatColumns({ index, table }: IndexInfo): string {
  const own = index.columns.map(({ name, descending }) => `"${name}" ${descending ? 'DESC' : 'ASC'}`);
  const names = new Set(index.columns.map(({ name }) => name));
  const further = names.has('_KEY') ? [] : keyColumnsOf(table).filter((name) => !names.has(name));
  return [...own, ...further.map((name) => `"${name}" ASC`)].join(', ');
}

interface ViewInfo {
  readonly schema: string;
  readonly name: string;
  readonly query: string | null;
  readonly description: string | null;
}

const VIEWS = systemView<ViewInfo>(
  'SYS',
  'VIEWS',
  'SQL views',
  ({ userViews, systemViews }) => [
    ...userViews.map((view) => ({ ...view, description: null })),
    ...systemViews.filter(({ schema }) => schema === 'SYS').map((view) => ({ ...view, query: null })),
  ],
  {
    SCHEMA: text(({ schema }) => schema),
    NAME: text(({ name }) => name),
    SQL: text(({ query }) => query),
    DESCRIPTION: text(({ description }) => description),
  },
);

interface ViewColumnInfo {
  readonly schema: string;
  readonly view: string;
  readonly name: string;
  readonly nullable: boolean;
  readonly type: string;
}

/** Ignite lists the columns of system views only. */
function viewColumns({ systemViews, userViews, asIgnite }: SystemInfo): ViewColumnInfo[] {
  return [
    ...(asIgnite ? [] : userViews).flatMap((view) =>
      view.columns.map(({ name, type }) => ({
        schema: view.schema,
        view: view.name,
        name,
        nullable: true,
        type: javaClassOf(type),
      })),
    ),
    ...systemViews
      .filter(({ schema }) => schema === 'SYS')
      .flatMap((view) =>
        view.columns.map(({ name, nullable, javaType }) => {
          const own = classOfViewColumn(view.name, name);
          return {
            schema: view.schema,
            view: view.name,
            name,
            nullable: nullable || own !== undefined,
            type: own ?? javaType,
          };
        }),
      ),
  ];
}

const VIEW_COLUMNS = systemView<ViewColumnInfo>('SYS', 'VIEW_COLUMNS', 'SQL view columns', viewColumns, {
  COLUMN_NAME: text(({ name }) => name),
  VIEW_NAME: text(({ view }) => view),
  SCHEMA_NAME: text(({ schema }) => schema),
  DEFAULT_VALUE: text(() => null),
  NULLABLE: flag(({ nullable }) => nullable),
  PRECISION: int(() => -1),
  SCALE: int(() => -1),
  TYPE: text(({ type }) => type),
});

const BINARY_METADATA = systemView<BinaryTypeInfo>(
  'SYS',
  'BINARY_METADATA',
  'Binary metadata',
  ({ binaryTypes }) => binaryTypes,
  {
    TYPE_ID: int(({ id }) => id),
    TYPE_NAME: text(({ name }) => name),
    AFF_KEY_FIELD_NAME: text(() => null),
    FIELDS_COUNT: int(({ fields }) => fields.length),
    FIELDS: text(({ fields }) => `[${fields.join(', ')}]`),
    SCHEMAS_IDS: text(() => '[]'),
    IS_ENUM: flag(() => false),
  },
);

const STATISTICS_COLUMNS = 'SCHEMA text, TYPE text, NAME text, COLUMN text';
const STATISTICS_METRICS = 'DISTINCT long, NULLS long, TOTAL long, SIZE int, VERSION long';

export const TABLE_VIEWS: readonly SystemView[] = [
  SCHEMAS,
  TABLES,
  TABLE_COLUMNS,
  INDEXES,
  VIEWS,
  VIEW_COLUMNS,
  BINARY_METADATA,
  emptyView(
    'SYS',
    'STATISTICS_CONFIGURATION',
    'Statistics configuration; SQLite maintains its own statistics',
    `${STATISTICS_COLUMNS}, MAX_PARTITION_OBSOLESCENCE_PERCENT byte, MANUAL_NULLS long, MANUAL_DISTINCT long, ` +
      'MANUAL_TOTAL long, MANUAL_SIZE integer, VERSION long',
  ),
  emptyView(
    'SYS',
    'STATISTICS_GLOBAL_DATA',
    'Global statistics; SQLite maintains its own statistics',
    `${STATISTICS_COLUMNS}, ROWS_COUNT long, ${STATISTICS_METRICS}, LAST_UPDATE_TIME text`,
  ),
  emptyView(
    'SYS',
    'STATISTICS_LOCAL_DATA',
    'Statistics of the node; SQLite maintains its own statistics',
    `${STATISTICS_COLUMNS}, ROWS_COUNT long, ${STATISTICS_METRICS}, LAST_UPDATE_TIME text`,
  ),
  emptyView(
    'SYS',
    'STATISTICS_PARTITION_DATA',
    'Statistics per partition; SQLite maintains its own statistics',
    `${STATISTICS_COLUMNS}, PARTITION int, ROWS_COUNT long, UPDATE_COUNTER long, ${STATISTICS_METRICS}, ` +
      'LAST_UPDATE_TIME long',
  ),
];
