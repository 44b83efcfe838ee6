/** Tables of INFORMATION_SCHEMA about schemas, tables, columns and views. */

import { deparseName } from '../../../sql/binding/deparser.ts';
import { DATABASE_NAME } from '../../../sql/functions/system.ts';
import type { SqlType } from '../../../sql/types/sql-types.ts';
import { PUBLIC_SCHEMA } from '../ddl/sql-names.ts';
import { declaredType, jdbcTypeOf } from './jdbc-types.ts';
import { javaHash, type SystemInfo, type TableInfo, type UserViewInfo } from './system-info.ts';
import { flag, int, long, type SystemView, short, systemView, text } from './system-view.ts';
import { columnsOf, keyColumnsOf } from './table-parts.ts';
import type { ViewDescription } from './view-description.ts';

const SCHEMA = 'INFORMATION_SCHEMA';

/** A table or view. */
interface Relation {
  readonly schema: string;
  readonly name: string;
  readonly type: 'TABLE' | 'VIEW' | 'SYSTEM TABLE';
  readonly persistent: boolean;
  readonly sql: string | null;
  readonly remarks: string;
  rowCount(): number;
  readonly columns: readonly RelationColumn[];
}

interface RelationColumn {
  readonly name: string;
  readonly type: SqlType;
  readonly nullable: boolean;
  readonly hidden: boolean;
  readonly defaultValue: string | null;
}

function relations({ tables, regions, userViews, systemViews, asIgnite }: SystemInfo): Relation[] {
  const persistent = new Map(regions.map((region) => [region.metrics.name, region.persistent]));
  return [
    ...tables.map((info) => tableRelation(info, persistent.get(info.table.region) ?? true, asIgnite)),
    ...listedViews({ userViews, asIgnite }).map(viewRelation),
    ...systemViews.map(systemRelation),
  ];
}

/** Returns the views that INFORMATION_SCHEMA lists. Ignite lists none that refers to a missing table. */
function listedViews({ userViews, asIgnite }: Pick<SystemInfo, 'userViews' | 'asIgnite'>): readonly UserViewInfo[] {
  return asIgnite ? userViews.filter(({ valid }) => valid) : userViews;
}

function tableRelation(info: TableInfo, persistent: boolean, asIgnite: boolean): Relation {
  const { cache, table } = info;
  const columns = columnsOf(table, asIgnite);
  return {
    schema: table.schema,
    name: table.name,
    type: 'TABLE',
    persistent,
    sql: definitionOf(info),
    remarks: '',
    rowCount: () => cache.size(),
    // Ignite lists column defaults only in SYS.TABLE_COLUMNS.
    columns: asIgnite ? columns.map((column) => ({ ...column, defaultValue: null })) : columns,
  };
}

/** Returns the CREATE TABLE statement of the table. */
function definitionOf({ table }: TableInfo): string {
  const columns = table.columns.map((column) => {
    const notNull = column.notNull ? ' NOT NULL' : '';
    return `    ${deparseName(column.name)} ${declaredType(column.type)}${notNull}`;
  });
  const key = `    PRIMARY KEY (${keyColumnsOf(table).map(deparseName).join(', ')})`;
  return `CREATE TABLE ${deparseName(table.schema)}.${deparseName(table.name)}(\n${[...columns, key].join(',\n')}\n)`;
}

function viewRelation(view: UserViewInfo): Relation {
  return {
    schema: view.schema,
    name: view.name,
    type: 'VIEW',
    persistent: true,
    sql: viewDefinition(view),
    remarks: '',
    rowCount: () => 0,
    columns: view.columns.map((column) => ({ ...column, nullable: true, hidden: false, defaultValue: null })),
  };
}

function viewDefinition({ schema, name, columns, query }: UserViewInfo): string {
  const names = columns.map((column) => deparseName(column.name)).join(', ');
  return `CREATE VIEW ${deparseName(schema)}.${deparseName(name)}(${names}) AS\n${query}`;
}

/** Ignite's estimates for tables of INFORMATION_SCHEMA and for views of SYS. */
const ESTIMATED_ROWS = { table: 1_000, view: 100 };

function systemRelation(view: ViewDescription): Relation {
  const isTable = view.schema === SCHEMA;
  return {
    schema: view.schema,
    name: view.name,
    type: isTable ? 'SYSTEM TABLE' : 'VIEW',
    persistent: isTable,
    sql: null,
    remarks: view.description,
    rowCount: () => ESTIMATED_ROWS[isTable ? 'table' : 'view'],
    columns: view.columns.map((column) => ({ ...column, nullable: true, hidden: false, defaultValue: null })),
  };
}

function relationId({ schema, name }: Relation): number {
  return javaHash(`${schema}.${name}`);
}

const TABLES = systemView<Relation>(SCHEMA, 'TABLES', '', relations, {
  TABLE_CATALOG: text(() => DATABASE_NAME),
  TABLE_SCHEMA: text(({ schema }) => schema),
  TABLE_NAME: text(({ name }) => name),
  TABLE_TYPE: text(({ type }) => type),
  STORAGE_TYPE: text(({ persistent }) => (persistent ? 'CACHED' : 'MEMORY')),
  SQL: text(({ sql }) => sql),
  REMARKS: text(({ remarks }) => remarks),
  LAST_MODIFICATION: long(() => 0),
  ID: int(relationId),
  TYPE_NAME: text(() => null),
  TABLE_CLASS: text(() => null),
  ROW_COUNT_ESTIMATE: long((relation) => relation.rowCount()),
});

interface ColumnInfo {
  readonly relation: Relation;
  readonly column: RelationColumn;
  readonly position: number;
}

const COLUMNS = systemView<ColumnInfo>(
  SCHEMA,
  'COLUMNS',
  '',
  (info) =>
    relations(info).flatMap((relation) =>
      relation.columns.map((column, at) => ({ relation, column, position: at + 1 })),
    ),
  {
    TABLE_CATALOG: text(() => DATABASE_NAME),
    TABLE_SCHEMA: text(({ relation }) => relation.schema),
    TABLE_NAME: text(({ relation }) => relation.name),
    COLUMN_NAME: text(({ column }) => column.name),
    ORDINAL_POSITION: int(({ position }) => position),
    COLUMN_DEFAULT: text(({ column }) => column.defaultValue),
    IS_NULLABLE: text(({ column }) => (column.nullable ? 'YES' : 'NO')),
    DATA_TYPE: int(({ column }) => jdbcTypeOf(column.type).code),
    CHARACTER_MAXIMUM_LENGTH: int(({ column }) => jdbcTypeOf(column.type).precision),
    CHARACTER_OCTET_LENGTH: int(({ column }) => jdbcTypeOf(column.type).precision),
    NUMERIC_PRECISION: int(({ column }) => jdbcTypeOf(column.type).precision),
    NUMERIC_PRECISION_RADIX: int(() => 10),
    NUMERIC_SCALE: int(({ column }) => jdbcTypeOf(column.type).scale),
    CHARACTER_SET_NAME: text(() => 'Unicode'),
    COLLATION_NAME: text(() => 'OFF'),
    TYPE_NAME: text(({ column }) => jdbcTypeOf(column.type).name),
    NULLABLE: int(({ column }) => Number(column.nullable)),
    IS_COMPUTED: flag(() => false),
    SELECTIVITY: int(() => 50),
    CHECK_CONSTRAINT: text(() => ''),
    SEQUENCE_NAME: text(() => null),
    REMARKS: text(() => ''),
    SOURCE_DATA_TYPE: short(() => null),
    COLUMN_TYPE: text(({ column }) => columnType(column)),
    COLUMN_ON_UPDATE: text(() => null),
  },
);

function columnType({ type, hidden, nullable }: RelationColumn): string {
  return `${declaredType(type)}${hidden ? ' INVISIBLE ' : ''}${nullable ? '' : ' NOT NULL'}`;
}

const VIEWS = systemView<UserViewInfo>(SCHEMA, 'VIEWS', '', listedViews, {
  TABLE_CATALOG: text(() => DATABASE_NAME),
  TABLE_SCHEMA: text(({ schema }) => schema),
  TABLE_NAME: text(({ name }) => name),
  VIEW_DEFINITION: text(viewDefinition),
  CHECK_OPTION: text(() => 'NONE'),
  IS_UPDATABLE: text(() => 'NO'),
  STATUS: text(({ valid }) => (valid ? 'VALID' : 'INVALID')),
  REMARKS: text(() => ''),
  ID: int(({ schema, name }) => javaHash(`${schema}.${name}`)),
});

/** The ids that Ignite always gives to its own schemas. */
const SCHEMA_IDS: ReadonlyMap<string, number> = new Map([
  [PUBLIC_SCHEMA, 0],
  ['INFORMATION_SCHEMA', -1],
  ['SYS', 6],
]);

const SCHEMATA = systemView<string>(SCHEMA, 'SCHEMATA', '', ({ schemas }) => schemas, {
  CATALOG_NAME: text(() => DATABASE_NAME),
  SCHEMA_NAME: text((name) => name),
  SCHEMA_OWNER: text(() => ''),
  DEFAULT_CHARACTER_SET_NAME: text(() => 'Unicode'),
  DEFAULT_COLLATION_NAME: text(() => 'OFF'),
  IS_DEFAULT: flag((name) => name === PUBLIC_SCHEMA),
  REMARKS: text(() => ''),
  ID: int((name) => SCHEMA_IDS.get(name) ?? javaHash(name)),
});

const CATALOGS = systemView<string>(SCHEMA, 'CATALOGS', '', () => [DATABASE_NAME], {
  CATALOG_NAME: text((name) => name),
});

const TYPES_OF_TABLES = ['TABLE', 'TABLE LINK', 'SYSTEM TABLE', 'VIEW', 'EXTERNAL'];

const TABLE_TYPES = systemView<string>(SCHEMA, 'TABLE_TYPES', '', () => TYPES_OF_TABLES, {
  TYPE: text((name) => name),
});

export const INFORMATION_TABLES: readonly SystemView[] = [TABLES, COLUMNS, VIEWS, SCHEMATA, CATALOGS, TABLE_TYPES];
