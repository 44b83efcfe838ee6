/** Names of tables and columns, as statements write them. */

/** SQL keywords that cannot be names without quotes. */
const RESERVED: ReadonlySet<string> = new Set(
  (
    'CHECK CONSTRAINT CROSS CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP DISTINCT EXCEPT EXISTS FALSE FETCH FOR FOREIGN ' +
    'FROM FULL GROUP HAVING INNER INTERSECT IS JOIN LIKE LIMIT MINUS NATURAL NOT NULL OFFSET ON ORDER PRIMARY ROWNUM ' +
    'SELECT SYSDATE SYSTIME SYSTIMESTAMP TODAY TRUE UNION UNIQUE WHERE WITH'
  ).split(' '),
);

/** Returns a name in quotes, which SQL reads as it is. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Returns an existing name as SQL needs it, which folds unquoted names to upper case. */
export function quotedIfNeeded(name: string): string {
  return /^[A-Z_][A-Z0-9_]*$|^$/.test(name) && !RESERVED.has(name) ? name : quoted(name);
}

/** Returns a name that a user typed: without quotes it is folded to upper case, as in any statement. */
export function typedName(name: string): string {
  const text = name.trim();
  if (RESERVED.has(text.toUpperCase())) return quoted(text.toUpperCase());
  return /^[A-Za-z_]\w*$/.test(text) || /^"(?:[^"]|"")+"$/.test(text) ? text : quoted(text);
}

export interface TableName {
  readonly schema: string;
  readonly name: string;
}

/** Returns a table with its schema if that is not PUBLIC. */
export function qualifiedName({ schema, name }: TableName): string {
  return schema === 'PUBLIC' ? quotedIfNeeded(name) : `${quotedIfNeeded(schema)}.${quotedIfNeeded(name)}`;
}
