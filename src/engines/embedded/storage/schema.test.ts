import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Migration, migrateDataFile, migrateRegionFile, SCHEMA_VERSION, schemaVersionOf } from './schema.ts';

const FIRST: Migration = {
  dataFile:
    'CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL); CREATE TABLE a (n); INSERT INTO a VALUES (1)',
  everyFile: 'CREATE TABLE shared (n)',
};
const SECOND: Migration = { dataFile: 'ALTER TABLE a ADD COLUMN m DEFAULT 7' };
const THIRD: Migration = { everyFile: 'ALTER TABLE shared ADD COLUMN m' };
const BROKEN: Migration = { dataFile: 'CREATE TABLE b (n); INSERT INTO missing VALUES (1)' };

const open = (): Database => new Database(':memory:', { safeIntegers: true });

function tablesOf(database: Database): unknown[] {
  return database.query("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY 1").values().flat();
}

describe('migrateDataFile', () => {
  test('creates the tables of an empty file', () => {
    const database = open();
    expect(migrateDataFile(database, 'folder', '1.0.0')).toEqual({ from: 0, to: SCHEMA_VERSION });
    expect(schemaVersionOf(database)).toBe(SCHEMA_VERSION);
    expect(tablesOf(database)).toContain('entry_counts');
  });

  test('runs the missing migrations in order, and each once', () => {
    const database = open();
    migrateDataFile(database, 'folder', '1', [FIRST]);
    expect(migrateDataFile(database, 'folder', '2', [FIRST, SECOND, THIRD])).toEqual({ from: 1, to: 3 });
    expect(migrateDataFile(database, 'folder', '2', [FIRST, SECOND, THIRD])).toEqual({ from: 3, to: 3 });
    expect(database.query('SELECT * FROM a').values()).toEqual([[1n, 7n]]);
    expect(database.query('SELECT n, m FROM shared').values()).toEqual([]);
    expect(database.query('SELECT value FROM settings').values()).toEqual([['2']]);
  });

  test('changes nothing when a migration fails', () => {
    const database = open();
    migrateDataFile(database, 'folder', '1', [FIRST]);
    expect(() => migrateDataFile(database, 'folder', '2', [FIRST, SECOND, BROKEN])).toThrow('missing');
    expect(schemaVersionOf(database)).toBe(1);
    expect(database.query('SELECT * FROM a').values()).toEqual([[1n]]);
    expect(database.query('SELECT value FROM settings').values()).toEqual([['1']]);
  });

  test('rejects a newer file with both versions', () => {
    const database = open();
    migrateDataFile(database, 'folder', '2.5.0', [FIRST, SECOND]);
    expect(() => migrateDataFile(database, '/data', '1.9.0', [FIRST])).toThrow(
      'newer program (2.5.0) and has schema version 2; this program (1.9.0) supports versions up to 1',
    );
    database.run('DROP TABLE settings');
    expect(() => migrateDataFile(database, '/data', '1.9.0', [FIRST])).toThrow('newer program and has');
  });
});

test('migrateRegionFile runs only what every file needs', () => {
  const database = open();
  migrateRegionFile(database, [FIRST]);
  expect(tablesOf(database)).toEqual(['shared']);
  migrateRegionFile(database, [FIRST, SECOND, THIRD]);
  expect(schemaVersionOf(database)).toBe(3);
  expect(database.query('SELECT n, m FROM shared').values()).toEqual([]);
});

/** Returns the schema version of a kept data folder (test/system/data-folders.test.ts opens them). */
function keptVersion(packed: string): number {
  const folder = mkdtempSync(join(tmpdir(), 'svc-schema-'));
  try {
    const path = join(folder, 'svc.db');
    writeFileSync(path, Bun.zstdDecompressSync(readFileSync(packed)));
    const database = new Database(path, { readwrite: true, create: false, safeIntegers: true });
    const version = schemaVersionOf(database);
    database.close(true);
    return version;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test('there is a kept data folder of every earlier schema version', () => {
  const kept = join(import.meta.dir, '../../../../test/fixtures/data-folders');
  const versions = readdirSync(kept, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => keptVersion(join(kept, name, 'svc.db.zst')));
  const earlier = Array.from({ length: SCHEMA_VERSION - 1 }, (_, at) => at + 1);
  expect(versions).toContain(1);
  expect(earlier.filter((version) => !versions.includes(version))).toEqual([]);
});
