/** SQL types of columns. The interface names types by Java classes, which no user reads. */

export interface SqlType {
  /** As CREATE TABLE writes it, without bounds. */
  readonly name: string;
  /** The type of arguments that are compared with such a column; undefined if the console can send none. */
  readonly argument: string | undefined;
}

const OTHER: SqlType = { name: 'OTHER', argument: undefined };
const BINARY: SqlType = { name: 'VARBINARY', argument: '[B' };

/** By the last part of the name of a class. */
const TYPES: Readonly<Record<string, SqlType>> = {
  String: { name: 'VARCHAR', argument: 'string' },
  Character: { name: 'CHAR', argument: 'string' },
  Integer: { name: 'INTEGER', argument: 'int' },
  Long: { name: 'BIGINT', argument: 'long' },
  Short: { name: 'SMALLINT', argument: 'short' },
  Byte: { name: 'TINYINT', argument: 'byte' },
  Double: { name: 'DOUBLE', argument: 'double' },
  Float: { name: 'REAL', argument: 'float' },
  BigDecimal: { name: 'DECIMAL', argument: 'decimal' },
  BigInteger: { name: 'DECIMAL', argument: 'decimal' },
  Boolean: { name: 'BOOLEAN', argument: 'boolean' },
  Date: { name: 'DATE', argument: 'date' },
  Time: { name: 'TIME', argument: 'time' },
  Timestamp: { name: 'TIMESTAMP', argument: 'timestamp' },
  UUID: { name: 'UUID', argument: 'uuid' },
  'byte[]': BINARY,
  '[B': BINARY,
};

const NUMERIC: ReadonlySet<string> = new Set(['int', 'long', 'short', 'byte', 'double', 'float', 'decimal']);
/** Only these have bounds that somebody chose. */
const BOUNDED: ReadonlySet<string> = new Set(['VARCHAR', 'CHAR', 'DECIMAL', 'VARBINARY']);

/** Returns the SQL type for a Java class. */
export function sqlTypeOf(className: string): SqlType {
  return TYPES[className.split('.').at(-1) ?? ''] ?? OTHER;
}

/** Returns whether arguments of a type are numbers. */
export function isNumeric(argument: string | undefined): boolean {
  return argument !== undefined && NUMERIC.has(argument);
}

/** Returns a type with its bounds, such as `DECIMAL(9, 2)`. Bounds that are not positive are none. */
export function typeText(className: string, precision = 0, scale = 0): string {
  const { name } = sqlTypeOf(className);
  if (!BOUNDED.has(name) || precision <= 0) return name;
  return scale > 0 ? `${name}(${precision}, ${scale})` : `${name}(${precision})`;
}
