/** All entries of a cache, in export order. */
import type { FetchedPage } from '../rows/paged-rows.ts';
import { entryRow } from './entry-kind.ts';
import { StreamedEntries } from './entry-rows.ts';
import { PAGE_ROWS } from './stored-rows.ts';

export class AllEntries extends StreamedEntries {
  protected async fetchPage(index: number): Promise<FetchedPage> {
    const { entries, characters, total } = await this.stream.read(index * PAGE_ROWS, PAGE_ROWS);
    return { rows: entries.map(entryRow), characters, total };
  }

  protected override countRows(): Promise<number> {
    return this.stream.size();
  }
}
