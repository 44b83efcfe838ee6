/**
 * Collects the garbage of pages in the thread that sends them: the runtime sizes its heap by the machine's memory, and
 * hundreds of megabytes would accumulate.
 */
import { edenGC, fullGC } from 'bun:jsc';

/** Number of characters of sent pages per young collection, and of young collections per full one. */
const SENT_CHARACTERS = 4 * 1024 * 1024;
const YOUNG_PER_FULL_OF_SENT = 8;

/** For a thread that sends pages. Its other requests wait for each full collection. */
export class ResponseGarbage {
  #characters = 0;
  #young = 0;

  /** Records that `characters` of a page were sent. */
  note(characters: number): void {
    this.#characters += characters;
    if (this.#characters < SENT_CHARACTERS) return;
    this.#characters = 0;
    if (++this.#young % YOUNG_PER_FULL_OF_SENT === 0) fullGC();
    else edenGC();
  }
}
