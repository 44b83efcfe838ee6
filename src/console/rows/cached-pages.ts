/** Pages of rows. A bounded part is kept. */
import type { Row } from './row.ts';

interface KeptPage {
  readonly rows: readonly Row[];
  readonly bytes: number;
}

/** A parsed row takes about this many times the bytes of its text. */
const BYTES_PER_CHARACTER = 3;

export class CachedPages {
  readonly #pageRows: number;
  readonly #mostBytes: number;
  readonly #pages = new Map<number, KeptPage>();
  #bytes = 0;

  constructor(pageRows: number, mostBytes: number) {
    this.#pageRows = pageRows;
    this.#mostBytes = mostBytes;
  }

  /** Returns a row that is kept, or undefined for one that was dropped. */
  row(index: number): Row | undefined {
    return this.page(Math.floor(index / this.#pageRows))?.[index % this.#pageRows];
  }

  page(index: number): readonly Row[] | undefined {
    return this.#pages.get(index)?.rows;
  }

  /** Keeps a page, and evicts those farthest from page `center` while over the byte limit. */
  keep(index: number, rows: readonly Row[], characters: number, center: number): void {
    const bytes = characters * BYTES_PER_CHARACTER;
    this.#bytes += bytes - (this.#pages.get(index)?.bytes ?? 0);
    this.#pages.set(index, { rows, bytes });
    while (this.#bytes > this.#mostBytes && this.#pages.size > 2) {
      const farthest = [...this.#pages.keys()].reduce((a, b) => (Math.abs(b - center) > Math.abs(a - center) ? b : a));
      this.#bytes -= this.#pages.get(farthest)?.bytes ?? 0;
      this.#pages.delete(farthest);
    }
  }

  /** Returns the rows that are kept, in order, at most `maximum`. */
  *rows(maximum: number): Generator<Row> {
    let count = 0;
    for (const [, { rows }] of [...this.#pages].sort(([a], [b]) => a - b)) {
      for (const row of rows) {
        if (count++ >= maximum) return;
        yield row;
      }
    }
  }

  get bytes(): number {
    return this.#bytes;
  }
}
