/** Tables for resources: the columns that statements may name, and the primary key. */
import { chain, type MaybePromise } from '../base/maybe-promise.ts';
import type { CacheDefinition, QueryEntity } from '../grid/grid.ts';
import { KEY_COLUMN, type NamedTable, namedTables, quoted, quotedTable, tableNameOf } from '../grid/table-names.ts';
import { scalarTypeNamed } from '../values/type-names.ts';
import type { FieldType, ScalarTypeName } from '../values/value.ts';
import type { ResourceOptions } from './call.ts';

export interface Column {
  /** As in statements, without quotes. */
  readonly name: string;
  readonly quoted: string;
  /** undefined if it has no scalar type, and can neither be compared nor written. */
  readonly type: ScalarTypeName | undefined;
  readonly isNullable: boolean;
  /** Whether a new row needs a value for it: it is not nullable and has no default. */
  readonly isRequired: boolean;
  /** The select list of responses: a time as a string, because as a time it would lack fractions of a second. */
  readonly shown: string;
  /** The term that orders rows, which must not mean the response's string of that name. */
  readonly ordered: string;
  /** For a path into values with undeclared types: the terms that compare numbers, strings and booleans. */
  readonly forms?: { readonly number: Column; readonly text: Column; readonly boolean: Column };
}

export interface Table {
  /** The quoted name with its schema. */
  readonly quoted: string;
  readonly columns: readonly Column[];
  /** The columns of the primary key, in its order. */
  readonly key: readonly Column[];
  /** All columns, with their own names. */
  readonly all: Selection;
  /** The condition on a row's key, with a parameter for each column. */
  readonly keySql: string;
  /** The statement that reads a row by key. */
  readonly rowSql: string;
  /** Returns a column by its name, or by its name in upper case as in SQL. */
  column(written: string): Column | undefined;
}

/** A column of a response, with its name there. */
export interface Selected {
  readonly column: Column;
  readonly name: string;
}

/** The columns of a response. */
export interface Selection {
  readonly selected: readonly Selected[];
  /** The text before the value of each column in JSON: `,"name":`. */
  readonly labels: readonly string[];
  /** Whether all values are scalar, and no name needs escaping in JSON. */
  readonly isPlain: boolean;
  /** The beginning of a statement that reads rows. */
  readonly sql: string;
}

/** Returns the common part of requests for columns of a table. */
export function selectionOf(selected: readonly Selected[], from: string): Selection {
  const list = selected.map(({ column, name }) =>
    name === column.name && column.shown === column.quoted ? column.quoted : `${column.shown} AS ${quoted(name)}`,
  );
  return {
    selected,
    labels: selected.map(({ name }) => `,${JSON.stringify(name)}:`),
    isPlain: selected.every(({ column, name }) => column.type !== undefined && PLAIN_NAME.test(name)),
    sql: `SELECT ${list.join(', ')} FROM ${from}`,
  };
}

const PLAIN_NAME = /^[ !#-[\]-~]*$/;

const DEFAULT_SCHEMA = 'PUBLIC';

/** Returns the table that a name means, or undefined if there is none, or it is a view. */
export function findTable(options: ResourceOptions, written: string): MaybePromise<Table | undefined> {
  const { caches, defaultCache } = options;
  const candidates = candidatesOf(written);
  for (const each of candidates) {
    const cache = caches.cacheOfTable(each, defaultCache);
    if (cache === undefined) continue;
    return chain(caches.find(cache), (definition) => definition && tableIn(definition, each));
  }
  if (!options.manyNodes || candidates.length === 0) return undefined;
  // A cluster does not report a table's cache.
  return chain(caches.list(), (definitions) => {
    for (const each of candidates) {
      for (const definition of definitions) {
        if ((each.schema ?? DEFAULT_SCHEMA) !== (definition.schema ?? DEFAULT_SCHEMA)) continue;
        const table = tableIn(definition, each);
        if (table !== undefined) return table;
      }
    }
    return undefined;
  });
}

/** Resolved names, since addresses repeat a few. */
const knownNames = new Map<string, readonly NamedTable[]>();
/** Names come from clients: different ones each time must not fill the memory. */
const MAX_NAMES = 1_000;
/** Longer names are not cached: an address may be much longer. */
export const KEPT_CHARACTERS = 256;

function candidatesOf(written: string): readonly NamedTable[] {
  let candidates = knownNames.get(written);
  if (candidates === undefined) {
    candidates = namedTables(written);
    if (written.length > KEPT_CHARACTERS) return candidates;
    if (knownNames.size === MAX_NAMES) knownNames.clear();
    knownNames.set(written, candidates);
  }
  return candidates;
}

/** The service's tables by their names in addresses. */
export type NamedTables = ReadonlyMap<string, Table>;

/** Returns all tables of a grid. */
export async function allTables({ caches }: Pick<ResourceOptions, 'caches'>): Promise<NamedTables> {
  const tables = new Map<string, Table>();
  for (const definition of await caches.list()) {
    for (const table of tablesOf(definition)) {
      const isPublic = (definition.schema ?? DEFAULT_SCHEMA) === DEFAULT_SCHEMA;
      const name = isPublic ? table.name : `${definition.schema}.${table.name}`;
      tables.set(name, table);
    }
  }
  return tables;
}

type KnownTable = Table & { readonly name: string };

/** The tables of definitions: a definition never changes; changing a cache creates a new one. */
const known = new WeakMap<CacheDefinition, readonly KnownTable[]>();

function tableIn(definition: CacheDefinition, { name }: NamedTable): Table | undefined {
  return tablesOf(definition).findLast((table) => table.name === name);
}

function tablesOf(definition: CacheDefinition): readonly KnownTable[] {
  let tables = known.get(definition);
  if (tables === undefined) {
    const schema = definition.schema ?? DEFAULT_SCHEMA;
    tables = definition.entities.map((entity) => tableOf(entity, schema));
    known.set(definition, tables);
  }
  return tables;
}

function tableOf(entity: QueryEntity, schema: string): KnownTable {
  const { valueType, keyType, keyFields = [], fields, fromSql } = entity;
  const inSql = (text: string): string => (fromSql === true ? text : text.toUpperCase());
  const name = tableNameOf(entity);
  const from = quotedTable({ schema, name });
  const columnOf = new Map(
    fields.map((field) => {
      const isNullable = !keyFields.includes(field.name) && field.notNull !== true;
      const column = columnOfType(from, inSql(field.alias ?? field.name), scalarOf(field.type), isNullable);
      return [field.name, field.defaultValue === undefined ? column : { ...column, isRequired: false }];
    }),
  );
  const keyNames = new Set(keyFields);
  const named = keyFields.flatMap((each) => columnOf.get(each) ?? []);
  const key = named.length > 0 ? named : [columnOfType(from, KEY_COLUMN, scalarTypeNamed(keyType), false)];
  // The key comes first, as is usual in CREATE TABLE.
  const others = [...columnOf].flatMap(([field, column]) => (keyNames.has(field) ? [] : [column]));
  const declared = [...columnOf.values()];
  const isValue = others.length === 0 && keyNames.size === fields.length;
  const columns = [
    ...(named.length > 0 ? declared : [...key, ...declared]),
    ...(isValue ? [columnOfType(from, '_VAL', scalarTypeNamed(valueType), true)] : []),
  ];
  const byName = new Map(columns.map((column) => [column.name, column]));
  // Most requests write names in lower case.
  for (const column of columns) {
    const lower = column.name.toLowerCase();
    if (lower.toUpperCase() === column.name && !byName.has(lower)) byName.set(lower, column);
  }
  const shown = columns.map((column) => ({ column, name: column.name }));
  const all = selectionOf(shown, from);
  const keySql = key.map((column) => `${column.quoted} = ?`).join(' AND ');
  return {
    name,
    quoted: from,
    all,
    keySql,
    rowSql: `${all.sql} WHERE ${keySql}`,
    columns,
    key,
    column: (written) => byName.get(written) ?? byName.get(written.toUpperCase()),
  };
}

export function columnOfType(
  from: string,
  name: string,
  type: ScalarTypeName | undefined,
  isNullable: boolean,
): Column {
  const column = quoted(name);
  const [shown, ordered] = type === 'time' ? [`CAST(${column} AS VARCHAR)`, `${from}.${column}`] : [column, column];
  return { name, quoted: column, type, isNullable, isRequired: !isNullable, shown, ordered };
}

/** Returns the SQL type of a column's values, where a `java.util.Date` is a timestamp. */
function scalarOf(type: FieldType): ScalarTypeName | undefined {
  if (type.kind !== 'scalar') return undefined;
  return type.type === 'instant' ? 'timestamp' : type.type;
}
