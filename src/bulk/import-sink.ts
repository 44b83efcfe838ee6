/** An engine's part of imports: stores their records and their progress. */
import type { ImportRequest } from '../grid/bulk.ts';
import type { Progress, StoredImport } from './progress.ts';
import type { QueuedRecord } from './queued-records.ts';
import type { SourceField, SourceRecord, TargetColumns } from './records.ts';

/** The outcome of a record. `skipped`: its key exists, or its deadline has passed. With a reason, it was rejected. */
export type RecordResult = 'stored' | 'skipped' | { readonly reason: string };

/** The table or cache for which a source's records are converted. `Prepared`: a converted record. */
export interface RecordTarget<Prepared> {
  readonly columns: TargetColumns;
  /** Checks a source's columns. Throws IMPORT_COLUMN_REQUIRED. */
  checkColumns(names: readonly string[]): void;
  /** Converts a record. Throws an error for which `rejectionOf` has a reason. */
  prepare(fields: readonly SourceField[]): Prepared;
}

/** Receives the outcomes of records that are stored together. */
export interface ImportBatch {
  /** Counts a record. Returns false if it ends the import. */
  count(record: SourceRecord, result: RecordResult): boolean;
  /** Returns the import as of the counted records. */
  position(): StoredImport;
}

export interface StoredBatch {
  /** The index of the next record. */
  readonly next: number;
  /** Whether the stored records and those before them are on disk. */
  readonly isDurable: boolean;
}

/** Stores the records of one import. */
export interface ImportSink<Prepared = unknown> {
  readonly target: RecordTarget<Prepared>;
  /** Returns why an error rejects a record, or undefined for an error with another cause. */
  rejectionOf(error: unknown): string | undefined;
  /** Stores records from an index on, as many as the engine stores together. */
  store(queue: readonly QueuedRecord<Prepared>[], from: number, batch: ImportBatch): Promise<StoredBatch>;
  /** Stores the position after the last record of a body. Returns what is then on disk. */
  complete(position: StoredImport): Promise<Progress>;
  /** Stores the position of an import that an error has ended. Returns what is then on disk. */
  abort(position: StoredImport): Promise<Progress>;
  /** Called when the import has ended, or its host ends. */
  close(): void;
  /** Removes stored data of an import that will not be used. */
  discard?(): void;
}

/** An import that has been checked and can begin. */
export interface FoundImport {
  /** The import as earlier requests left it. */
  readonly stored: StoredImport | undefined;
  open(): Promise<ImportSink>;
}

/** The imports of an engine. */
export interface ImportStore {
  /** Throws the errors that an import fails with before anything else is known about it. */
  check(request: ImportRequest): void;
  /** Throws CACHE_NOT_FOUND, TABLE_NOT_FOUND and other errors of the engine. */
  find(request: ImportRequest): Promise<FoundImport>;
  /** Returns an owner's stored import. */
  read(owner: string, id: string): Promise<StoredImport | undefined>;
  /** Returns false if there is no such import. */
  remove(owner: string, id: string): Promise<boolean>;
}
