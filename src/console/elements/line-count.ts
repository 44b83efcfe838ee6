/** Counts the lines of text that arrives in parts: line feeds within quotation marks do not end a line. */
export class LineCount {
  count = 0;
  #isQuoted = false;

  add(part: Uint8Array): void {
    for (const byte of part) {
      if (byte === QUOTE) this.#isQuoted = !this.#isQuoted;
      else if (byte === LINE_FEED && !this.#isQuoted) this.count++;
    }
  }
}

const QUOTE = 0x22;
const LINE_FEED = 0x0a;
