/** Names of tables as clients write them outside statements: `person`, `"Person"`, `PUBLIC.PERSON`. */
import type { QueryEntity } from './grid.ts';

/** A table that a written name may mean. Without a schema, it is resolved as in a statement over a cache. */
export interface NamedTable {
  readonly schema: string | undefined;
  readonly name: string;
}

/** Quotes an identifier. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Returns the SQL name of an entity's table. */
export function tableNameOf({ tableName, valueType, fromSql }: QueryEntity): string {
  const name = tableName ?? valueType.split(/[.$]/).at(-1) ?? valueType;
  return fromSql === true ? name : name.toUpperCase();
}

/** The SQL column that is the whole key, which `SELECT *` omits. */
export const KEY_COLUMN = '_KEY';
/** The column that is the whole value. */
export const VALUE_COLUMN = '_VAL';

/**
 * The table of a cache's entries, whose schema is the cache's name. It is found only by its qualified name, and only if
 * no table or view has that name.
 */
export const ENTRIES_TABLE = 'ENTRIES';

/** Reports whether a table's rows have their key only in {@link KEY_COLUMN}: no field is part of it. */
export function hasHiddenKey({ fields, keyFields = [] }: Pick<QueryEntity, 'fields' | 'keyFields'>): boolean {
  return !fields.some(({ name }) => keyFields.includes(name));
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
 * Returns the tables that a name may mean, in order of precedence. As in SQL, an unquoted name is folded to upper case;
 * the name as written comes second. Empty for a name of more than two parts.
 */
export function namedTables(written: string): readonly NamedTable[] {
  const parts = partsOf(written);
  const name = parts.at(-1);
  if (name === undefined || parts.length > MAX_PARTS) return [];
  const schema = parts.length === 2 ? parts[0] : undefined;
  const schemas = schema === undefined ? [undefined] : textsOf(schema);
  return schemas.flatMap((each) => textsOf(name).map((text) => ({ schema: each, name: text })));
}

/** Splits a name at the dots outside quotes, into at most three parts: a longer name matches no table. */
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
