/** Names of tables as clients write them outside of statements: `person`, `"Person"`, `PUBLIC.PERSON`. */

/** A table that a written name may mean. Without a schema it is one of a statement over a cache. */
export interface NamedTable {
  readonly schema: string | undefined;
  readonly name: string;
}

/** Returns an identifier in quotes. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function quotedTable({ schema, name }: NamedTable): string {
  return schema === undefined ? quoted(name) : `${quoted(schema)}.${quoted(name)}`;
}

/** A schema and a name. */
const MAX_PARTS = 2;

interface Part {
  readonly text: string;
  readonly isQuoted: boolean;
}

/**
 * Returns the tables that a name may mean, the first one before the others. As in SQL, a name without quotes is folded
 * to upper case; the name as written comes second. None for a name of more than two parts.
 */
export function namedTables(written: string): readonly NamedTable[] {
  const parts = partsOf(written);
  const name = parts.at(-1);
  if (name === undefined || parts.length > MAX_PARTS) return [];
  const schema = parts.length === 2 ? parts[0] : undefined;
  const schemas = schema === undefined ? [undefined] : textsOf(schema);
  return schemas.flatMap((each) => textsOf(name).map((text) => ({ schema: each, name: text })));
}

/** Splits a name at the dots outside of quotes, into three parts at most: what has more names no table. */
function partsOf(written: string): Part[] {
  const found = [...written.matchAll(/"((?:[^"]|"")*)"|([^".]+)/g).take(MAX_PARTS + 1)];
  const first = found.map(([part]) => part).join('.');
  const isSplit = found.length > MAX_PARTS ? written.startsWith(first) : written === first;
  if (!isSplit) return [{ text: written, isQuoted: false }];
  return found.map(([, quoted, plain = '']) =>
    quoted === undefined ? { text: plain, isQuoted: false } : { text: quoted.replaceAll('""', '"'), isQuoted: true },
  );
}

function textsOf({ text, isQuoted }: Part): readonly string[] {
  const folded = text.toUpperCase();
  return isQuoted || folded === text ? [text] : [folded, text];
}
