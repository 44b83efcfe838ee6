/**
 * Collects the garbage of pages and of imported records: thousands of short strings in the thread that writes or reads
 * them, and long ones in the thread that sends them. The runtime sizes its heap by the machine's memory and would let
 * them accumulate.
 */
import { edenGC, fullGC } from 'bun:jsc';

/** Number of written rows per young collection, and of young collections per full one. */
const ROWS_PER_YOUNG = 20_000;
const YOUNG_PER_FULL = 10;
/** Characters that are as much garbage as one row. */
const CHARACTERS_OF_ROW = 256;

/** For the thread that writes pages or reads records. Most collections are of young objects, which cost little. */
export class RowGarbage {
  #rows = 0;
  #young = 0;

  /** Notes that `rows` rows were written, or as many records stored, and are no longer needed. */
  note(rows: number): void {
    this.#rows += rows;
    if (this.#rows < ROWS_PER_YOUNG) return;
    this.#rows = 0;
    if (++this.#young % YOUNG_PER_FULL === 0) fullGC();
    else edenGC();
  }

  /** Notes that texts of so many characters are no longer needed. */
  noteCharacters(characters: number): void {
    this.note(Math.ceil(characters / CHARACTERS_OF_ROW));
  }
}

/** Characters of sent pages per young collection, and of young collections per full one. */
const SENT_CHARACTERS = 4 * 1024 * 1024;
const YOUNG_PER_FULL_OF_SENT = 8;

/** For a thread that sends pages. Its other requests wait for each full collection. */
export class ResponseGarbage {
  #characters = 0;
  #young = 0;

  /** Notes that `characters` of a page were sent. */
  note(characters: number): void {
    this.#characters += characters;
    if (this.#characters < SENT_CHARACTERS) return;
    this.#characters = 0;
    if (++this.#young % YOUNG_PER_FULL_OF_SENT === 0) fullGC();
    else edenGC();
  }
}
