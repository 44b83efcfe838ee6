/** Creates the system tables of the data file, and migrates older files. */
import type { Database } from 'bun:sqlite';
import { fail } from '../../../base/errors.ts';
import { FIRST_OBJECT_TYPE } from './value-storage.ts';

/**
 * Step n migrates a file of version n to n + 1. Never change a released step; add a new one. `entry_counts` and
 * `counters` are in every database file, because they share the lifetime of its region.
 */
const MIGRATIONS: readonly string[] = [
  `
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
];

/** Tables that every database file has, the data file and those of non-persistent regions. */
const REGION_TABLES = `
  CREATE TABLE IF NOT EXISTS entry_counts (cache INTEGER PRIMARY KEY, entries INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS counters (name ANY PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`;

export const SCHEMA_VERSION = MIGRATIONS.length;

/** Migrates the data file to the current version. Throws for a file of a newer version. */
export function migrate(database: Database): void {
  const row = database.query<{ user_version: bigint }, []>('PRAGMA user_version').get();
  const version = Number(row?.user_version ?? 0n);
  if (version > SCHEMA_VERSION) throw fail('SCHEMA_NEWER', version, SCHEMA_VERSION);
  database
    .transaction(() => {
      for (const step of MIGRATIONS.slice(version)) database.run(step);
      database.run(REGION_TABLES);
      if (version !== SCHEMA_VERSION) database.run(`PRAGMA user_version = ${SCHEMA_VERSION}`);
    })
    .immediate();
}

/** Prepares the file of a non-persistent region. */
export function prepareRegionFile(database: Database): void {
  database.run(REGION_TABLES);
}
