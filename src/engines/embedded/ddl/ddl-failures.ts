/** Errors of DDL statements, which contain no location in the statement. */
import { GridError } from '../../../base/errors.ts';
import { type SqlErrorDetails, type SqlErrorKey, sqlFailure, sqlRemedy } from '../../../base/sql-errors.ts';
import { SQL_FAILURE_CODES, type SqlFailure } from '../../../base/sql-failure.ts';

/** Creates the error `key` as clients see it: the message alone, without the statement and without a code. */
export function ddlFailure<K extends SqlErrorKey>(key: K, ...details: SqlErrorDetails<K>): GridError {
  const { kind, message } = sqlFailure(key, ...details);
  return new GridError(SQL_FAILURE_CODES[kind], message, { remedy: sqlRemedy(key, ...details) });
}

/** Converts an SQL error to a definition's error. */
export function asDdlFailure({ kind, message }: SqlFailure): GridError {
  return new GridError(SQL_FAILURE_CODES[kind], message);
}

/** Converts a declaration error from the cache rules to a statement's error. */
export function rejectedDeclaration(error: GridError): GridError {
  return new GridError('SQL', error.message, { cause: error });
}
