/**
 * Checks that SQLite supports what the engine needs: the runtime contains it, except on macOS, which brings its own.
 */
import type { Database } from 'bun:sqlite';
import { gridError } from '../../../base/errors.ts';

/** The version with `octet_length`, the newest function that statements use. */
const MIN_VERSION = '3.43.0';

/** Features that a library of any version can lack, each with a statement that needs it. */
const FEATURES: Readonly<Record<string, string>> = {
  'JSON functions': "SELECT count(*) FROM json_each('[]')",
  'window functions': 'SELECT row_number() OVER ()',
  'common table expressions': 'WITH t AS (SELECT 1) SELECT * FROM t',
  'fractions of seconds': "SELECT unixepoch('subsec')",
};

/** The library used by a process. */
export interface SqliteLibrary {
  readonly version: string;
  /** Runs a statement. Throws if the library cannot. */
  run(sql: string): void;
}

/** Returns the library of a connection. */
export function libraryOf(database: Database): SqliteLibrary {
  const { version } = database.query<{ version: string }, []>('SELECT sqlite_version() AS version').get() ?? {
    version: '',
  };
  return {
    version,
    run(sql) {
      using statement = database.prepare(sql);
      statement.get();
    },
  };
}

/** Throws SQLITE_UNSUITABLE if a library is too old or lacks a feature. */
export function checkLibrary(library: SqliteLibrary): void {
  if (isOlder(library.version, MIN_VERSION)) {
    throw gridError('SQLITE_UNSUITABLE', library.version, `${MIN_VERSION} is needed`);
  }
  const missing = Object.keys(FEATURES).filter((name) => !canRun(library, FEATURES[name] ?? ''));
  if (missing.length > 0) throw gridError('SQLITE_UNSUITABLE', library.version, `it lacks ${missing.join(', ')}`);
}

function canRun(library: SqliteLibrary, sql: string): boolean {
  try {
    library.run(sql);
    return true;
  } catch {
    return false;
  }
}

/** Compares versions such as 3.43.2 part by part. A string that is not a version is older than any. */
function isOlder(version: string, than: string): boolean {
  const parts = version.split('.').map(Number);
  for (const [index, least] of than.split('.').map(Number).entries()) {
    const part = parts[index] ?? 0;
    if (part !== least) return !(part > least);
  }
  return false;
}
