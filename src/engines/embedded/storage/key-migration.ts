/**
 * Converts keys stored by earlier versions to the current form (canonical-key.ts). If the keys of two entries have the
 * same form, it reports them and changes nothing.
 */
import { Database } from 'bun:sqlite';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { gridError } from '../../../base/errors.ts';
import { formatText } from '../../../values/json.ts';
import { DATA_FILE } from './data-folder.ts';
import { decodeDefinition, tableName } from './definitions.ts';
import { codecOf } from './row-codec.ts';
import {
  type Binding,
  decodeText,
  decodeValue,
  encodeValue,
  FIRST_OBJECT_TYPE,
  type StorageValue,
  TYPE_CODES,
  type TypeNames,
  type ValueCodec,
} from './value-storage.ts';

/** The first version of the schema whose keys have one form. */
const KEY_FORMS_VERSION = 3;
/** Maximum number of collected pairs of equal keys. */
const MAX_SHOWN = 10;
/** Types whose keys can have more than one form. */
const { decimal, list, array, map } = TYPE_CODES;
const AMBIGUOUS = `kt IN (${decimal}, ${list}, ${array}, ${map}) OR kt >= ${FIRST_OBJECT_TYPE}`;

interface KeyRow {
  readonly kt: bigint;
  readonly k: StorageValue;
}

interface Cache {
  readonly name: string;
  readonly table: string;
  readonly codec: ValueCodec;
}

/**
 * Converts the keys of all caches. Throws KEYS_EQUAL with the first pairs of keys that are now equal; the
 * caller rolls back.
 */
export function convertKeys(database: Database): void {
  const pairs = eachCache(database, convert);
  if (pairs.length > 0) throw gridError('KEYS_EQUAL', pairs.join('; '));
}

/**
 * Returns the first pairs of keys in a data folder that are equal in this version, for which {@link convertKeys} would
 * fail. Changes nothing.
 */
export function equalKeysOf(folder: string): readonly string[] {
  const path = join(folder, DATA_FILE);
  if (!existsSync(path)) return [];
  using database = new Database(path, { readonly: true, safeIntegers: true, strict: true });
  const version = Number(database.query<{ user_version: bigint }, []>('PRAGMA user_version').get()?.user_version ?? 0);
  return version > 0 && version < KEY_FORMS_VERSION ? eachCache(database, () => {}) : [];
}

/**
 * Runs `action` for each cache with the keys to convert, as long as no equal ones were found. Returns the equal ones.
 */
function eachCache(
  database: Database,
  action: (database: Database, cache: Cache, names: TypeNames) => void,
): readonly string[] {
  database.run('CREATE TEMP TABLE converted (kt INT NOT NULL, k ANY NOT NULL, form ANY NOT NULL, PRIMARY KEY (k, kt))');
  try {
    const pairs: string[] = [];
    const names = typeNamesOf(database);
    for (const cache of cachesOf(database, names)) {
      database.run('DELETE FROM converted');
      collect(database, cache, names);
      pairs.push(...equalKeys(database, cache, names, MAX_SHOWN - pairs.length));
      if (pairs.length === 0) action(database, cache, names);
    }
    return pairs;
  } finally {
    database.run('DROP TABLE converted');
  }
}

function cachesOf(database: Database, names: TypeNames): Cache[] {
  return database
    .query<{ id: bigint; name: string; definition: string }, []>(
      'SELECT id, name, definition FROM caches WHERE live = 1',
    )
    .all()
    .map(({ id, name, definition: text }) => {
      const { definition, fields } = decodeDefinition(text);
      return { name, table: tableName(Number(id)), codec: codecOf(definition, fields, names) };
    })
    .filter(({ table }) => hasTable(database, table));
}

/** Reports whether a cache's entries are in this file. */
export function hasTable(database: Database, table: string): boolean {
  return database.query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table) !== null;
}

/** Returns the type names stored in the file. */
export function typeNamesOf(database: Database): TypeNames {
  const rows = database.query<{ id: bigint; name: StorageValue }, []>('SELECT id, name FROM type_names').all();
  const names = new Map(rows.map(({ id, name }) => [Number(id), decodeText(name)]));
  const ids = new Map([...names].map(([id, name]) => [name, id]));
  return {
    idOf: (name) => ids.get(name) ?? FIRST_OBJECT_TYPE - 1,
    nameOf(id) {
      const name = names.get(id);
      if (name === undefined) throw gridError('STORAGE_CORRUPT', `type ${id} has no name`);
      return name;
    },
  };
}

/** Collects the keys whose form has changed. */
function collect(database: Database, { table, codec }: Cache, names: TypeNames): void {
  const insert = database.query<unknown, Binding[]>('INSERT INTO converted VALUES (?, ?, ?)');
  for (const { kt, k } of database.query<KeyRow, []>(`SELECT kt, k FROM ${table} WHERE ${AMBIGUOUS}`).iterate()) {
    const { storageValue } = encodeValue(codec.canonical(decodeValue(Number(kt), k, names)), names);
    if (storageValue !== k) insert.run(kt, k, storageValue);
  }
}

/** Returns pairs of keys that have the same form. */
function equalKeys(database: Database, { name, table }: Cache, names: TypeNames, most: number): string[] {
  return database
    .query<{ kt: bigint; one: StorageValue; other: StorageValue }, [number]>(
      `SELECT c.kt AS kt, c.k AS one, e.k AS other FROM converted c JOIN ${table} e ON e.k = c.form AND e.kt = c.kt
       UNION ALL
       SELECT c.kt, min(c.k), max(c.k) FROM converted c GROUP BY c.kt, c.form HAVING count(*) > 1
       LIMIT ?`,
    )
    .all(most)
    .map(({ kt, one, other }) => {
      const textOf = (k: StorageValue): string => formatText(decodeValue(Number(kt), k, names));
      return `${textOf(one)} and ${textOf(other)} in cache ${name}`;
    });
}

function convert(database: Database, { table, codec }: Cache, names: TypeNames): void {
  const rows = database.query<KeyRow & { form: StorageValue }, []>('SELECT kt, k, form FROM converted');
  for (const { kt, k, form } of rows.iterate()) {
    const columns = [...codec.keyBindings(decodeValue(Number(kt), form, names))];
    const sets = ['k = ?', ...columns.map(([column]) => `f${column} = ?`)].join(', ');
    database
      .query<unknown, Binding[]>(`UPDATE ${table} SET ${sets} WHERE k = ? AND kt = ?`)
      .run(form, ...columns.map(([, binding]) => binding), k, kt);
  }
}
