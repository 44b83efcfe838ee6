/** Statements as text. */
import { isNumeric } from '../rows/sql-types.ts';
import { BYTES, binaryLiteral } from '../rows/value-input.ts';

/** Returns a statement with its arguments as literals, to read and to change. */
export function shownStatement(
  sql: string,
  args: ReadonlyArray<{ readonly type: string; readonly value: string }>,
): string {
  let next = 0;
  return sql.replace(/"(?:[^"]|"")*"|\?/g, (part) => {
    if (part !== '?') return part;
    const { type, value } = args[next++] ?? { type: 'null', value: '' };
    if (type === 'boolean') return value.toUpperCase();
    if (type === BYTES) return binaryLiteral(value);
    return isNumeric(type) && /^-?\d+(?:\.\d+)?$/.test(value) ? value : `'${value.replaceAll("'", "''")}'`;
  });
}
