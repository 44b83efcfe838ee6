/** Counts the rows of a CSV or NDJSON stream as it passes. */

const LINE_FEED = 10;
const QUOTE = 34;

export class RowCounter {
  readonly #isCsv: boolean;
  #lines = 0;
  #isQuoted = false;

  constructor(format: 'csv' | 'ndjson') {
    this.#isCsv = format === 'csv';
  }

  /** Lines that have ended, without line breaks in quotes. The header of CSV is one of them. */
  get lines(): number {
    return this.#lines;
  }

  async *counting(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      this.#count(chunk);
      yield chunk;
    }
  }

  #count(chunk: Uint8Array): void {
    for (const byte of chunk) {
      // A doubled quote changes the state twice.
      if (byte === QUOTE && this.#isCsv) this.#isQuoted = !this.#isQuoted;
      else if (byte === LINE_FEED && !this.#isQuoted) this.#lines++;
    }
  }
}
