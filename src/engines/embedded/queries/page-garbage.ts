/**
 * What pages leave behind: thousands of short texts where they are made, long ones where they are sent. The runtime
 * sees how much memory the machine has, and lets a hundred megabytes of them come together before it looks for any
 * (`bench/sql-under-load.ts` shows the memory of a service while big results are read).
 */
import { edenGC, fullGC } from 'bun:jsc';

const ROWS_OF_YOUNG = 20_000;
const YOUNG_OF_ALL = 10;

/** For the thread that makes pages. Young garbage costs nothing that can be measured to look for, all of it 5 ms. */
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

const SENT_CHARACTERS = 32 * 1024 * 1024;

/** For a thread that sends pages: its other requests wait for some 8 ms once in so many characters. */
export class SentGarbage {
  #characters = 0;

  /** So many characters of a page were handed on. */
  note(characters: number): void {
    this.#characters += characters;
    if (this.#characters < SENT_CHARACTERS) return;
    this.#characters = 0;
    fullGC();
  }
}
