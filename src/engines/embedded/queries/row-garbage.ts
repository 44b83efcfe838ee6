/**
 * What rows leave behind: a page leaves thousands of short texts, and the runtime, which sees how much memory the
 * machine has, would let tens of megabytes of them come together before it looks for any. Looking for the young ones
 * costs nothing that can be measured, looking for all of them some milliseconds (`bench/sql-under-load.ts` shows the
 * memory of a service while big results are read).
 */
import { edenGC, fullGC } from 'bun:jsc';

const ROWS_OF_YOUNG = 20_000;
const YOUNG_OF_ALL = 10;

export class RowGarbage {
  #rows = 0;
  #young = 0;

  /** So many rows were written that nobody needs any more. */
  note(rows: number): void {
    this.#rows += rows;
    if (this.#rows < ROWS_OF_YOUNG) return;
    this.#rows = 0;
    if (++this.#young % YOUNG_OF_ALL === 0) fullGC();
    else edenGC();
  }
}
