/** Verifies the database files of a data folder that no process uses. */

import { Database } from 'bun:sqlite';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { errorText } from '../../../base/errors.ts';
import { DATA_FILE, lockFolder, requireDataFile } from '../storage/data-folder.ts';
import { deadlineIndex } from '../storage/deadline-index.ts';
import { decodeDefinition, placesOf, type StoredCache, tableName } from '../storage/definitions.ts';
import { decodeField } from '../storage/field-storage.ts';
import { typeNamesOf } from '../storage/key-migration.ts';
import type { Log } from '../storage/log.ts';
import { checkRestored, RESTORING_FILE, restoredRegions } from '../storage/restored-regions.ts';
import { codecOf } from '../storage/row-codec.ts';
import { checkContents, SCHEMA_VERSION, schemaVersionOf } from '../storage/schema.ts';
import { storageFailure } from '../storage/storage-failures.ts';
import { decodeValue, type Row, type StorageValue, type TypeNames } from '../storage/value-storage.ts';

/** The result of a verification. */
export interface Verification {
  readonly schemaVersion: number;
  readonly caches: number;
  readonly entries: number;
  readonly indexes: number;
  /** The problems found; empty if the folder is sound. */
  readonly violations: readonly string[];
}

/** Maximum number of problems reported per file. */
const MAX_VIOLATIONS = 100;

/**
 * Verifies the data file of a folder, and the files of regions that a restore has left in it: SQLite's integrity check,
 * which compares every index with its table, that caches, tables, indexes and counts correspond, and that every key,
 * value and field can be decoded. Throws FOLDER_EMPTY, DATA_FILE_MISSING, FOLDER_IN_USE and RESTORE_INCOMPLETE.
 *
 * The pages have no checksums: bytes changed to another valid value are not detected
 * (src/engines/embedded/DESIGN.md, "Checksums").
 */
export function verifyFolder(folder: string, log: Log): Verification {
  if (!existsSync(join(folder, RESTORING_FILE))) requireDataFile(folder);
  const lock = lockFolder(folder, log);
  try {
    checkRestored(folder);
    return verifyFiles(folder, lock.isCreated);
  } finally {
    lock.release();
  }
}

function verifyFiles(folder: string, isCreated: boolean): Verification {
  const path = join(folder, DATA_FILE);
  const violations: string[] = [];
  const totals = { schemaVersion: 0, caches: 0, entries: 0, indexes: 0 };
  try {
    using database = open(path);
    checkContents(database, folder, isCreated);
    totals.schemaVersion = schemaVersionOf(database);
    violations.push(...integrityOf(database, DATA_FILE));
    if (totals.schemaVersion > SCHEMA_VERSION) {
      violations.push(
        `schema version ${totals.schemaVersion} is newer than ${SCHEMA_VERSION}: caches were not checked`,
      );
      return { ...totals, violations };
    }
    const caches = cachesOf(database);
    const staged = stagedOf(database);
    const names = typeNamesOf(database);
    totals.caches = caches.length;
    const add = (checked: Checked): void => {
      violations.push(...checked.violations);
      totals.entries += checked.entries;
      totals.indexes += checked.indexes;
    };
    add(
      checkCaches(
        database,
        DATA_FILE,
        caches.filter(({ definition }) => definition.persistent),
        staged,
        names,
      ),
    );
    for (const { region, file } of restoredRegions(database)) {
      using regionDatabase = open(join(folder, file));
      violations.push(...integrityOf(regionDatabase, file));
      add(
        checkCaches(
          regionDatabase,
          file,
          caches.filter(({ definition }) => definition.region === region),
          staged,
          names,
        ),
      );
    }
  } catch (error) {
    const failure = storageFailure(error);
    violations.push(errorText(failure));
  }
  return { ...totals, violations };
}

function open(path: string): Database & Disposable {
  const database = new Database(path, { readwrite: true, create: false, safeIntegers: true });
  return Object.assign(database, { [Symbol.dispose]: () => database.close(true) });
}

function integrityOf(database: Database, file: string): string[] {
  const rows = database
    .query<{ integrity_check: string }, []>(`PRAGMA integrity_check(${MAX_VIOLATIONS})`)
    .all()
    .map((row) => row.integrity_check);
  return rows.filter((text) => text !== 'ok').map((text) => `${file}: ${text}`);
}

type Cache = Pick<StoredCache, 'id' | 'definition' | 'fields' | 'indexes'>;

function cachesOf(database: Database): Cache[] {
  return database
    .query<{ id: bigint; definition: string }, []>('SELECT id, definition FROM caches WHERE live = 1')
    .all()
    .map(({ id, definition }) => ({ id: Number(id), ...decodeDefinition(definition) }));
}

interface Checked {
  readonly entries: number;
  readonly indexes: number;
  readonly violations: readonly string[];
}

/** Returns the ids of tables that do not belong to caches: staged, spare or dropped. */
function stagedOf(database: Database): number[] {
  const rows = database.query<{ id: bigint }, []>('SELECT id FROM caches WHERE live <> 1').all();
  return rows.map(({ id }) => Number(id));
}

/**
 * Checks that the caches of a file have their tables, indexes and counts, that their entries can be decoded, and that
 * no table is left over.
 */
function checkCaches(
  database: Database,
  file: string,
  caches: readonly Cache[],
  staged: readonly number[],
  names: TypeNames,
): Checked {
  const violations: string[] = [];
  const tables = namesOf(database, 'table', 'e[0-9]*');
  const indexes = namesOf(database, 'index', '*');
  const counts = countsOf(database);
  let entries = 0;
  for (const cache of caches) {
    const { id, definition, indexes: placed } = cache;
    const table = tableName(id);
    const at = `${file}: the cache ${definition.name}`;
    if (!tables.delete(table)) {
      violations.push(`${at} has no table`);
      continue;
    }
    const rows = count(database, `SELECT count(*) AS n FROM ${table} NOT INDEXED`);
    entries += rows;
    const counted = counts.get(id) ?? 0;
    if (rows !== counted) violations.push(`${at} has ${rows} entries and a count of ${counted}`);
    violations.push(...undecodable(database, cache, names).map((text) => `${at} has ${text}`));
    const needed = placed.map(({ sqliteName }) => sqliteName);
    if (count(database, `SELECT count(exp) AS n FROM ${table} NOT INDEXED`) > 0) needed.push(deadlineIndex(table));
    for (const name of needed) {
      if (!indexes.has(name)) violations.push(`${at} has no index ${name}`);
    }
  }
  // An atomic import may have staged rows, which the next startup removes; spare tables wait for a cache.
  for (const id of staged) tables.delete(tableName(id));
  for (const table of tables) violations.push(`${file}: the table ${table} belongs to no cache`);
  return { entries, indexes: indexes.size, violations };
}

/** Describes a cache's rows that cannot be decoded. */
function undecodable(database: Database, { id, definition, fields }: Cache, names: TypeNames): string[] {
  const codec = codecOf(definition, fields, names);
  const columns = definition.entities.flatMap((entity) => {
    const places = placesOf(fields, entity);
    return entity.fields.flatMap(({ name, type }) => {
      const place = places.get(name);
      return typeof place === 'number' ? [{ name, type, column: `f${place}` }] : [];
    });
  });
  const violations: string[] = [];
  using statement = database.query<KeyedRow, []>(`SELECT * FROM ${tableName(id)} NOT INDEXED`);
  for (const row of statement.iterate()) {
    let part = 'a key';
    try {
      decodeValue(Number(row.kt), row.k, names);
      for (const { name, type, column } of columns) {
        part = `a field ${name}`;
        decodeField(type, row[column] ?? null);
      }
      part = 'a value';
      codec.value(row);
    } catch (error) {
      violations.push(`${part} that cannot be decoded [key=${String(row.k)}]: ${errorText(error)}`);
      if (violations.length === MAX_VIOLATIONS) break;
    }
  }
  return violations;
}

interface KeyedRow extends Row {
  readonly kt: bigint;
  readonly k: StorageValue;
}

function namesOf(database: Database, type: string, pattern: string): Set<string> {
  const rows = database
    .query<{ name: string }, [string, string]>(
      'SELECT name FROM sqlite_schema WHERE type = ? AND name GLOB ? AND sql IS NOT NULL',
    )
    .all(type, pattern);
  return new Set(rows.map(({ name }) => name));
}

function countsOf(database: Database): ReadonlyMap<number, number> {
  const rows = database.query<{ cache: bigint; entries: bigint }, []>('SELECT cache, entries FROM entry_counts').all();
  return new Map(rows.map(({ cache, entries }) => [Number(cache), Number(entries)]));
}

function count(database: Database, sql: string): number {
  return Number(database.query<{ n: bigint }, []>(sql).get()?.n ?? 0);
}
