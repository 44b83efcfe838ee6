/** All entries of a cache, in the order of an export. */
import type { FetchedPage } from '../rows/paged-rows.ts';
import { entryRow } from './entry-kind.ts';
import { EntryRows } from './entry-rows.ts';
import type { EntryStream } from './entry-stream.ts';
import { PAGE_ROWS } from './stored-rows.ts';

export class AllEntries extends EntryRows {
  readonly #stream: EntryStream;

  constructor(stream: EntryStream) {
    super();
    this.#stream = stream;
  }

  override close(): void {
    super.close();
    this.#stream.close();
  }

  protected override forget(): void {
    super.forget();
    this.#stream.restart();
  }

  protected async fetchPage(index: number): Promise<FetchedPage> {
    const { entries, characters, total } = await this.#stream.read(index * PAGE_ROWS, PAGE_ROWS);
    return { rows: entries.map(entryRow), characters, total };
  }

  protected countRows(): Promise<number> {
    return this.#stream.size();
  }
}
