/** Errors of DDL statements, which name no place in the statement. */
import { GridError } from '../../../base/errors.ts';
import { type SqlErrorDetails, type SqlErrorKey, sqlFailure } from '../../../sql/types/sql-errors.ts';
import { SQL_FAILURE_CODES } from '../../../sql/types/sql-failure.ts';

/** Returns the error `key` as clients see it: its sentence alone, without the statement and without its code. */
export function ddlFailure<K extends SqlErrorKey>(key: K, ...details: SqlErrorDetails<K>): GridError {
  const { kind, message } = sqlFailure(key, ...details);
  return new GridError(SQL_FAILURE_CODES[kind], message);
}

/** Returns the error of a declaration that the rules of caches reject, as an error of its statement. */
export function rejectedDeclaration(error: GridError): GridError {
  return new GridError('SQL', error.message, { cause: error });
}
