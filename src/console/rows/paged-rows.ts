/** Rows read in pages as they are scrolled into view. A bounded part is kept. */
import { batch, signal } from '@preact/signals';
import { formatValue } from '../elements/formats.ts';
import { isOutage } from '../requests/connection.ts';
import { CachedPages } from './cached-pages.ts';
import type { Column, Row, RowTexts } from './row.ts';
import { sqlTypeOf } from './sql-types.ts';
import { withoutZeros } from './time-texts.ts';

/** Number of rows read ahead around those in view. */
const AHEAD_ROWS = 60;

export interface FetchedPage {
  readonly rows: readonly Row[];
  readonly characters: number;
  /** The total number of rows, if the page has it. */
  readonly total: number | undefined;
  /** Whether it gets more rows when it is read again. */
  readonly isPartial?: boolean;
}

export abstract class PagedRows {
  readonly columns = signal<readonly Column[]>([]);
  /** Rows known so far. */
  readonly rowCount = signal(0);
  /** Whether {@link rowCount} is the number of all rows. */
  readonly isComplete = signal(false);
  readonly isReading = signal(false);
  /** Changes when rows arrive or are dropped. */
  readonly version = signal(0);
  readonly timeMs = signal<number | undefined>(undefined);
  /** The progress of reading and what it omits, as shown to users. */
  readonly progress = signal('');
  /** Why reading has stopped; empty if it has not. */
  readonly failure = signal('');
  /** How long the last page took. */
  lastReadMs = 0;
  protected readonly stop = new AbortController();
  readonly #pageRows: number;
  readonly #mostRows: number;
  readonly #pages: CachedPages;
  /** In which generation pages were read last, and whether as a whole. Those of older ones are shown until then. */
  readonly #readIn = new Map<number, { readonly generation: number; readonly isWhole: boolean }>();
  /** How often the rows read were marked as outdated. */
  #generation = 0;
  /** The generation when the rows began to be held; undefined if they are not. */
  #heldIn: number | undefined;
  /** The selected rows by position: their pages may be dropped, and reread with different rows. */
  #selected: ReadonlyMap<number, Row> = new Map();
  /** The requested rows: large values take long to write. */
  readonly #texts = new WeakMap<Row, RowTexts>();
  /** Whether to reread the rows when they are no longer held. */
  #isDue = false;
  /** Whether reading waits until the service is back. */
  #isInterrupted = false;
  /** How long the parts of the page being read took. */
  #partsMs = 0;
  /** Ends when no page is being read: pages are read one at a time. */
  #reads: Promise<unknown> = Promise.resolve();

  /** Keeps pages up to a size: those farthest from the one read last are dropped first. Reads at most `most` rows. */
  constructor(pageRows: number, keptBytes: number, most = Number.POSITIVE_INFINITY) {
    this.#pageRows = pageRows;
    this.#mostRows = most;
    this.#pages = new CachedPages(pageRows, keptBytes);
  }

  /** Reads a page. Throws SvcError. */
  protected abstract fetchPage(index: number): Promise<FetchedPage>;
  /** Returns the number of all rows, or undefined if it becomes known by reading them. Throws SvcError. */
  protected async countRows(): Promise<number | undefined> {
    return undefined;
  }

  protected textsOf(row: Row): RowTexts {
    return Object.fromEntries(
      this.columns.peek().map(({ name, type }, at) => {
        const value = row[at] ?? null;
        return [name, value === null ? null : withoutZeros(sqlTypeOf(type).argument, formatValue(value))];
      }),
    );
  }

  /** Reads the first page, and begins to count the rows. Throws SvcError. */
  async open(): Promise<void> {
    this.isReading.value = true;
    try {
      await this.#readPage(0);
    } finally {
      this.isReading.value = false;
    }
    if (!this.isComplete.peek()) void this.count();
  }

  /** Returns a kept row, or undefined for others. */
  row(index: number): Row | undefined {
    return this.#selected.get(index) ?? this.#pages.row(index);
  }

  /** Returns the rows that are kept, in order, at most `maximum`. */
  cachedRows(maximum: number): Generator<Row> {
    return this.#pages.rows(maximum);
  }

  get keptBytes(): number {
    return this.#pages.bytes;
  }

  /** Returns the row at an index as texts by column, or undefined if it is not kept. */
  texts(index: number): RowTexts | undefined {
    const row = this.row(index);
    if (row === undefined) return undefined;
    const texts = this.#texts.get(row) ?? this.textsOf(row);
    this.#texts.set(row, texts);
    return texts;
  }

  /** Starts reading the missing rows in view, unless a read is running or has failed. */
  view(first: number, last: number): void {
    const mayRead = !this.isReading.peek() && this.failure.peek() === '' && !this.#isInterrupted;
    if (!mayRead || this.stop.signal.aborted) return;
    const wanted = this.#missing(first, last) ?? this.#missing(first - AHEAD_ROWS, last + AHEAD_ROWS);
    if (wanted !== undefined) void this.#read(() => this.#readPage(wanted));
  }

  /** Reads rows, however many, and returns them as texts, without those that are gone. Throws SvcError. */
  async load(indices: readonly number[]): Promise<readonly RowTexts[]> {
    const found: RowTexts[] = [];
    for (const index of indices) {
      if (this.row(index) === undefined) await this.#readPage(Math.floor(index / this.#pageRows));
      found.push(...[this.texts(index)].filter((each) => each !== undefined));
    }
    return found;
  }

  /** Reads the rows again: now, or when they are no longer held. */
  refresh(): void {
    this.#isDue = this.#heldIn !== undefined;
    if (!this.#isDue) this.readAgain();
  }

  /** Rereads the rows, starting with those in view. The known rows stay until then. */
  readAgain(): void {
    this.forget();
    this.version.value++;
    void this.count();
  }

  /**
   * Sets whether rows keep their places, because the user has selected some or is changing one; refreshes wait.
   * Selected rows also stay unchanged.
   */
  hold(isHeld: boolean, selected: ReadonlySet<number>): void {
    const known = [...selected].flatMap((index) => {
      const row = this.row(index);
      return row === undefined ? [] : [[index, row] as const];
    });
    this.#selected = new Map(known);
    if (isHeld === (this.#heldIn !== undefined)) return;
    this.#heldIn = isHeld ? this.#generation : undefined;
    if (isHeld) return;
    if (this.#isDue) this.refresh();
    else this.version.value++;
  }

  /** Reads the rows again, first those around one of them; resolves when these are there. */
  async refreshAround(index: number): Promise<void> {
    this.forget();
    await this.#read(() => this.#readPage(Math.floor(index / this.#pageRows)));
    void this.count();
  }

  /** Allows reads again after one has failed. */
  retry(): void {
    this.failure.value = '';
    this.version.value++;
  }

  /** Resumes reading when the service is back. */
  resume(): void {
    if (!this.#isInterrupted) return;
    this.#isInterrupted = false;
    this.version.value++;
  }

  /** Cancels running requests. */
  close(): void {
    this.stop.abort();
  }

  /** Marks the rows read as outdated. */
  protected forget(): void {
    this.#generation++;
    this.#isInterrupted = false;
    this.failure.value = '';
  }

  /** Returns a page that was read since the last change. */
  protected freshPage(index: number): readonly Row[] | undefined {
    const read = this.#readIn.get(index);
    return read?.isWhole === true && read.generation === this.#generation ? this.#pages.page(index) : undefined;
  }

  /** Whether a generation's page would put different rows into the places of held ones. */
  #isHeld(index: number, generation: number): boolean {
    if (this.#heldIn === undefined || generation > this.#heldIn || this.#pages.page(index) === undefined) return false;
    return this.#readIn.get(index)?.generation !== generation;
  }

  /** Counts the rows. Where that fails, for example by its time limit, their number becomes known by reading them. */
  protected async count(): Promise<void> {
    const generation = this.#generation;
    try {
      const count = await this.countRows();
      if (count === undefined || generation !== this.#generation) return;
      if ([...this.#readIn.keys()].some((index) => this.#isHeld(index, generation))) {
        this.#isDue = true;
        return;
      }
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
    const rows = this.#pageRows;
    const end = this.isComplete.peek() ? Math.max(0, this.rowCount.peek() - 1) : this.rowCount.peek();
    const lastRow = Math.min(last, end, this.#mostRows - 1);
    for (let page = Math.floor(Math.max(0, first) / rows); page * rows <= lastRow; page++) {
      if (this.freshPage(page) === undefined && !this.#isHeld(page, this.#generation)) return page;
    }
    return undefined;
  }

  async #read(work: () => Promise<void>): Promise<void> {
    this.isReading.value = true;
    try {
      await work();
    } catch (error) {
      if (isOutage(error)) this.#isInterrupted = true;
      else if (!this.stop.signal.aborted) this.failure.value = error instanceof Error ? error.message : String(error);
    } finally {
      this.isReading.value = false;
    }
  }

  async #readPage(index: number): Promise<void> {
    const beginMs = Date.now();
    let generation = this.#generation;
    const read = this.#reads.then(() => {
      generation = this.#generation;
      return this.fetchPage(index);
    });
    this.#reads = read.catch(() => {});
    const page = await read;
    this.#partsMs += Date.now() - beginMs;
    this.lastReadMs = this.#partsMs;
    if (page.isPartial !== true) this.#partsMs = 0;
    this.keep(index, page, generation);
  }

  /** Keeps a page that a generation has read. If already outdated, it is shown until it is reread. */
  protected keep(index: number, page: FetchedPage, generation = this.#generation): void {
    if (this.#isHeld(index, generation)) return;
    const { rows, characters, total, isPartial = false } = page;
    const isFresh = generation === this.#generation;
    const end = index * this.#pageRows + rows.length;
    batch(() => {
      const known = this.#pages.page(index)?.length ?? 0;
      // The previous rows stay until as many are known again.
      if (!isPartial || rows.length > known) {
        this.#pages.keep(index, rows, characters, index);
        this.#readIn.set(index, { generation, isWhole: !isPartial });
      }
      if (total !== undefined && isFresh) [this.rowCount.value, this.isComplete.value] = [total, true];
      else if ((isPartial || rows.length === this.#pageRows) && end >= this.rowCount.peek()) {
        [this.rowCount.value, this.isComplete.value] = [end, false];
      }
      this.version.value++;
    });
  }
}
