/** Maps SQLite's errors to those in src/base/errors.ts. */
import { SQLiteError } from 'bun:sqlite';
import { GridError, gridError } from '../../../base/errors.ts';

/** Reports whether the error is a violated constraint, which rolls back only its own statement. */
export function isConstraint(error: unknown): boolean {
  return error instanceof SQLiteError && primaryCode(error) === 'SQLITE_CONSTRAINT';
}

/** Reports whether a statement names a table that does not exist in the snapshot of its connection. */
export function isTableMissing(error: unknown): boolean {
  return error instanceof SQLiteError && error.message.startsWith('no such table');
}

/**
 * Returns the error that clients see. Errors that are not SQLite's are returned unchanged. `region` is the
 * non-persistent region whose file caused the error, which REGION_FULL names.
 */
export function storageFailure(
  error: unknown,
  region?: { readonly name: string; readonly maxSizeBytes: number | undefined },
): unknown {
  if (!(error instanceof SQLiteError)) return error;
  switch (primaryCode(error)) {
    case 'SQLITE_FULL':
      if (region?.maxSizeBytes !== undefined) return gridError('REGION_FULL', region.name, region.maxSizeBytes);
      return gridError('STORAGE_FULL');
    case 'SQLITE_READONLY':
    case 'SQLITE_PERM':
    case 'SQLITE_CANTOPEN':
      return withCause(gridError('STORAGE_READ_ONLY'), error);
    case 'SQLITE_CORRUPT':
    case 'SQLITE_NOTADB':
      return withCause(gridError('STORAGE_CORRUPT', error.message), error);
    case 'SQLITE_IOERR':
      return withCause(gridError('STORAGE_FAILED', error.message), error);
    default:
      return error;
  }
}

/** Returns the result of `read`, and throws its errors as clients see them. */
export function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw storageFailure(error);
  }
}

function withCause(failure: GridError, cause: Error): GridError {
  return new GridError(failure.code, failure.message, { cause });
}

/** Returns the code without its extension: SQLITE_IOERR for SQLITE_IOERR_FSYNC. */
function primaryCode(error: SQLiteError): string {
  return (error.code ?? '').split('_').slice(0, 2).join('_');
}
