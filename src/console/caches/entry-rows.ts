/** The entries of a cache, or some of them, as rows. */
import type { Row } from '../rows/kept-pages.ts';
import { ENTRY_COLUMNS, entryRow, entryTexts } from './entry-kind.ts';
import type { EntryReader } from './entry-reader.ts';
import { PAGE_ROWS, PagedRows } from './paged-rows.ts';
import type { RowTexts } from './row-query.ts';

export class EntryRows extends PagedRows {
  readonly #reader: EntryReader;

  constructor(reader: EntryReader) {
    super();
    this.#reader = reader;
    this.columns.value = ENTRY_COLUMNS.map((column) => ({ ...column, schema: '', table: '' }));
  }

  override close(): void {
    super.close();
    this.#reader.close();
  }

  protected override forget(): void {
    super.forget();
    this.#reader.restart();
  }

  protected async fetchPage(index: number) {
    const part = await this.#reader.read(index * PAGE_ROWS, PAGE_ROWS);
    const { entries, characters, total, isPartial = false, progress = '' } = part;
    this.progress.value = progress;
    return { rows: entries.map(entryRow), characters, total, isPartial };
  }

  protected countRows(): Promise<number | undefined> {
    return this.#reader.count();
  }

  protected textsOf(row: Row): RowTexts {
    return entryTexts(row);
  }
}
