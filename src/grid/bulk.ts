/** Imports and exports: many rows or entries from a source that arrives over time. */
import type { ByteSource } from '../base/byte-source.ts';
import { GridError } from '../base/errors.ts';
import type { Tenant } from '../base/shares.ts';
import type { Notation } from '../values/notation.ts';

/** The format of a source: CSV as in RFC 4180, or one JSON object per line. */
export type SourceFormat = 'csv' | 'ndjson';

/** The target of a source's records: rows of a table, or cache entries with typed keys and values. */
export type ImportTarget =
  | {
      readonly kind: 'table';
      /** The name as the client wrote it: `person`, `"Person"` or `PUBLIC.PERSON`. */
      readonly name: string;
      /** The cache whose schema an unqualified name belongs to. */
      readonly cache: string;
    }
  | {
      readonly kind: 'cache';
      readonly cache: string;
      /** Types of keys and values, for records that name none. If undefined, JSON implies them, and CSV has strings. */
      readonly keyType: string | undefined;
      readonly valueType: string | undefined;
      /** Time to live, in ms, of entries whose record has no deadline, or null for none. Defaults to the cache's. */
      readonly ttlMs?: bigint | null | undefined;
    };

/** What an import does with a record whose key exists. */
export type OnDuplicate = 'error' | 'replace' | 'skip';

/** How a source writes days and numbers; undefined where it writes them as svc does. */
export interface SourceForms {
  /** The order and the separators of a day, such as `dd.MM.yyyy`. */
  readonly dateFormat: string | undefined;
  readonly decimalSeparator: '.' | ',' | undefined;
  /** The character between thousands. */
  readonly thousands: string | undefined;
}

/** An import, as plain data. */
export interface ImportRequest {
  readonly target: ImportTarget;
  readonly owner: string;
  readonly tenant: Tenant;
  readonly format: SourceFormat;
  /** Identifies an import that spans several requests; if undefined, its position is not stored. */
  readonly id: string | undefined;
  /** CSV: the first record names the columns. */
  readonly header: boolean;
  /** CSV: the column names in field order, replacing the header's. */
  readonly columns: readonly string[] | undefined;
  readonly delimiter: string;
  readonly nullText: string;
  /** The forms of texts in columns of numbers, dates and timestamps; a table only. */
  readonly forms?: SourceForms | undefined;
  /** The column that receives the record number, from 1, or undefined for none. */
  readonly rowNumber: string | undefined;
  /** Columns of the source that are left out, or undefined for none. */
  readonly omit?: readonly string[] | undefined;
  readonly onDuplicate: OnDuplicate;
  /** `stop`: the first rejected record ends the import. `skip`: the others are imported. */
  readonly onError: 'stop' | 'skip';
  /** Whether the records become visible together at the end of the source, or none of them does. */
  readonly isAtomic: boolean;
  /** Where the body begins in the source, in bytes. */
  readonly offset: number;
  /** Whether the source ends with the body. Otherwise another request continues it. */
  readonly isLast: boolean;
}

/** How an export writes CSV. */
export interface ExportForm {
  /** Whether the first line names the columns. */
  readonly header: boolean;
  readonly delimiter: string;
  /** The text for NULL. Other fields with this text are quoted. */
  readonly nullText: string;
  /** How to write numbers and dates, if an import reads back the same values. */
  readonly notation?: Notation | undefined;
}

/** A record that was not stored. */
export interface RejectedRecord {
  /** The line on which it begins, from 1. */
  readonly line: number;
  readonly message: string;
}

/** The progress of an import that is already on disk. */
export interface ImportReport {
  readonly importId: string | null;
  /** `open`: more requests may continue it. */
  readonly state: 'open' | 'done';
  /** Stored records. */
  readonly rows: number;
  /** Records that were not stored because their key existed or their deadline had passed. */
  readonly skipped: number;
  readonly rejected: number;
  /** Bytes and lines of the source up to the last record that was stored, skipped or rejected. */
  readonly offset: number;
  readonly line: number;
  /** The first rejected records. */
  readonly errors: readonly RejectedRecord[];
}

export interface Bulk {
  /**
   * Imports the records of a source until it ends. Throws {@link ImportFailure} with the progress stored by
   * then, and otherwise IMPORT_INVALID, IMPORT_CONFLICT, IMPORT_IN_USE, IMPORTS_BUSY, TABLE_NOT_FOUND,
   * CACHE_NOT_FOUND, INACTIVE, READ_ONLY.
   */
  importRows(request: ImportRequest, source: ByteSource): Promise<ImportReport>;
  /** Throws the error that an import fails with regardless of its source. Undefined if the engine rejects none. */
  checkSupport?(request: ImportRequest): void;
  /** Returns the progress of an import. Throws IMPORT_NOT_FOUND, even for another owner's import. */
  importState(id: string, owner: string): Promise<ImportReport>;
  /** Forgets an import that is not running; its rows remain. Throws IMPORT_NOT_FOUND, IMPORT_IN_USE. */
  discardImport(id: string, owner: string): Promise<void>;
}

/** An import that ended before its source. */
export class ImportFailure extends GridError {
  readonly report: ImportReport;

  constructor({ code, message }: Pick<GridError, 'code' | 'message'>, report: ImportReport) {
    super(code, message, { response: JSON.stringify(report) });
    this.report = report;
  }
}
