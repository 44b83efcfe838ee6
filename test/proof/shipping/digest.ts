/** A digest of everything in a data file, which must equal that of a restored file. */
import { Database } from 'bun:sqlite';

/** The offset in a database's header of the two bytes that say how it is written (sqlite.org/fileformat2.html). */
const LOG_MODE_AT = 18;

/** Returns the digest of a database that is given by its pages. */
export function digestOfPages(pages: Uint8Array): string {
  const withoutLog = Buffer.from(pages);
  // A database in memory cannot have a write-ahead log.
  withoutLog.fill(1, LOG_MODE_AT, LOG_MODE_AT + 2);
  const database = Database.deserialize(withoutLog);
  try {
    return digestOf(database);
  } finally {
    database.close();
  }
}

/** Settings that a restore removes or adds. */
const CHANGED_SETTINGS = ['temporaryDir', 'restoredRegions'];

/** Returns a digest of all rows of all tables, except data that a restore changes on purpose. */
export function digestOf(database: Database): string {
  const hasher = new Bun.CryptoHasher('sha256');
  const schema = database.query<{ name: string; type: string; sql: string | null }, []>(
    'SELECT name, type, sql FROM sqlite_schema ORDER BY name',
  );
  for (const { name, type, sql } of schema.all()) {
    hasher.update(`${name} ${sql}\n`);
    if (type !== 'table' || name === 'feed_file') continue;
    const rows = database.query<Record<string, unknown>, []>(`SELECT * FROM "${name}"`);
    for (const row of rows.iterate()) {
      if (name === 'settings' && CHANGED_SETTINGS.includes(String(row.name))) continue;
      hasher.update(`${Bun.inspect(Object.values(row), { depth: 2 })}\n`);
    }
  }
  return hasher.digest('hex');
}
