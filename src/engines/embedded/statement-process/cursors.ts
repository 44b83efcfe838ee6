/** The open cursors of a statement process: pages, owners, idle time. A cursor pins its snapshot until it closes. */
import type { Clock } from '../../../base/clock.ts';
import { gridError } from '../../../base/errors.ts';
import { EMBEDDED_BOUNDS } from '../../../base/limits.ts';
import { holderKey } from '../../../base/shared-usage.ts';
import { type Tenant, yieldsTo } from '../../../base/shares.ts';
import type { RowFormat } from '../../../grid/grid.ts';
import { type RowWriter, type RowWriterOf, rowWriter } from '../../../grid/row-writers.ts';
import type { Notation } from '../../../values/notation.ts';
import { finishJsonRows } from '../shared/json-rows.ts';
import type { SharedQueryState } from '../shared/shared-query-state.ts';
import {
  type ChunkRequest,
  type FetchRequest,
  type PageChunk,
  PROCESSES_PER_ID,
} from '../shared/statement-protocol.ts';
import type { RowBatch, RowSource, SourceRow } from './rows/row-sources.ts';
import type { StatementWatch } from './statement-watch.ts';

/** The request for the first page of a query. */
export interface PageRequest {
  readonly owner: string;
  readonly tenant: Tenant;
  readonly pageSize: number;
  /** Maximum number of rows in all pages together, or undefined for no maximum. */
  readonly maxRows: number | undefined;
  readonly format: RowFormat;
  /** How all pages write numbers and dates. */
  readonly notation?: Notation | undefined;
  /** Creates the writer of the rows instead of the usual one. */
  readonly createWriter?: RowWriterOf | undefined;
  readonly ticket: number;
}

export interface CursorsOptions {
  readonly clock: Clock;
  readonly queryState: SharedQueryState;
  /** Index of this process, which is part of its query ids. */
  readonly index: number;
  /** Maximum number of open cursors in all processes. */
  readonly limit: number;
  /** Growth of all processes beyond which an idle cursor is closed for each one opened, or 0 for any. */
  readonly memoryBytes: number;
  readonly residentBytes: () => number;
  readonly idleMs: number;
  /** Called when a user's cursor was closed to make room for one of a user with fewer. */
  readonly onEvicted: (owner: string) => void;
  /** Asks another process to call {@link Cursors.evict}. */
  readonly evictElsewhere: (holder: string) => void;
}

interface Cursor {
  readonly id: number;
  readonly owner: string;
  readonly tenant: Tenant;
  readonly source: RowSource;
  readonly createWriter: RowWriterOf;
  readonly watch: StatementWatch;
  /** Called when the cursor closes, with true after a failure. */
  readonly onEnd: (failed: boolean) => void;
  /**
   * The next row, read in advance to know whether the current page is the last; {@link IN_SOURCE} if the source has it.
   */
  ahead: SourceRow | typeof IN_SOURCE | undefined;
  /** The error that ended moving rows; the next fetch throws it. */
  failure: { readonly reason: unknown } | undefined;
  /** Rows that may still be returned. */
  allowance: number;
  usedMs: number;
  /** The page being sent in chunks. */
  page: Page | undefined;
}

interface Page {
  readonly format: RowFormat;
  readonly writer: RowWriter;
  left: number;
  written: number;
  /** A chunk being sent in parts. */
  unsent: UnsentChunk | undefined;
}

/** A chunk: the text of the rows, the text before and after them, and how many of their characters were sent. */
interface UnsentChunk {
  readonly chunk: PageChunk;
  readonly before: string;
  readonly after: string;
  sent: number;
}

const IN_SOURCE: unique symbol = Symbol('in source');

/** Approximate size of a page's chunks. */
const CHUNK_CHARACTERS = 128 * 1024;
/** A longer chunk, which has a long row, is sent in parts of this size, so that its text is kept only here. */
const PART_CHARACTERS = 1024 * 1024;
/** Of two longer rows, the second is read only after the first has been sent. */
const LONG_ROW_CHARACTERS = 512 * 1024;
/** This fraction of the cursors may be opened beyond the limit while another process closes one in exchange. */
const IN_EXCHANGE = 16;
/** Time per tick for moving rows off their snapshot, in ms. A single row may take longer. */
const DETACH_MS = 5;
/** Query ids that a process may issue per millisecond without colliding with those after a restart. */
const IDS_PER_MS = 16;

export class Cursors {
  readonly #options: CursorsOptions;
  readonly #open = new Map<number, Cursor>();
  #last: number;
  #detaching: Promise<void> | undefined;

  constructor(options: CursorsOptions) {
    this.#options = options;
    const { clock, queryState, index } = options;
    // Ids issued before a restart of this process must not identify its new cursors, even if the clock was set back.
    const lastOfThread = Math.floor(queryState.lastId(index) / PROCESSES_PER_ID);
    this.#last = Math.max(Math.floor(clock.nowMs()) * IDS_PER_MS, lastOfThread);
  }

  get size(): number {
    return this.#open.size;
  }

  /** Returns the id of the next query. */
  nextId(): number {
    const { queryState, index } = this.#options;
    const id = ++this.#last * PROCESSES_PER_ID + index;
    queryState.setLastId(index, id);
    return id;
  }

  /** Opens a cursor and returns its first page; for page size 0 only its columns. Calls `onEnd` when it closes. */
  begin(id: number, source: RowSource, watch: StatementWatch, request: PageRequest, onEnd: Cursor['onEnd']): PageChunk {
    const { clock } = this.#options;
    const cursor: Cursor = {
      id,
      owner: request.owner,
      tenant: request.tenant,
      source,
      createWriter:
        request.createWriter ?? ((format, shape, columns) => rowWriter(format, shape, columns, request.notation)),
      watch,
      onEnd,
      ahead: undefined,
      failure: undefined,
      allowance: request.maxRows ?? Number.POSITIVE_INFINITY,
      usedMs: clock.nowMs(),
      page: undefined,
    };
    this.#open.set(cursor.id, cursor);
    this.#count(cursor, 1);
    const chunk = this.#step(cursor, () => {
      source.nextRows?.(0, 0);
      cursor.ahead = nextOf(cursor);
      return this.#beginPage(cursor, request.pageSize, request.format, true);
    });
    this.#checkShare(cursor);
    return chunk;
  }

  /**
   * Checks the limit, unless the first page was the last. If all cursors are in use, the tenant with the most gives one
   * up. Throws CURSOR_LIMIT, USER_SHARE.
   */
  #checkShare(cursor: Cursor): void {
    if (!this.#open.has(cursor.id)) return;
    const { queryState, limit, evictElsewhere } = this.#options;
    const { shares } = queryState;
    const used = queryState.openCursors() - 1;
    if (used < limit) {
      this.#checkMemory(cursor, used + 1);
      return;
    }
    const { key, isAdministrator } = cursor.tenant;
    const own = shares.count(key) - 1;
    const most = shares.most();
    if (yieldsTo(most, { key: holderKey(key), isAdministrator }, own)) {
      if (this.evict(most.key)) return;
      if (used < limit + Math.ceil(limit / IN_EXCHANGE)) {
        evictElsewhere(most.key);
        return;
      }
    }
    this.#end(cursor);
    throw own >= used ? gridError('CURSOR_LIMIT', limit) : gridError('USER_SHARE', 'open cursors', own, limit);
  }

  /** Closes an idle cursor of the tenant with the most if many are open and the process has grown too much. */
  #checkMemory(cursor: Cursor, open: number): void {
    const { queryState, index, memoryBytes, residentBytes, evictElsewhere } = this.#options;
    if (memoryBytes === 0 || (this.#open.size > 1 && open <= EMBEDDED_BOUNDS.cursorsOfAnySize)) return;
    const grownBytes = queryState.grownByCursors(index, this.#open.size, residentBytes());
    if (open <= EMBEDDED_BOUNDS.cursorsOfAnySize || grownBytes <= memoryBytes) return;
    const { key } = queryState.shares.most();
    if (!this.evict(key, cursor)) evictElsewhere(key);
  }

  /**
   * Closes a holder's least recently used idle cursor in this process other than `except`. Returns false if
   * there is none.
   */
  evict(holder: string, except?: Cursor): boolean {
    let oldest: Cursor | undefined;
    for (const cursor of this.#open.values()) {
      const isIdle = cursor.page === undefined && cursor !== except;
      const isCandidate = isIdle && holderKey(cursor.tenant.key) === holder;
      if (isCandidate && (oldest === undefined || cursor.usedMs < oldest.usedMs)) oldest = cursor;
    }
    if (oldest === undefined) return false;
    this.#end(oldest);
    this.#options.queryState.cursorEvicted();
    this.#options.onEvicted(oldest.owner);
    return true;
  }

  /** Returns the key of a cursor's tenant: without authentication, all clients are one owner. */
  tenantOf({ queryId, owner }: Pick<FetchRequest, 'queryId' | 'owner'>): string {
    return this.#open.get(queryId)?.tenant.key ?? owner;
  }

  /** Returns the next page. Throws QUERY_NOT_FOUND, and QUERY_BUSY while a page is being sent. */
  fetch({ queryId, owner, pageSize, format, ticket }: FetchRequest): PageChunk {
    const cursor = this.#require(queryId, owner);
    if (cursor.page !== undefined) throw gridError('QUERY_BUSY', queryId);
    this.#checkFailure(cursor);
    cursor.watch.beginPage(ticket);
    return this.#step(cursor, () => this.#beginPage(cursor, pageSize, format, false));
  }

  /** Returns the next chunk of the page that is being sent. */
  more({ queryId, owner, ticket }: ChunkRequest): PageChunk {
    const cursor = this.#require(queryId, owner);
    if (cursor.watch.ticket !== ticket) throw gridError('QUERY_BUSY', queryId);
    this.#checkFailure(cursor);
    const unsent = cursor.page?.unsent;
    if (unsent !== undefined) return this.#send(cursor, unsent);
    return this.#step(cursor, () => this.#writeChunk(cursor, false));
  }

  /** Closes a cursor that failed between requests, and throws the reason. */
  #checkFailure(cursor: Cursor): void {
    if (cursor.failure === undefined) return;
    this.#end(cursor, true);
    throw cursor.failure.reason;
  }

  /** Closes the owner's cursor. Does nothing if there is none. */
  close(id: number, owner: string): void {
    const cursor = this.#open.get(id);
    if (cursor?.owner === owner) this.#end(cursor);
  }

  closeIdle(): void {
    const oldestMs = this.#options.clock.nowMs() - this.#options.idleMs;
    for (const cursor of this.#open.values()) if (cursor.usedMs < oldestMs) this.#end(cursor);
  }

  /** Frees the snapshots of all currently open cursors, so that the write-ahead log can be checkpointed. */
  detachAll(): Promise<void> {
    this.#detaching ??= this.#detach([...this.#open.values()]).finally(() => {
      this.#detaching = undefined;
    });
    return this.#detaching;
  }

  /** Closes every cursor for which `test` returns true. */
  closeWhere(test: (source: RowSource) => boolean): void {
    for (const cursor of this.#open.values()) if (test(cursor.source)) this.#end(cursor);
  }

  /** Reports whether the cursor reads caches; false if there is no such cursor. */
  overCaches(id: number): boolean {
    return this.#open.get(id)?.source.overCaches ?? false;
  }

  /**
   * Moves the cursors' rows to temporary files, in slices. Time and memory are bounded as for a page; the next fetch of
   * a cursor that exceeds them throws the reason.
   */
  async #detach(cursors: readonly Cursor[]): Promise<void> {
    const { clock } = this.#options;
    for (const cursor of cursors) {
      let isBegun = false;
      for (let detached = false; !detached && this.#open.has(cursor.id) && cursor.failure === undefined; ) {
        if (isBegun) cursor.watch.resume();
        else cursor.watch.beginPage(cursor.watch.ticket);
        isBegun = true;
        const endMs = clock.monotonicMs() + DETACH_MS;
        try {
          detached = this.#work(cursor, () => cursor.source.detach(() => clock.monotonicMs() >= endMs));
        } catch (reason) {
          cursor.failure = { reason };
          cursor.source.close();
        }
        await new Promise<void>((resolve) => clock.nextTick(resolve));
      }
    }
  }

  #require(id: number, owner: string): Cursor {
    const cursor = this.#open.get(id);
    if (cursor === undefined || cursor.owner !== owner) throw gridError('QUERY_NOT_FOUND', id);
    cursor.usedMs = this.#options.clock.nowMs();
    return cursor;
  }

  #beginPage(cursor: Cursor, pageSize: number, format: RowFormat, first: boolean): PageChunk {
    // Line-based formats have a single page, because only the JSON envelope contains a query id.
    const left = format === 'json' ? pageSize : Number.POSITIVE_INFINITY;
    const { shape, columns } = cursor.source;
    const writer = cursor.createWriter(format, shape, columns);
    cursor.page = { format, writer, left, written: 0, unsent: undefined };
    return this.#writeChunk(cursor, first);
  }

  #writeChunk(cursor: Cursor, first: boolean): PageChunk {
    const { page, source } = cursor;
    if (page === undefined) throw gridError('QUERY_NOT_FOUND', cursor.id);
    const { writer, format } = page;
    const texts: string[] = [];
    let rowCount = 0;
    let characters = 0;
    let isWritten = false;
    while (cursor.ahead !== undefined && page.left > 0 && characters < CHUNK_CHARACTERS) {
      const batch = nextBatch(cursor, page, CHUNK_CHARACTERS - characters);
      if (batch !== undefined) cursor.ahead = batch.follow ? IN_SOURCE : undefined;
      const row = batch === undefined ? rowAhead(cursor) : batch.text;
      if (row === undefined) {
        cursor.ahead = undefined;
        break;
      }
      const isJson = typeof row === 'string' && format === source.written;
      isWritten ||= isJson;
      const text = isJson ? row : writer.write(typeof row === 'string' ? source.read(row) : row);
      const count = batch?.count ?? 1;
      texts.push(text);
      rowCount += count;
      characters += text.length;
      page.left -= count;
      if (batch !== undefined) continue;
      cursor.allowance--;
      const isLeft = text.length > LONG_ROW_CHARACTERS && page.left > 0 && source.nextRows === undefined;
      if (cursor.allowance === 0) cursor.ahead = undefined;
      else cursor.ahead = isLeft ? IN_SOURCE : nextOf(cursor);
    }
    const before = (first ? writer.header : '') + (rowCount > 0 && page.written > 0 ? writer.separator : '');
    const joined = texts.join(writer.separator);
    const text = isWritten ? finishJsonRows(joined) : joined;
    page.written += rowCount;
    cursor.watch.countResult(rowCount, text);
    cursor.watch.countResult(0, before);
    const last = cursor.ahead === undefined;
    const more = !last && page.left > 0;
    const after = more ? '' : writer.end(page.written);
    const chunk: PageChunk = {
      queryId: cursor.id,
      columns: first ? source.columns : [],
      text,
      more,
      last,
      rowCount: page.written,
    };
    // A long string is not joined with the rest, which would copy it.
    const unsent = { chunk, before, after, sent: 0 };
    if (text.length > LONG_ROW_CHARACTERS) page.unsent = unsent;
    return this.#send(cursor, unsent);
  }

  /** Returns the next part of a chunk; ends the page, and the cursor, after the last one. */
  #send(cursor: Cursor, unsent: UnsentChunk): PageChunk {
    const { chunk, before, after, sent } = unsent;
    const end = endOfPart(chunk.text, sent + PART_CHARACTERS - before.length - after.length);
    const text = (sent === 0 ? before : '') + chunk.text.slice(sent, end);
    const columns = sent === 0 ? chunk.columns : [];
    if (end < chunk.text.length) {
      unsent.sent = end;
      return { ...chunk, columns, text, more: true, last: false };
    }
    const part = { ...chunk, columns, text: text + after };
    if (cursor.page !== undefined) cursor.page.unsent = undefined;
    if (!chunk.more) cursor.page = undefined;
    if (chunk.last) this.#end(cursor);
    return part;
  }

  /** Runs `action` on a cursor, and closes the cursor if it throws. */
  #step<T>(cursor: Cursor, action: () => T): T {
    try {
      return this.#work(cursor, action);
    } catch (error) {
      this.#end(cursor, true);
      throw error;
    }
  }

  /** Runs `action` on a cursor, visibly to other processes, which may cancel it. */
  #work<T>(cursor: Cursor, action: () => T): T {
    const { queryState, index, clock } = this.#options;
    const { id, owner, tenant, watch } = cursor;
    queryState.beginWork(index, { id, owner, tenant, ticket: watch.ticket }, clock.nowMs());
    try {
      return cursor.watch.run(action);
    } finally {
      queryState.endWork(index);
    }
  }

  #end(cursor: Cursor, failed = false): void {
    if (!this.#open.delete(cursor.id)) return;
    this.#count(cursor, -1);
    cursor.source.close();
    cursor.page = undefined;
    cursor.onEnd(failed);
  }

  #count({ tenant }: Cursor, change: 1 | -1): void {
    const { queryState, index } = this.#options;
    queryState.setCursors(index, this.#open.size);
    queryState.shares.add(index, tenant.key, change);
  }
}

/** Returns the end of a part with at most `most` characters, without splitting a surrogate pair. */
function endOfPart(text: string, most: number): number {
  if (most >= text.length) return text.length;
  const unit = text.charCodeAt(most - 1);
  return unit >= 0xd800 && unit < 0xdc00 ? most - 1 : most;
}

function nextOf({ source }: Cursor): Cursor['ahead'] {
  return source.follow === true ? IN_SOURCE : source.next();
}

/** Returns the next row. */
function rowAhead({ ahead, source }: Cursor): SourceRow | undefined {
  return ahead === IN_SOURCE ? source.next() : ahead;
}

/** Returns rows that can be sent together, at most as many as the page has left, or undefined if there are none. */
function nextBatch({ ahead, source }: Cursor, { format, left }: Page, bytes: number): RowBatch | undefined {
  return ahead === IN_SOURCE && format === 'json' ? source.nextRows?.(left, bytes) : undefined;
}
