/** Entries of a cache as rows. */
import { PagedRows } from '../rows/paged-rows.ts';
import type { Row, RowTexts } from '../rows/row.ts';
import { ENTRY_COLUMNS, entryTexts } from './entry-kind.ts';
import { KEPT_BYTES, PAGE_ROWS } from './stored-rows.ts';

export abstract class EntryRows extends PagedRows {
  constructor() {
    super(PAGE_ROWS, KEPT_BYTES);
    this.columns.value = ENTRY_COLUMNS.map((column) => ({ ...column, schema: '', table: '' }));
  }

  protected override textsOf(row: Row): RowTexts {
    return entryTexts(row);
  }
}
