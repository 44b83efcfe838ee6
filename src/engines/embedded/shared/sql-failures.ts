/** Translates statement errors into those that clients see. */
import { SQLiteError } from 'bun:sqlite';
import { GridError, gridError } from '../../../base/errors.ts';
import { sqlFailure } from '../../../base/sql-errors.ts';
import { SqlFailure } from '../../../base/sql-failure.ts';
import type { Region } from '../../../grid/cache-rules.ts';
import { statementError } from '../../../sql/syntax/statement-error.ts';
import { isTableMissing, storageFailure } from '../storage/storage-failures.ts';

/** Returns the error that a client sees for an error of `sql`. `region` is the region of the table that it changes. */
export function statementFailure(error: unknown, sql: string, region?: Region): unknown {
  if (error instanceof SqlFailure) return statementError(error, sql);
  const storage = storageFailure(error, region);
  const refusal = storage instanceof SQLiteError ? refusalOf(storage) : undefined;
  return refusal === undefined ? storage : new GridError('SQL', refusal.message, { cause: error });
}

/**
 * SQLite's errors for statements that the dialect permits: they are too large, or values that are only known when rows
 * are read are invalid.
 */
const REFUSALS: ReadonlyArray<readonly [text: RegExp, failure: () => SqlFailure]> = [
  [
    /^Expression tree is too large|^Recursion limit|^parser stack overflow|nested too deep$/,
    () => sqlFailure('TOO_COMPLEX'),
  ],
  [/tables in a join$|^too many FROM clause terms/, tooLarge('it joins too many tables')],
  [/^too many arguments on function/, tooLarge('a call has too many arguments')],
  [/^too many columns/, tooLarge('its result has too many columns')],
  [/^too many terms in (ORDER|GROUP) BY/, tooLarge('ORDER BY or GROUP BY has too many expressions')],
  [/^too many terms in compound/, tooLarge('it combines too many queries')],
  [/^too many SQL variables/, tooLarge('it has too many values')],
  [/^too many references to/, tooLarge('it reads a table too often')],
  [/^string or blob too big/, tooLarge('a value is too long')],
  [/^frame (starting|ending) offset must be/, () => sqlFailure('WINDOW_FRAME', 'its numbers must not be negative')],
  [/^argument of ntile/, () => sqlFailure('WINDOW_ARGUMENT', 'NTILE')],
  [/^second argument to nth_value/, () => sqlFailure('WINDOW_ARGUMENT', 'NTH_VALUE')],
];

function tooLarge(what: string): () => SqlFailure {
  return () => sqlFailure('STATEMENT_TOO_LARGE', what);
}

/** Returns the corresponding error of the dialect, or undefined for an error that no statement may cause. */
function refusalOf({ message }: SQLiteError): SqlFailure | undefined {
  return REFUSALS.find(([text]) => text.test(message))?.[1]();
}

/** Returns SQLite's error for a statement: the error itself, or the cause of the error that clients see. */
function sqliteErrorOf(error: unknown): SQLiteError | undefined {
  const cause = error instanceof GridError && error.code === 'SQL' ? error.cause : error;
  return cause instanceof SQLiteError ? cause : undefined;
}

/**
 * Reports whether SQLite did not find a table that the statement's catalog has. This happens if the table has just been
 * dropped, and if SQLite cannot read the file's definitions: running the statement again shows which.
 */
export function isTableLost(error: unknown): boolean {
  return isTableMissing(sqliteErrorOf(error));
}

/** Reports whether SQLite rejected a statement's text. */
export function isRejectedBySqlite(error: unknown): boolean {
  return sqliteErrorOf(error) !== undefined;
}

/** Returns STORAGE_FAILED for a table that SQLite does not find a second time, and other errors unchanged. */
export function asStorageFailure(error: unknown): unknown {
  const lost = sqliteErrorOf(error);
  if (lost === undefined || !isTableLost(lost)) return error;
  return new GridError('STORAGE_FAILED', gridError('STORAGE_FAILED', lost.message).message, { cause: error });
}

/** Returns the result of `run`, and throws its errors as clients see them. */
export function withSqlErrors<T>(sql: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw statementFailure(error, sql);
  }
}
