/** Names of tables and columns, as statements write them. */

/** Returns a name that exists as SQL needs it, which reads a name without quotes in upper case. */
export function quotedIfNeeded(name: string): string {
  return /^[A-Z_][A-Z0-9_]*$|^$/.test(name) ? name : quoted(name);
}

/** Returns a name that a user typed: without quotes it is folded to upper case, as in any statement. */
export function typedName(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) || /^"(?:[^"]|"")+"$/.test(name) ? name : quoted(name);
}

/** Returns a table with its schema if that is not PUBLIC. */
export function qualifiedName({ schema, name }: { readonly schema: string; readonly name: string }): string {
  return schema === 'PUBLIC' ? quotedIfNeeded(name) : `${quotedIfNeeded(schema)}.${quotedIfNeeded(name)}`;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
