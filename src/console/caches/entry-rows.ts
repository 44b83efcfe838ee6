/** The entries of a cache, or some of them, as rows. */
import type { Row } from '../rows/kept-pages.ts';
import { ENTRY_COLUMNS, entryRow, entryTexts, type StoredEntry } from './entry-kind.ts';
import { PAGE_ROWS, PagedRows } from './paged-rows.ts';
import type { RowTexts } from './row-query.ts';

export interface EntryPart {
  readonly entries: readonly StoredEntry[];
  /** How long they were as text. */
  readonly characters: number;
  /** How many there are in all; undefined if more may follow. */
  readonly total: number | undefined;
}

/** Reads entries in an order that stays the same until it begins again. */
export interface EntryReader {
  /** Reads entries from a place. Throws RequestError. */
  read(from: number, count: number): Promise<EntryPart>;
  /** Returns the number of all entries; undefined if reading them tells it. Throws RequestError. */
  count(): Promise<number | undefined>;
  /** Begins again with the next read. */
  restart(): void;
  close(): void;
}

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
    const { entries, characters, total } = await this.#reader.read(index * PAGE_ROWS, PAGE_ROWS);
    return { rows: entries.map(entryRow), characters, total };
  }

  protected countRows(): Promise<number | undefined> {
    return this.#reader.count();
  }

  protected textsOf(row: Row): RowTexts {
    return entryTexts(row);
  }
}
