/** The rows of a table, read by pages from the rows beside them. A bounded part is kept, and no cursor stays open. */
import { batch, signal } from '@preact/signals';
import { parseAsSent } from '../../client/exact-json.ts';
import { formatValue } from '../elements/formats.ts';
import { failureOf, type Json, messageOf, send } from '../requests/request.ts';
import { KeptPages, type Row } from '../rows/kept-pages.ts';
import { parametersOf } from '../rows/result.ts';
import type { Column, RowSource } from '../rows/row-source.ts';
import {
  countStatement,
  hasKeyset,
  type PageStart,
  pageStatement,
  positionStatement,
  type RowQuery,
  type RowTexts,
  rowByKeyStatement,
  type Statement,
} from './row-query.ts';

/** A page is parsed in a few milliseconds, so that scrolling stays smooth. */
const PAGE_ROWS = 300;
/** A page is read again in milliseconds, so that keeping more would only take memory. */
const KEPT_BYTES = 16 * 1024 * 1024;
/** Rows beside those in view that are read before they are needed. */
const AHEAD_ROWS = 60;

interface Answer {
  readonly rows: readonly Row[];
  readonly characters: number;
  readonly timeMs: number | undefined;
}

export class KeysetRows implements RowSource {
  readonly query: RowQuery;
  readonly columns = signal<readonly Column[]>([]);
  readonly rowCount = signal(0);
  readonly isComplete = signal(false);
  readonly isReading = signal(false);
  readonly version = signal(0);
  readonly timeMs = signal<number | undefined>(undefined);
  /** Why reading has stopped; empty while it has not. */
  readonly failure = signal('');
  readonly #pages = new KeptPages(PAGE_ROWS, KEPT_BYTES);
  /** Pages that were read since the last change. Others are shown until they are read again. */
  readonly #fresh = new Set<number>();
  readonly #stop = new AbortController();

  constructor(query: RowQuery) {
    this.query = query;
    const { schema, name: table } = query.table;
    this.columns.value = query.columns.map(({ name, type, sqlType }) => ({ name, type, sqlType, schema, table }));
  }

  /** Reads the first page, and begins to count the rows. Throws RequestError. */
  async open(): Promise<void> {
    this.isReading.value = true;
    try {
      await this.#readPage(0);
    } finally {
      this.isReading.value = false;
    }
    if (!this.isComplete.peek()) void this.#count();
  }

  row(index: number): Row | undefined {
    return this.#pages.row(index);
  }

  /** Returns the row at an index as texts by column; undefined if it is not kept. */
  texts(index: number): RowTexts | undefined {
    const row = this.row(index);
    return row && this.#textsOf(row);
  }

  view(first: number, last: number): void {
    const mayRead = !this.isReading.peek() && this.failure.peek() === '' && !this.#stop.signal.aborted;
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
    this.#fresh.clear();
    this.failure.value = '';
    this.version.value++;
    void this.#count();
  }

  /** Reads the rows again, first those around one of them; resolves when these are there. */
  async refreshAround(index: number): Promise<void> {
    this.#fresh.clear();
    this.failure.value = '';
    await this.#read(() => this.#readPage(Math.floor(index / PAGE_ROWS)));
    void this.#count();
  }

  /** Returns the index of the row with a key; undefined if there is none. Throws RequestError. */
  async indexOf(key: RowTexts): Promise<number | undefined> {
    const [row] = (await this.#execute(rowByKeyStatement(this.query, key), 1)).rows;
    if (row === undefined) return undefined;
    return this.#number(positionStatement(this.query, this.#textsOf(row)));
  }

  /** Cancels what runs. */
  close(): void {
    this.#stop.abort();
  }

  /** Returns the first page that is missing for a range of rows. */
  #missing(first: number, last: number): number | undefined {
    const end = this.isComplete.peek() ? this.rowCount.peek() - 1 : this.rowCount.peek();
    for (let page = Math.floor(Math.max(0, first) / PAGE_ROWS); page * PAGE_ROWS <= Math.min(last, end); page++) {
      if (!this.#fresh.has(page) || !this.#pages.has(page)) return page;
    }
    return undefined;
  }

  async #read(work: () => Promise<void>): Promise<void> {
    this.isReading.value = true;
    try {
      await work();
    } catch (error) {
      if (!this.#stop.signal.aborted) this.failure.value = messageOf(error);
    } finally {
      this.isReading.value = false;
    }
  }

  async #readPage(index: number): Promise<void> {
    const { answer, isBackward } = await this.#answerOf(index);
    const rows = isBackward ? [...answer.rows].reverse() : answer.rows;
    batch(() => {
      this.timeMs.value ??= answer.timeMs;
      this.#pages.keep(index, rows, answer.characters, index);
      this.#fresh.add(index);
      this.#noteEnd(index, rows.length);
      this.version.value++;
    });
  }

  /** Reads a page from the one before it or after it if there is one, or else by skipping rows. */
  async #answerOf(index: number): Promise<{ readonly answer: Answer; readonly isBackward: boolean }> {
    const read = async (start: PageStart) => this.#execute(pageStatement(this.query, start, PAGE_ROWS), PAGE_ROWS);
    const last = this.#neighbour(index - 1)?.[PAGE_ROWS - 1];
    if (last !== undefined) return { answer: await read({ after: this.#textsOf(last) }), isBackward: false };
    const next = index === 0 ? undefined : this.#neighbour(index + 1)?.[0];
    if (next !== undefined) {
      const answer = await read({ before: this.#textsOf(next) });
      // Rows were removed: those that are left have other places.
      if (answer.rows.length === PAGE_ROWS) return { answer, isBackward: true };
    }
    return { answer: await read({ skipped: index * PAGE_ROWS }), isBackward: false };
  }

  #neighbour(index: number): readonly Row[] | undefined {
    return hasKeyset(this.query) && this.#fresh.has(index) ? this.#pages.page(index) : undefined;
  }

  /** Notes how many rows there are, by a page and its length. */
  #noteEnd(index: number, length: number): void {
    const end = index * PAGE_ROWS + length;
    if (length < PAGE_ROWS) {
      // An empty page behind the end says nothing of the pages before it.
      if (length > 0 || index === 0) [this.rowCount.value, this.isComplete.value] = [end, true];
      else if (this.rowCount.peek() > end) void this.#count();
      else this.isComplete.value = true;
    } else if (end >= this.rowCount.peek()) {
      [this.rowCount.value, this.isComplete.value] = [end, false];
    }
  }

  /** Counts the rows. Where that fails, for example by its time limit, their number becomes known by reading them. */
  async #count(): Promise<void> {
    try {
      const count = await this.#number(countStatement(this.query));
      batch(() => {
        [this.rowCount.value, this.isComplete.value] = [count, true];
        this.version.value++;
      });
    } catch {
      this.isComplete.value = false;
    }
  }

  async #number(statement: Statement): Promise<number> {
    return Number((await this.#execute(statement, 1)).rows[0]?.[0] ?? 0);
  }

  #textsOf(row: Row): RowTexts {
    return Object.fromEntries(
      this.query.columns.map(({ name }, at) => {
        const value: Json | undefined = row[at];
        return [name, value === null || value === undefined ? null : formatValue(value)];
      }),
    );
  }

  async #execute(statement: Statement, rows: number): Promise<Answer> {
    // One row more, so that the service closes the cursor with the answer.
    const params = { ...parametersOf({ ...statement, schema: '' }), pageSize: rows + 1, statistics: true };
    const response = await send('qryfldexe', params, this.#stop.signal);
    const text = await response.text();
    const parsed = parseAsSent(text) as unknown as {
      readonly response: { readonly items: readonly Row[]; readonly timeMs?: number } | null;
      readonly error: string | null;
    };
    if (!response.ok || parsed.response === null) throw failureOf('qryfldexe', response, parsed.error);
    const { items, timeMs } = parsed.response;
    return { rows: items, characters: text.length, timeMs: timeMs === undefined ? undefined : Number(timeMs) };
  }
}
