/** SQL types of columns. The interface names types by Java classes, which users never see. */

import { SCALAR_TYPES, SCALARS, type SqlType } from './scalar-types.ts';

const OTHER: SqlType = { name: 'OTHER', argument: undefined };

/** By the last part of a class name. */
const TYPES: ReadonlyMap<string, SqlType> = new Map([
  ...SCALARS.flatMap(({ column }) => (column === undefined ? [] : [[column.className, column] as const])),
  ['byte[]', SCALAR_TYPES.bytes.column ?? OTHER],
]);

const NUMERIC: ReadonlySet<string | undefined> = new Set(
  SCALARS.filter(({ json }) => json.includes('whole') || json.includes('fraction')).map(
    ({ column }) => column?.argument,
  ),
);
/** Only these have chosen bounds. */
const BOUNDED: ReadonlySet<string> = new Set(['VARCHAR', 'CHAR', 'DECIMAL', 'VARBINARY']);

/** Returns the SQL type for a Java class. */
export function sqlTypeOf(className: string): SqlType {
  return TYPES.get(className.split('.').at(-1) ?? '') ?? OTHER;
}

/** Returns whether arguments of a type are numbers. */
export function isNumeric(argument: string | undefined): boolean {
  return argument !== undefined && NUMERIC.has(argument);
}

/** Returns a type with its bounds, such as `DECIMAL(9, 2)`. Ignores bounds that are not positive. */
export function typeText(className: string, precision = 0, scale = 0): string {
  const { name } = sqlTypeOf(className);
  if (!BOUNDED.has(name) || precision <= 0) return name;
  return scale > 0 ? `${name}(${precision}, ${scale})` : `${name}(${precision})`;
}
