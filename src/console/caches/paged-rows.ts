/** Stored rows that are read by pages, in any order of these. A bounded part is kept. */
import { batch, signal } from '@preact/signals';
import { messageOf } from '../requests/request.ts';
import { KeptPages, type Row } from '../rows/kept-pages.ts';
import type { Column, RowSource } from '../rows/row-source.ts';
import type { RowTexts } from './row-query.ts';

/** A page is parsed in a few milliseconds, so that scrolling stays smooth. */
export const PAGE_ROWS = 300;
/** A page is read again in milliseconds, so that keeping more would only take memory. */
const KEPT_BYTES = 16 * 1024 * 1024;
/** Rows beside those in view that are read before they are needed. */
const AHEAD_ROWS = 60;

interface FetchedPage {
  readonly rows: readonly Row[];
  readonly characters: number;
  /** How many rows there are, if the page tells. */
  readonly total: number | undefined;
  /** Whether it gets more rows when it is read again. */
  readonly isPartial?: boolean;
}

export abstract class PagedRows implements RowSource {
  readonly columns = signal<readonly Column[]>([]);
  readonly rowCount = signal(0);
  readonly isComplete = signal(false);
  readonly isReading = signal(false);
  readonly version = signal(0);
  readonly timeMs = signal<number | undefined>(undefined);
  /** How far reading has come, and what it leaves out, as users read it. */
  readonly progress = signal('');
  /** Why reading has stopped; empty while it has not. */
  readonly failure = signal('');
  /** How long the last page took. */
  lastReadMs = 0;
  protected readonly stop = new AbortController();
  readonly #pages = new KeptPages(PAGE_ROWS, KEPT_BYTES);
  /** Pages that were read since the last change. Others are shown until they are read again. */
  readonly #fresh = new Set<number>();
  /** How long the parts of the page took that is being read. */
  #partsMs = 0;

  /** Reads a page. Throws RequestError. */
  protected abstract fetchPage(index: number): Promise<FetchedPage>;
  /** Returns the number of all rows; undefined if it becomes known by reading them. Throws RequestError. */
  protected abstract countRows(): Promise<number | undefined>;
  protected abstract textsOf(row: Row): RowTexts;

  /** Reads the first page, and begins to count the rows. Throws RequestError. */
  async open(): Promise<void> {
    this.isReading.value = true;
    try {
      await this.#readPage(0);
    } finally {
      this.isReading.value = false;
    }
    if (!this.isComplete.peek()) void this.count();
  }

  row(index: number): Row | undefined {
    return this.#pages.row(index);
  }

  /** Returns the row at an index as texts by column; undefined if it is not kept. */
  texts(index: number): RowTexts | undefined {
    const row = this.row(index);
    return row && this.textsOf(row);
  }

  view(first: number, last: number): void {
    const mayRead = !this.isReading.peek() && this.failure.peek() === '' && !this.stop.signal.aborted;
    if (!mayRead) return;
    const wanted = this.#missing(first, last) ?? this.#missing(first - AHEAD_ROWS, last + AHEAD_ROWS);
    if (wanted !== undefined) void this.#read(() => this.#readPage(wanted));
  }

  /** Reads rows, however many, and returns them as texts, without those that are gone. Throws RequestError. */
  async load(indices: readonly number[]): Promise<readonly RowTexts[]> {
    const found: RowTexts[] = [];
    for (const index of indices) {
      if (this.row(index) === undefined) await this.#readPage(Math.floor(index / PAGE_ROWS));
      found.push(...[this.texts(index)].filter((each) => each !== undefined));
    }
    return found;
  }

  /** Reads the rows again, from those in view. What is known of them stays until then. */
  refresh(): void {
    this.forget();
    this.version.value++;
    void this.count();
  }

  /** Reads the rows again, first those around one of them; resolves when these are there. */
  async refreshAround(index: number): Promise<void> {
    this.forget();
    await this.#read(() => this.#readPage(Math.floor(index / PAGE_ROWS)));
    void this.count();
  }

  /** Cancels what runs. */
  close(): void {
    this.stop.abort();
  }

  /** Takes what was read for out of date. */
  protected forget(): void {
    this.#fresh.clear();
    this.failure.value = '';
  }

  /** Returns a page that was read since the last change. */
  protected freshPage(index: number): readonly Row[] | undefined {
    return this.#fresh.has(index) ? this.#pages.page(index) : undefined;
  }

  /** Counts the rows. Where that fails, for example by its time limit, their number becomes known by reading them. */
  protected async count(): Promise<void> {
    try {
      const count = await this.countRows();
      if (count === undefined) return;
      batch(() => {
        [this.rowCount.value, this.isComplete.value] = [count, true];
        this.version.value++;
      });
    } catch {
      this.isComplete.value = false;
    }
  }

  /** Returns the first page that is missing for a range of rows. */
  #missing(first: number, last: number): number | undefined {
    const end = this.isComplete.peek() ? Math.max(0, this.rowCount.peek() - 1) : this.rowCount.peek();
    for (let page = Math.floor(Math.max(0, first) / PAGE_ROWS); page * PAGE_ROWS <= Math.min(last, end); page++) {
      if (this.freshPage(page) === undefined) return page;
    }
    return undefined;
  }

  async #read(work: () => Promise<void>): Promise<void> {
    this.isReading.value = true;
    try {
      await work();
    } catch (error) {
      if (!this.stop.signal.aborted) this.failure.value = messageOf(error);
    } finally {
      this.isReading.value = false;
    }
  }

  async #readPage(index: number): Promise<void> {
    const beginMs = Date.now();
    const { rows, characters, total, isPartial = false } = await this.fetchPage(index);
    this.#partsMs += Date.now() - beginMs;
    this.lastReadMs = this.#partsMs;
    if (!isPartial) this.#partsMs = 0;
    const end = index * PAGE_ROWS + rows.length;
    batch(() => {
      const known = this.#pages.page(index)?.length ?? 0;
      // What was there before stays until as much is known again.
      if (!isPartial || rows.length > known) this.#pages.keep(index, rows, characters, index);
      if (!isPartial) this.#fresh.add(index);
      if (total !== undefined) [this.rowCount.value, this.isComplete.value] = [total, true];
      else if ((isPartial || rows.length === PAGE_ROWS) && end >= this.rowCount.peek()) {
        [this.rowCount.value, this.isComplete.value] = [end, false];
      }
      this.version.value++;
    });
  }
}
