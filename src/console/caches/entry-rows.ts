/** Entries of a cache as rows. */
import { PagedRows } from '../rows/paged-rows.ts';
import type { Row, RowTexts } from '../rows/row.ts';
import { ENTRY_COLUMNS, type EntryPart, entryTexts, type LineTest } from './entry-kind.ts';
import { KEPT_BYTES, PAGE_ROWS } from './stored-rows.ts';

/** Reads the entries, in export order. */
export interface EntrySource {
  /** Reads entries from a place. Those that cannot match are left out. Throws SvcError. */
  read(from: number, count: number, mayMatch?: LineTest): Promise<EntryPart>;
  /** Returns the number of all entries. Throws SvcError. */
  size(): Promise<number>;
  /** The next read starts from the beginning. */
  restart(): void;
  close(): void;
}

export abstract class EntryRows extends PagedRows {
  constructor() {
    super(PAGE_ROWS, KEPT_BYTES);
    this.columns.value = ENTRY_COLUMNS.map((column) => ({ ...column, schema: '', table: '' }));
  }

  protected override textsOf(row: Row): RowTexts {
    return entryTexts(row);
  }
}

/** Entries that are read from a stream, which closes with them. */
export abstract class StreamedEntries extends EntryRows {
  protected readonly stream: EntrySource;

  constructor(stream: EntrySource) {
    super();
    this.stream = stream;
  }

  override close(): void {
    super.close();
    this.stream.close();
  }

  protected override forget(): void {
    super.forget();
    this.stream.restart();
  }
}
