/** Translates errors of statements into those that clients see. */
import { SQLiteError } from 'bun:sqlite';
import { fail, GridError } from '../../../base/errors.ts';
import { sqlFailure } from '../../../base/sql-errors.ts';
import { describeFailure, positionOf, SQL_FAILURE_CODES, SqlFailure } from '../../../base/sql-failure.ts';
import type { Region } from '../../../grid/cache-rules.ts';
import { isTableMissing, storageFailure } from '../storage/storage-failures.ts';

/** Returns the error that a client sees for an error of `sql`. `region` is that of the table that it changes. */
export function statementFailure(error: unknown, sql: string, region?: Region): unknown {
  if (error instanceof SqlFailure) {
    const { argument } = error.place;
    return new GridError(SQL_FAILURE_CODES[error.kind], describeFailure(error, sql), {
      cause: error,
      position: positionOf(error, sql),
      parameter: argument === undefined ? undefined : `arg${argument}`,
    });
  }
  const storage = storageFailure(error, region);
  if (storage instanceof SQLiteError) {
    // SQLite rejects an emitted text that is nested too deeply or has too many terms.
    const failure = sqlFailure('STATEMENT_NOT_RUNNABLE', storage.message);
    return new GridError('SQL', failure.message, { cause: error });
  }
  return storage;
}

/**
 * Reports whether SQLite did not find a table that the statement's catalog has. That is so when the table has just been
 * dropped, and when SQLite cannot read the definitions of the file: running the statement again shows which.
 */
export function isTableLost(error: unknown): boolean {
  return error instanceof GridError && error.code === 'SQL' && isTableMissing(error.cause);
}

/** Reports whether SQLite rejected the text of a statement. */
export function isRejectedBySqlite(error: unknown): boolean {
  return error instanceof GridError && error.code === 'SQL' && error.cause instanceof SQLiteError;
}

/** Returns STORAGE_FAILED for a table that SQLite does not find a second time, and other errors unchanged. */
export function asStorageFailure(error: unknown): unknown {
  if (!isTableLost(error) || !(error instanceof GridError)) return error;
  return new GridError('STORAGE_FAILED', fail('STORAGE_FAILED', error.message).message, { cause: error });
}

/** Returns the result of `run`, and throws its errors as clients see them. */
export function withSqlErrors<T>(sql: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw statementFailure(error, sql);
  }
}
