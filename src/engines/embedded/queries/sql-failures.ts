/** Failures of statements as the catalogue's errors. */

import { SQLiteError } from 'bun:sqlite';
import { GridError } from '../../../base/errors.ts';
import { describeFailure, SqlFailure } from '../../../sql/types/sql-failure.ts';
import { storageFailure } from '../storage/storage-failures.ts';

const CODES = { statement: 'SQL', notFound: 'SQL_OBJECT_NOT_FOUND', conflict: 'SQL_CONFLICT' } as const;

/** The failure that the client sees for what running `sql` has thrown. */
export function statementFailure(error: unknown, sql: string): unknown {
  if (error instanceof SqlFailure)
    return new GridError(CODES[error.kind], describeFailure(error, sql), { cause: error });
  const storage = storageFailure(error);
  if (storage instanceof SQLiteError) {
    // A text that SQLite refuses though the front end wrote it: too deep, too many terms.
    return new GridError('SQL', `The statement cannot be run: ${storage.message}`, { cause: error });
  }
  return storage;
}

/** What `run` gives, with its failures as the client sees them. */
export function asStatement<T>(sql: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw statementFailure(error, sql);
  }
}
