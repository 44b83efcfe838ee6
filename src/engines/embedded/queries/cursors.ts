/** The open queries of a query thread: pages, owners, idle time. A cursor keeps its rows' snapshot until it ends. */
import type { Clock } from '../../../base/clock.ts';
import { fail } from '../../../base/errors.ts';
import type { Column, RowFormat } from '../../../grid/grid.ts';
import { type PagePiece, THREADS_PER_ID } from './query-protocol.ts';
import { type RowShape, type RowWriter, rowWriter, type ValueReader } from './row-writers.ts';

/** Rows one after the other, and how to let go of what they need. */
export interface RowSource {
  readonly columns: readonly Column[];
  readonly shape: RowShape;
  /** Over rows of caches: it ends when the cluster becomes INACTIVE. */
  readonly overCaches: boolean;
  /** Reads the columns of the next row; undefined behind the last. */
  next(): ValueReader | undefined;
  /** Called before rows are read: from now on `ticket` cancels them. */
  resume(ticket: number): void;
  /** Moves the rest of the rows off the snapshot that it pins; false when there is nothing to gain. */
  detach(): boolean;
  close(): void;
}

interface Cursor {
  readonly id: number;
  readonly owner: string;
  readonly source: RowSource;
  /** The row that was read ahead to know whether there is one. */
  ahead: ValueReader | undefined;
  /** Rows that may still be given (`maxRows`). */
  allowance: number;
  usedMs: number;
  /** A page that is being sent in pieces. */
  page: { readonly writer: RowWriter; left: number; written: number } | undefined;
}

/** A page is sent in pieces of about this size. */
const PIECE_CHARACTERS = 128 * 1024;

export class Cursors {
  readonly #clock: Clock;
  readonly #thread: number;
  readonly #limit: number;
  readonly #idleMs: number;
  readonly #open = new Map<number, Cursor>();
  #last: number;

  /** `thread` is the number that ids carry; `limit` the most cursors that may be open. */
  constructor(clock: Clock, thread: number, limit: number, idleMs: number) {
    this.#clock = clock;
    this.#thread = thread;
    this.#limit = limit;
    this.#idleMs = idleMs;
    // Ids of an earlier life of this thread must not name cursors of this one.
    this.#last = Math.floor(clock.nowMs() / 1000) * 1024;
  }

  get size(): number {
    return this.#open.size;
  }

  /** The first page of `source`, which the cursor closes when it ends. A `pageSize` of 0 gives the columns only. */
  begin(source: RowSource, owner: string, pageSize: number, maxRows: number, format: RowFormat): PagePiece {
    if (this.#open.size >= this.#limit) {
      source.close();
      throw fail('CURSOR_LIMIT', this.#limit);
    }
    const cursor: Cursor = {
      id: ++this.#last * THREADS_PER_ID + this.#thread,
      owner,
      source,
      ahead: undefined,
      allowance: maxRows,
      usedMs: this.#clock.nowMs(),
      page: undefined,
    };
    this.#open.set(cursor.id, cursor);
    return this.#guarded(cursor, () => {
      if (cursor.allowance > 0) cursor.ahead = source.next();
      return this.#beginPage(cursor, pageSize, format, true);
    });
  }

  fetch(id: number, owner: string, pageSize: number, format: RowFormat, ticket: number): PagePiece {
    const cursor = this.#require(id, owner);
    cursor.source.resume(ticket);
    return this.#guarded(cursor, () => this.#beginPage(cursor, pageSize, format, false));
  }

  /** The next piece of the page that is being sent. */
  more(id: number, owner: string): PagePiece {
    const cursor = this.#require(id, owner);
    return this.#guarded(cursor, () => this.#writePiece(cursor, false));
  }

  /** Success also when there is none, or it is another owner's. */
  close(id: number, owner: string): void {
    const cursor = this.#open.get(id);
    if (cursor?.owner === owner) this.#end(cursor);
  }

  closeIdle(): void {
    const oldestMs = this.#clock.nowMs() - this.#idleMs;
    for (const cursor of this.#open.values()) if (cursor.usedMs < oldestMs) this.#end(cursor);
  }

  /** Frees snapshots that hold back the write-ahead log. */
  detachAll(): void {
    for (const cursor of this.#open.values()) this.#guarded(cursor, () => cursor.source.detach());
  }

  /** Ends every cursor for which `test` holds. */
  closeWhere(test: (source: RowSource) => boolean): void {
    for (const cursor of this.#open.values()) if (test(cursor.source)) this.#end(cursor);
  }

  /** Whether the cursor reads rows of caches; false when there is none. */
  overCaches(id: number): boolean {
    return this.#open.get(id)?.source.overCaches ?? false;
  }

  #require(id: number, owner: string): Cursor {
    const cursor = this.#open.get(id);
    if (cursor === undefined || cursor.owner !== owner) throw fail('QUERY_NOT_FOUND', id);
    cursor.usedMs = this.#clock.nowMs();
    return cursor;
  }

  #beginPage(cursor: Cursor, pageSize: number, format: RowFormat, first: boolean): PagePiece {
    // Lines are read by programs that take everything; only the envelope can tell how to go on.
    const left = format === 'json' ? pageSize : Number.POSITIVE_INFINITY;
    cursor.page = { writer: rowWriter(format, cursor.source.shape, cursor.source.columns), left, written: 0 };
    return this.#writePiece(cursor, first);
  }

  #writePiece(cursor: Cursor, first: boolean): PagePiece {
    const { page, source } = cursor;
    if (page === undefined) throw fail('QUERY_NOT_FOUND', cursor.id);
    const { writer } = page;
    let text = first ? writer.header : '';
    while (cursor.ahead !== undefined && page.left > 0 && text.length < PIECE_CHARACTERS) {
      if (page.written > 0) text += writer.separator;
      text += writer.write(cursor.ahead);
      page.written++;
      page.left--;
      cursor.allowance--;
      cursor.ahead = cursor.allowance > 0 ? source.next() : undefined;
    }
    const last = cursor.ahead === undefined;
    const more = !last && page.left > 0;
    if (!more && page.written > 0) text += writer.terminator;
    const piece: PagePiece = {
      queryId: cursor.id,
      columns: first ? source.columns : [],
      text,
      more,
      last,
      rowCount: page.written,
    };
    if (!more) cursor.page = undefined;
    if (last) this.#end(cursor);
    return piece;
  }

  /** A cursor whose statement failed is gone. */
  #guarded<T>(cursor: Cursor, action: () => T): T {
    try {
      return action();
    } catch (error) {
      this.#end(cursor);
      throw error;
    }
  }

  #end(cursor: Cursor): void {
    if (this.#open.delete(cursor.id)) cursor.source.close();
  }
}
