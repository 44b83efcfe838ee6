/** The destination of an import's transactions: the rows of a table, or the entries of a cache. */

import { SqlFailure } from '../../../../base/sql-failure.ts';
import type { RecordTarget } from '../../../../bulk/import-sink.ts';
import { rejection } from '../../../../bulk/rejection.ts';
import { isConstraint } from '../../storage/storage-failures.ts';

/** The outcome of a record. `skipped`: its key exists, or its deadline has passed. */
export type Stored = 'stored' | 'skipped';

/** Stores the records of one import, on the importing thread's connection. `Prepared`: a converted record. */
export interface TransactionTarget<Prepared = unknown> extends RecordTarget<Prepared> {
  /** Number of the database. */
  readonly database: number;
  /** Called in each transaction before records are stored. Throws INACTIVE, READ_ONLY, STORAGE_LOW, IMPORT_CONFLICT. */
  begin(): void;
  /** Stores a record. An error of {@link rejectionOf} leaves the transaction as it was. */
  store(prepared: Prepared): Stored;
  /** Called in the transaction after the records; stores the number of entries. */
  end(): void;
  /** Called after the commit or the rollback. */
  committed(): void;
  rolledBack(): void;
  close(): void;
}

/** Returns why a record is rejected, or undefined for an error with another cause. */
export function rejectionOf(error: unknown): string | undefined {
  if (error instanceof SqlFailure) return error.message;
  if (isConstraint(error)) return 'another row has the same value in a unique index';
  return rejection(error);
}
