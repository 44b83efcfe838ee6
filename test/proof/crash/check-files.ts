/**
 * Checks the data file of a folder that no process has open, and prints one violation per line:
 * `bun check-files.ts FOLDER`. It runs in its own process because the service's process must not open database files
 * except through SQLite.
 */
import { Database } from 'bun:sqlite';
import { join } from 'node:path';

interface StoredCache {
  readonly id: bigint;
  readonly name: string;
  readonly definition: string;
}

interface StoredDefinition {
  readonly definition: { readonly persistent: boolean };
}

function checkFile(path: string): string[] {
  const database = new Database(path, { readwrite: true, create: false, safeIntegers: true });
  const violations: string[] = [];
  try {
    const report = database.query<{ integrity_check: string }, []>('PRAGMA integrity_check').all();
    for (const { integrity_check } of report) if (integrity_check !== 'ok') violations.push(integrity_check);
    violations.push(...checkCaches(database));
  } finally {
    database.close(true);
  }
  return violations;
}

/** Checks that caches and tables correspond, and that stored counts equal the numbers of rows. */
function checkCaches(database: Database): string[] {
  const violations: string[] = [];
  const caches = database
    .query<StoredCache, []>('SELECT id, name, definition FROM caches WHERE live = 1')
    .all()
    .filter(({ definition }) => (JSON.parse(definition) as StoredDefinition).definition.persistent);
  const tables = new Set(
    database
      .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .all()
      .map(({ name }) => name)
      .filter((name) => /^e\d+$/.test(name)),
  );
  const counts = database
    .query<{ cache: bigint; entries: bigint }, []>('SELECT cache, entries FROM entry_counts')
    .all();
  const counted = new Map(counts.map(({ cache, entries }) => [cache, entries]));
  for (const { id, name } of caches) {
    const table = `e${id}`;
    if (!tables.delete(table)) {
      violations.push(`the cache ${name} has no table`);
      continue;
    }
    const rows = database.query<{ rows: bigint }, []>(`SELECT count(*) AS rows FROM ${table} NOT INDEXED`).get()?.rows;
    const storedCount = counted.get(id) ?? 0n;
    if (rows !== storedCount) violations.push(`the cache ${name} has ${rows} rows and a count of ${storedCount}`);
  }
  for (const table of tables) violations.push(`the table ${table} belongs to no cache`);
  return violations;
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: bun check-files.ts FOLDER');
for (const violation of checkFile(join(folder, 'svc.db'))) process.stdout.write(`${violation}\n`);
