/**
 * The schema of the database files: their versions, and the migrations from each version to the next. `PRAGMA
 * user_version` holds a file's version. Every released version has a fixture in test/fixtures/data-folders.
 */
import { constants, type Database } from 'bun:sqlite';
import { gridError } from '../../../base/errors.ts';
import { convertKeys } from './key-migration.ts';
import { convertObjects } from './object-migration.ts';
import { readSetting, writeSetting } from './settings.ts';
import { FIRST_OBJECT_TYPE } from './value-storage.ts';

/** The change from one schema version to the next. */
export interface Migration {
  /** SQL for the data file. */
  readonly dataFile?: string;
  /** SQL for every database file: the data file, then the non-persistent regions' files. */
  readonly everyFile?: string;
  /** Converts what the data file stores, after the statements. */
  readonly convert?: (database: Database) => void;
}

/**
 * Migration n changes files of version n to n + 1. Never change a released one: add another, and a fixture of the
 * version that it replaces. `entry_counts` and `counters` are in every file, because they have the same lifetime
 * as its region.
 */
const MIGRATIONS: readonly Migration[] = [
  {
    dataFile: `
      CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
      CREATE TABLE caches (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL,
        slot INTEGER NOT NULL,
        created INTEGER NOT NULL,
        version INTEGER NOT NULL,
        live INTEGER NOT NULL,
        definition TEXT NOT NULL
      ) STRICT;
      CREATE UNIQUE INDEX caches_name ON caches (name) WHERE live = 1;
      CREATE INDEX caches_version ON caches (version);
      CREATE TABLE type_names (id INTEGER PRIMARY KEY, name ANY NOT NULL UNIQUE) STRICT;
      INSERT INTO type_names VALUES (${FIRST_OBJECT_TYPE - 1}, '');
      CREATE TABLE records (
        kind TEXT NOT NULL,
        id TEXT NOT NULL,
        content TEXT NOT NULL,
        exp INTEGER,
        PRIMARY KEY (kind, id)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE views (
        schema TEXT NOT NULL,
        name TEXT NOT NULL,
        columns TEXT NOT NULL,
        query TEXT NOT NULL,
        PRIMARY KEY (schema, name)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX records_exp ON records (exp) WHERE exp IS NOT NULL;
    `,
    everyFile: `
      CREATE TABLE entry_counts (cache INTEGER PRIMARY KEY, entries INTEGER NOT NULL) STRICT;
      CREATE TABLE counters (name ANY PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    `,
  },
  {
    // A counter may have a deadline in ms since 1970.
    //
    // An import's position is in the same file as its rows, so that one commit stores both; likewise the result of a
    // request with an idempotency key and its change. A row has one or more keys (idempotency-records.ts), and `count`
    // is their number. The index of the keys is in memory (writer/key-index.ts).
    //
    // The change feed (storage/feed-tables.ts) is in the same file as the changes, so that one commit stores both. Its
    // last row stays, so that no position is reused.
    everyFile: `
      ALTER TABLE counters ADD COLUMN exp INTEGER;
      CREATE INDEX counters_exp ON counters (exp) WHERE exp IS NOT NULL;
      CREATE TABLE imports (
        owner TEXT NOT NULL,
        id TEXT NOT NULL,
        parameters TEXT NOT NULL,
        header TEXT,
        state TEXT NOT NULL,
        rows INTEGER NOT NULL,
        skipped INTEGER NOT NULL,
        rejected INTEGER NOT NULL,
        offset INTEGER NOT NULL,
        line INTEGER NOT NULL,
        errors TEXT NOT NULL,
        updated INTEGER NOT NULL,
        PRIMARY KEY (owner, id)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE idempotency_keys (
        position INTEGER PRIMARY KEY,
        exp INTEGER NOT NULL,
        count INTEGER NOT NULL,
        keys TEXT NOT NULL
      ) STRICT;
      CREATE TABLE feed_file (id TEXT NOT NULL) STRICT;
      CREATE TABLE feed_shapes (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        cache INTEGER NOT NULL,
        definition TEXT NOT NULL,
        ended INTEGER
      ) STRICT;
      CREATE TABLE feed (
        position INTEGER PRIMARY KEY,
        total INTEGER NOT NULL,
        shape INTEGER NOT NULL,
        operation INTEGER NOT NULL,
        at INTEGER NOT NULL,
        kt INTEGER,
        k ANY,
        vt INTEGER,
        v ANY,
        exp INTEGER,
        ovt INTEGER,
        ov ANY
      ) STRICT;
    `,
  },
  {
    // All equal keys have one form, and the declared fields of all objects are in columns.
    convert(database) {
      convertKeys(database);
      convertObjects(database);
    },
  },
];

export const SCHEMA_VERSION = MIGRATIONS.length;

/** A file's schema version before and after its migration. */
export interface Migrated {
  readonly from: number;
  readonly to: number;
}

/**
 * Migrates a folder's data file to the current version, or creates its tables, and records the program's version.
 * Throws SCHEMA_NEWER, with both versions, for a file that a newer program has migrated. A failed migration
 * changes nothing.
 */
export function migrateDataFile(
  database: Database,
  folder: string,
  programVersion: string,
  migrations: readonly Migration[] = MIGRATIONS,
): Migrated {
  const from = checkSchemaVersion(database, folder, programVersion, migrations);
  const to = migrations.length;
  database
    .transaction(() => {
      for (const { dataFile, everyFile, convert } of migrations.slice(from)) {
        run(database, dataFile, everyFile);
        convert?.(database);
      }
      if (from !== to) database.run(`PRAGMA user_version = ${to}`);
      if (readSetting(database, 'programVersion') !== programVersion) {
        writeSetting(database, 'programVersion', programVersion);
      }
    })
    .immediate();
  return { from, to };
}

/** Number of entries whose conversion at startup takes a second or more. */
export const LONG_START_ENTRIES = 50_000;

/** Whether migrating a data file takes long. */
export function isMigrationLong(database: Database): boolean {
  const version = schemaVersionOf(database);
  if (version === 0 || version >= SCHEMA_VERSION) return false;
  const row = database.query<{ entries: number }, []>('SELECT total(entries) AS entries FROM entry_counts').get();
  return (row?.entries ?? 0) >= LONG_START_ENTRIES;
}

/** Returns the schema version of the data file of a folder. Throws SCHEMA_NEWER. */
export function checkSchemaVersion(
  database: Database,
  folder: string,
  programVersion: string,
  migrations: readonly Migration[] = MIGRATIONS,
): number {
  const version = schemaVersionOf(database);
  if (version <= migrations.length) return version;
  throw gridError('SCHEMA_NEWER', folder, version, writerOf(database), programVersion, migrations.length);
}

/** Migrates a non-persistent region's file to the current version, or creates its tables. */
export function migrateRegionFile(database: Database, migrations: readonly Migration[] = MIGRATIONS): void {
  const from = schemaVersionOf(database);
  if (from === migrations.length) return;
  database
    .transaction(() => {
      for (const { everyFile } of migrations.slice(from)) run(database, everyFile);
      database.run(`PRAGMA user_version = ${migrations.length}`);
    })
    .immediate();
}

/** Returns the schema version of a database file, or 0 for an empty one. */
export function schemaVersionOf(database: Database): number {
  return Number(database.query<{ user_version: bigint }, []>('PRAGMA user_version').get()?.user_version ?? 0);
}

/**
 * Throws DATA_FILE_EMPTY if an open data file is empty although the folder has had a complete one: its log had
 * everything, and is damaged or gone. The rest of the log then stays when the connection is closed.
 */
export function checkContents(database: Database, folder: string, isCreated: boolean): void {
  if (!isCreated || schemaVersionOf(database) > 0) return;
  database.run('PRAGMA journal_size_limit = -1');
  database.fileControl(constants.SQLITE_FCNTL_PERSIST_WAL, 1);
  throw gridError('DATA_FILE_EMPTY', folder);
}

/** Returns the version of the program that last opened a data file, or undefined if it did not record it (1.0.0). */
function writerOf(database: Database): string | undefined {
  try {
    return readSetting(database, 'programVersion');
  } catch {
    // A newer schema may store it elsewhere.
    return undefined;
  }
}

function run(database: Database, ...statements: ReadonlyArray<string | undefined>): void {
  for (const sql of statements) if (sql !== undefined) database.run(sql);
}
