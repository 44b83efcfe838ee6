/** The rows of a statement, read page by page through its cursor, of which a bounded part is kept. */
import { batch, signal } from '@preact/signals';
import { parseAsSent } from '../../client/exact-json.ts';
import { type Json, messageOf, type Parameters, send } from '../requests/request.ts';
import { KeptPages, type Row } from './kept-pages.ts';
import type { Column, RowSource } from './row-source.ts';
import { parameterText } from './value-input.ts';

interface FieldMetadata {
  readonly schemaName: string;
  readonly typeName: string;
  readonly fieldName: string;
  readonly fieldTypeName: string;
}

interface Page {
  readonly queryId: Cursor;
  readonly items: readonly (readonly Json[])[];
  readonly last: boolean;
  readonly fieldsMetadata: readonly FieldMetadata[] | null;
  /** With all its digits: 8.580 is a decimal. */
  readonly timeMs?: Json;
}

/** A page is parsed in a few milliseconds, so that scrolling stays smooth. */
export const PAGE_ROWS = 1_000;
/** Pages are kept up to this size; those farthest from what is shown are dropped first. */
const KEPT_BYTES = 50 * 1024 * 1024;
/** Pages that one request reads on the way to a page that was dropped. */
const SKIPPED_PAGES = 10;
/** Pages that are read again at once, so that scrolling back does not execute the statement for each. */
const PAGES_AGAIN = 20;
/** Whoever needs more rows exports them. */
export const MOST_ROWS = 1_100_000;
/** Rows before the end of what was read at which the next page is read. */
const AHEAD_ROWS = 200;
/** What follows the rows of a page has less. */
const END_CHARACTERS = 200;
const FEWER_ROWS = 'The result has fewer rows by now. Run the statement again.';

type Cursor = number | bigint;
/** A cursor, or the start of the statement, which has none yet. */
type Position = Cursor | 'start';

/** A statement with what it is executed with. */
export interface Statement {
  readonly sql: string;
  readonly args: ReadonlyArray<{ readonly type: string; readonly value: string }>;
  readonly schema: string;
}

/** Returns the parameters of a statement. */
export function parametersOf({ sql, args, schema }: Statement): Parameters {
  const numbered = args.flatMap(({ type, value }, index) => [
    [`arg${index + 1}`, type === 'null' ? '' : parameterText(type, value)],
    [`arg${index + 1}Type`, type],
  ]);
  return { qry: sql, ...Object.fromEntries(numbered), ...(schema !== '' && { cacheName: schema }) };
}

export class Result implements RowSource {
  readonly statement: Statement;
  readonly columns = signal<readonly Column[]>([]);
  /** Rows that have been read so far. */
  readonly rowCount = signal(0);
  readonly isComplete = signal(false);
  readonly isReading = signal(false);
  readonly timeMs = signal<number | undefined>(undefined);
  /** Why reading has stopped; empty while it has not. */
  readonly failure = signal('');
  /** Changes when rows arrive or are dropped. */
  readonly version = signal(0);
  readonly #pages = new KeptPages(PAGE_ROWS, KEPT_BYTES);
  readonly #stop = new AbortController();
  #cursor: Cursor | undefined;
  #shown = 0;

  constructor(statement: Statement) {
    this.statement = statement;
  }

  /** Executes the statement and reads the first page. Throws RequestError, or an AbortError when it is cancelled. */
  async open(): Promise<void> {
    this.isReading.value = true;
    try {
      const { page, characters } = await this.#request('qryfldexe', {
        ...parametersOf(this.statement),
        pageSize: PAGE_ROWS,
        statistics: true,
      });
      const columns = (page.fieldsMetadata ?? []).map(({ schemaName, typeName, fieldName, fieldTypeName }) => ({
        name: fieldName,
        type: fieldTypeName,
        schema: schemaName,
        table: typeName,
      }));
      batch(() => {
        this.columns.value = columns;
        this.timeMs.value = page.timeMs === undefined ? undefined : Number(page.timeMs);
        this.#cursor = page.last ? undefined : page.queryId;
        this.isComplete.value = page.last;
        this.#keep(0, page.items, characters);
        this.rowCount.value = page.items.length;
      });
    } finally {
      this.isReading.value = false;
    }
  }

  /** Reads the next page, unless one is being read, there is none, or a read has failed. */
  async readNext(): Promise<void> {
    if (!this.#mayRead() || this.isComplete.peek() || this.rowCount.peek() >= MOST_ROWS) return;
    await this.#read(async () => {
      const index = this.rowCount.peek() / PAGE_ROWS;
      const position = this.#cursor ?? (await this.#openAt(index));
      const { page, characters } = await this.#request(...this.#pageRequest(position, PAGE_ROWS));
      batch(() => {
        this.#keep(index, page.items, characters);
        this.rowCount.value += page.items.length;
        this.#cursor = page.last ? undefined : page.queryId;
        this.isComplete.value = page.last;
      });
    });
  }

  row(index: number): Row | undefined {
    return this.#pages.row(index);
  }

  view(first: number, last: number): void {
    this.#shown = Math.floor(first / PAGE_ROWS);
    if (last > this.rowCount.peek() - AHEAD_ROWS) void this.readNext();
    for (let index = first; index <= Math.min(last, this.rowCount.peek() - 1); index++) {
      if (this.row(index) !== undefined) continue;
      void this.reload(index);
      return;
    }
  }

  /** Reads pages around a row again that were dropped, through another cursor, unless a read runs or has failed. */
  async reload(index: number): Promise<void> {
    const wanted = Math.floor(index / PAGE_ROWS);
    if (!this.#mayRead() || this.#pages.has(wanted)) return;
    const last = Math.ceil(this.rowCount.peek() / PAGE_ROWS) - 1;
    // Whoever scrolls back needs the pages before, too: reading them one by one would skip all others each time.
    const first = Math.max(0, wanted - PAGES_AGAIN + 1);
    await this.#read(async () => {
      let position = await this.#openAt(first);
      try {
        for (let at = first; at <= Math.min(last, wanted + 1); at++) {
          const { page, characters } = await this.#request(...this.#pageRequest(position, PAGE_ROWS));
          position = page.last ? 'start' : page.queryId;
          if (page.items.length > 0 && !this.#pages.has(at)) this.#keep(at, page.items, characters);
          if (page.last) break;
        }
      } finally {
        if (position !== 'start') closeCursor(position);
      }
      if (!this.#pages.has(wanted)) throw new Error(FEWER_ROWS);
    });
  }

  /** Allows reads again after one has failed. */
  retry(): void {
    this.failure.value = '';
    this.version.value++;
  }

  /** Whether a read may begin. Nothing depends on it: a failed read must not be repeated by itself. */
  #mayRead(): boolean {
    return !this.isReading.peek() && this.failure.peek() === '' && !this.#stop.signal.aborted;
  }

  /** Does a read. Its failure is kept in {@link failure}, and no read begins until {@link retry}. */
  async #read(work: () => Promise<void>): Promise<void> {
    this.isReading.value = true;
    try {
      await work();
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      // Its cursor may be what has failed. The next read opens another one.
      if (this.#cursor !== undefined) closeCursor(this.#cursor);
      this.#cursor = undefined;
      this.failure.value = messageOf(error);
    } finally {
      this.isReading.value = false;
    }
  }

  /** Executes the statement again, up to a page. Does not parse the pages before. Throws if there are none so far. */
  async #openAt(index: number): Promise<Position> {
    let position: Position = 'start';
    for (let at = 0; at < index; ) {
      const pages = Math.min(SKIPPED_PAGES, index - at);
      const text: string = await this.#text(...this.#pageRequest(position, pages * PAGE_ROWS));
      const { isLast, queryId } = readEnds(text);
      if (isLast) throw new Error(FEWER_ROWS);
      if (position === 'start') position = queryId;
      at += pages;
    }
    return position;
  }

  #pageRequest(position: Position, pageSize: number): [cmd: string, params: Parameters] {
    return position === 'start'
      ? ['qryfldexe', { ...parametersOf(this.statement), pageSize }]
      : ['qryfetch', { qryId: position, pageSize }];
  }

  /** Cancels what runs and closes the cursor. */
  close(): void {
    this.#stop.abort();
    if (this.#cursor !== undefined) closeCursor(this.#cursor);
    this.#cursor = undefined;
  }

  /** Returns the rows that are kept, in order, at most `maximum`. */
  keptRows(maximum: number): Generator<Row> {
    return this.#pages.rows(maximum);
  }

  get keptBytes(): number {
    return this.#pages.bytes;
  }

  #keep(index: number, rows: readonly Row[], characters: number): void {
    this.#pages.keep(index, rows, characters, this.isReading.peek() ? index : this.#shown);
    this.version.value++;
  }

  async #request(cmd: string, params: Parameters): Promise<{ page: Page; characters: number }> {
    const text = await this.#text(cmd, params);
    return { page: (parseAsSent(text) as unknown as { readonly response: Page }).response, characters: text.length };
  }

  /** Returns the envelope of a page as text. Throws RequestError. */
  async #text(cmd: string, params: Parameters): Promise<string> {
    return (await send(cmd, params, this.#stop.signal)).text();
  }
}

/** Returns the members before and after the rows of a page. A quotation mark in a row is escaped. */
function readEnds(text: string): { readonly isLast: boolean; readonly queryId: bigint } {
  const [, queryId = ''] = /"queryId":(\d+)/.exec(text) ?? [];
  return { queryId: BigInt(queryId), isLast: text.slice(-END_CHARACTERS).includes('"last":true') };
}

/** Closes a cursor. One that is gone already needs nothing. */
function closeCursor(qryId: Cursor): void {
  send('qrycls', { qryId }, undefined).catch(() => {});
}
