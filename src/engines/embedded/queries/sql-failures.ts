/** Translates errors of statements into those that clients see. */
import { SQLiteError } from 'bun:sqlite';
import { GridError } from '../../../base/errors.ts';
import { sqlFailure } from '../../../sql/types/sql-errors.ts';
import { describeFailure, SQL_FAILURE_CODES, SqlFailure } from '../../../sql/types/sql-failure.ts';
import { storageFailure } from '../storage/storage-failures.ts';

/** Returns the error that a client sees for an error of `sql`. */
export function statementFailure(error: unknown, sql: string): unknown {
  if (error instanceof SqlFailure)
    return new GridError(SQL_FAILURE_CODES[error.kind], describeFailure(error, sql), { cause: error });
  const storage = storageFailure(error);
  if (storage instanceof SQLiteError) {
    // SQLite rejects an emitted text that is nested too deeply or has too many terms.
    const failure = sqlFailure('STATEMENT_NOT_RUNNABLE', storage.message);
    return new GridError('SQL', failure.message, { cause: error });
  }
  return storage;
}

/** Returns the result of `run`, and throws its errors as clients see them. */
export function withSqlErrors<T>(sql: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw statementFailure(error, sql);
  }
}
