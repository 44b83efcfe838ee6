/** Statements as text. */

const NUMERIC_TYPES: ReadonlySet<string> = new Set(['int', 'long', 'short', 'byte', 'double', 'float', 'decimal']);

/** Returns a statement with its arguments as literals, to read and to change. */
export function shownStatement(
  sql: string,
  args: ReadonlyArray<{ readonly type: string; readonly value: string }>,
): string {
  let next = 0;
  return sql.replace(/"(?:[^"]|"")*"|\?/g, (part) => {
    if (part !== '?') return part;
    const { type, value } = args[next++] ?? { type: 'null', value: '' };
    return NUMERIC_TYPES.has(type) && /^-?\d+(?:\.\d+)?$/.test(value) ? value : `'${value.replaceAll("'", "''")}'`;
  });
}
