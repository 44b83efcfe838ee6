/** Describes SQL types for INFORMATION_SCHEMA, with the codes and sizes of JDBC. */
import type { SqlType, SqlTypeName } from '../../../sql/types/sql-types.ts';

export interface JdbcType {
  readonly name: string;
  /** Code of java.sql.Types. */
  readonly code: number;
  /** Digits, characters or bytes if the column declares none. */
  readonly precision: number;
  readonly scale: number;
}

/** The precision that JDBC reports for types without one. */
const UNBOUNDED = 2_147_483_647;

const JDBC_TYPES: { readonly [N in SqlTypeName]: JdbcType } = {
  NULL: { name: 'NULL', code: 0, precision: 1, scale: 0 },
  UNKNOWN: { name: 'UNKNOWN', code: 1111, precision: UNBOUNDED, scale: 0 },
  BOOLEAN: { name: 'BOOLEAN', code: 16, precision: 1, scale: 0 },
  TINYINT: { name: 'TINYINT', code: -6, precision: 3, scale: 0 },
  SMALLINT: { name: 'SMALLINT', code: 5, precision: 5, scale: 0 },
  INTEGER: { name: 'INTEGER', code: 4, precision: 10, scale: 0 },
  BIGINT: { name: 'BIGINT', code: -5, precision: 19, scale: 0 },
  REAL: { name: 'REAL', code: 7, precision: 7, scale: 0 },
  DOUBLE: { name: 'DOUBLE', code: 8, precision: 17, scale: 0 },
  DECIMAL: { name: 'DECIMAL', code: 3, precision: 65_535, scale: 32_767 },
  VARCHAR: { name: 'VARCHAR', code: 12, precision: UNBOUNDED, scale: 0 },
  CHAR: { name: 'CHAR', code: 1, precision: UNBOUNDED, scale: 0 },
  VARCHAR_IGNORECASE: { name: 'VARCHAR_IGNORECASE', code: 12, precision: UNBOUNDED, scale: 0 },
  DATE: { name: 'DATE', code: 91, precision: 10, scale: 0 },
  TIME: { name: 'TIME', code: 92, precision: 8, scale: 0 },
  TIMESTAMP: { name: 'TIMESTAMP', code: 93, precision: 26, scale: 6 },
  TIMESTAMP_TZ: { name: 'TIMESTAMP_TZ', code: 2014, precision: 32, scale: 6 },
  UUID: { name: 'UUID', code: -2, precision: UNBOUNDED, scale: 0 },
  BINARY: { name: 'VARBINARY', code: -3, precision: UNBOUNDED, scale: 0 },
  ARRAY: { name: 'ARRAY', code: 2003, precision: 0, scale: 0 },
  OTHER: { name: 'OTHER', code: 1111, precision: UNBOUNDED, scale: 0 },
};

/** Returns a column's JDBC type, with the bounds that the column declares. */
export function jdbcTypeOf(type: SqlType): JdbcType {
  const described = JDBC_TYPES[type.name];
  return {
    ...described,
    precision: type.precision ?? described.precision,
    scale: type.scale ?? (type.precision === undefined ? described.scale : 0),
  };
}

/** Returns the type as CREATE TABLE writes it. */
export function declaredType(type: SqlType): string {
  const bounds = [type.precision, type.scale].filter((bound) => bound !== undefined);
  return bounds.length === 0 ? type.name : `${type.name}(${bounds.join(', ')})`;
}

/** A row of INFORMATION_SCHEMA.TYPE_INFO: a type that the grammar knows. CREATE TABLE does not accept all of them. */
export interface TypeInfo {
  readonly name: string;
  readonly code: number;
  readonly precision: number;
  readonly prefix: string | null;
  readonly suffix: string | null;
  readonly params: string | null;
  readonly maximumScale: number;
  readonly radix: number | null;
  readonly caseSensitive: boolean;
  readonly autoIncrement: boolean;
  /** The position of the type among those with its JDBC code. */
  readonly position: number;
}

const PLAIN = { maximumScale: 0, caseSensitive: false, autoIncrement: false, position: 0 } as const;
const NUMERIC = { ...PLAIN, prefix: null, suffix: null, params: null, radix: 10 } as const;
const QUOTED = {
  ...PLAIN,
  prefix: "'",
  suffix: "'",
  params: 'LENGTH',
  radix: null,
} as const;
const TEXT = { ...QUOTED, precision: UNBOUNDED, caseSensitive: true } as const;
const BYTES = { ...QUOTED, precision: UNBOUNDED } as const;
const TEMPORAL = { ...QUOTED, params: null } as const;

export const TYPE_INFO: readonly TypeInfo[] = [
  { ...TEXT, name: 'VARCHAR', code: 12 },
  { ...TEXT, name: 'LONGVARCHAR', code: -1 },
  { ...TEXT, name: 'CHAR', code: 1 },
  { ...TEXT, name: 'VARCHAR_IGNORECASE', code: 12, caseSensitive: false, position: 7 },
  { ...NUMERIC, name: 'BOOLEAN', code: 16, precision: 1 },
  { ...NUMERIC, name: 'TINYINT', code: -6, precision: 3 },
  { ...NUMERIC, name: 'SMALLINT', code: 5, precision: 5 },
  { ...NUMERIC, name: 'INTEGER', code: 4, precision: 10 },
  { ...NUMERIC, name: 'SERIAL', code: 4, precision: 10, autoIncrement: true, position: 5 },
  { ...NUMERIC, name: 'BIGINT', code: -5, precision: 19 },
  { ...NUMERIC, name: 'IDENTITY', code: -5, precision: 19, autoIncrement: true, position: 3 },
  { ...NUMERIC, name: 'DECIMAL', code: 3, precision: UNBOUNDED, params: 'PRECISION,SCALE' },
  { ...NUMERIC, name: 'NUMERIC', code: 2, precision: UNBOUNDED, params: 'PRECISION,SCALE' },
  { ...NUMERIC, name: 'REAL', code: 7, precision: 7 },
  { ...NUMERIC, name: 'DOUBLE', code: 8, precision: 17 },
  { ...NUMERIC, name: 'FLOAT', code: 6, precision: 17 },
  { ...TEMPORAL, name: 'TIME', code: 92, precision: 18, prefix: "TIME '", maximumScale: 9 },
  { ...TEMPORAL, name: 'DATE', code: 91, precision: 10, prefix: "DATE '" },
  { ...TEMPORAL, name: 'TIMESTAMP', code: 93, precision: 29, prefix: "TIMESTAMP '", maximumScale: 9 },
  {
    ...TEMPORAL,
    name: 'TIMESTAMP WITH TIME ZONE',
    code: 2014,
    precision: 35,
    prefix: "TIMESTAMP_TZ '",
    maximumScale: 9,
  },
  { ...BYTES, name: 'VARBINARY', code: -3 },
  { ...BYTES, name: 'BINARY', code: -2 },
  { ...BYTES, name: 'LONGVARBINARY', code: -4 },
  { ...BYTES, name: 'UUID', code: -2, position: 4 },
  { ...BYTES, name: 'OTHER', code: 1111 },
  { ...TEXT, name: 'BLOB', code: 2004 },
  { ...TEXT, name: 'CLOB', code: 2005 },
  { ...BYTES, name: 'GEOMETRY', code: 1111, position: 3 },
  { ...QUOTED, name: 'ARRAY', code: 2003, precision: 0, prefix: '(', suffix: "')", params: null },
  { ...NUMERIC, name: 'RESULT_SET', code: -10, precision: 0, radix: null },
  { ...BYTES, name: 'ENUM', code: 1111, position: 4 },
];
