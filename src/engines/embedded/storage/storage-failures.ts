/** What SQLite reports of the disk, as the catalogue's errors. */
import { SQLiteError } from 'bun:sqlite';
import { fail, GridError } from '../../../base/errors.ts';

/** True when a row broke a rule of its table; only its own statement was undone. */
export function isConstraint(error: unknown): boolean {
  return error instanceof SQLiteError && primaryCode(error) === 'SQLITE_CONSTRAINT';
}

/** Returns true when a statement names a table that the snapshot of its connection does not have. */
export function isTableMissing(error: unknown): boolean {
  return error instanceof SQLiteError && error.message.startsWith('no such table');
}

/**
 * The failure that clients see. Errors that say nothing of the storage come back as they are.
 * `region`: the non-persistent region whose file it was, so that a full one can be named.
 */
export function storageFailure(
  error: unknown,
  region?: { readonly name: string; readonly maxSizeBytes: number | undefined },
): unknown {
  if (!(error instanceof SQLiteError)) return error;
  switch (primaryCode(error)) {
    case 'SQLITE_FULL':
      if (region?.maxSizeBytes !== undefined) return fail('REGION_FULL', region.name, region.maxSizeBytes);
      return fail('STORAGE_FULL');
    case 'SQLITE_READONLY':
    case 'SQLITE_PERM':
    case 'SQLITE_CANTOPEN':
      return withCause(fail('STORAGE_READ_ONLY'), error);
    case 'SQLITE_CORRUPT':
    case 'SQLITE_NOTADB':
      return withCause(fail('STORAGE_CORRUPT', error.message), error);
    case 'SQLITE_IOERR':
      return withCause(fail('STORAGE_FAILED', error.message), error);
    default:
      return error;
  }
}

/** What `read` gives; its failures are those that clients see. */
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

/** The code without its extension: SQLITE_IOERR for SQLITE_IOERR_FSYNC. */
function primaryCode(error: SQLiteError): string {
  return (error.code ?? '').split('_').slice(0, 2).join('_');
}
