/**
 * This process's open cursors: their ids, owners, buffered rows and idle time. Each user of a cluster may have a
 * separate grid; all their cursors share one limit.
 */
import { type Clock, randomBytes, type Timer } from '../../../base/clock.ts';
import { gridError } from '../../../base/errors.ts';
import { type Tenant, TenantUsage, yieldsTo } from '../../../base/shares.ts';
import type { Column, Owner, QueryPage, RowFormat } from '../../../grid/grid.ts';
import type { QuerySender } from '../../../grid/queries.ts';
import { type RowShape, type RowWriterOf, rowWriter } from '../../../grid/row-writers.ts';
import { addResultBytes, type ReadBudget } from '../../../grid/statement-budget.ts';
import type { Notation } from '../../../values/notation.ts';
import { NULL, type Value } from '../../../values/value.ts';

export type Row = readonly Value[];

/** Thrown by a source whose node or connection was lost. */
export class CursorLost extends Error {
  constructor(cause: unknown) {
    super('The cursor is lost.', { cause });
    this.name = 'CursorLost';
  }
}

/** Source of a cursor's rows. */
export interface RowSource {
  readonly columns: readonly Column[];
  readonly shape: RowShape;
  /** Converts every value sent (the configured message interceptor). */
  readonly onSend: ((value: Value) => Value) | undefined;
  /** Returns about `count` more rows. Not called again after `more` was false. Throws CursorLost. */
  pull(
    count: number,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly rows: readonly Row[]; readonly more: boolean }>;
  /** Closes the cursor on the node. */
  close(): void;
}

interface Cursor {
  readonly id: number;
  /** Closes the cursor. */
  readonly close: () => void;
  readonly owner: Owner;
  readonly tenant: Tenant;
  readonly source: RowSource;
  readonly createWriter: RowWriterOf;
  /** Whether the total size of all rows is unlimited. */
  readonly isExport: boolean;
  buffer: Row[];
  more: boolean;
  usedMs: number;
  /** Bytes of the rows returned so far. */
  resultBytes: number;
  /** End of the previous page. A cursor's pages are produced one after another. */
  tail: Promise<void>;
  closed: boolean;
  /** Pages that are being produced or waiting for their turn. */
  pagesInProgress: number;
}

/** Pages with more rows are streamed in chunks of this size. */
const CHUNK_ROWS = 500;
const SWEEP_MS = 1_000;
/** Minimum number of rows per response from a node, from which pages are cut. */
const MIN_ROWS = 256;
const MAX_ROWS = 4_096;
/** Cursor ids have the tag of their service in the upper bits and a 32-bit counter below. */
export const CURSOR_IDS = { tags: 2 ** 21, perTag: 2 ** 32 } as const;

/** Returns the number of rows to ask a node for. */
export function rowsFor(pageSize: number): number {
  return Math.max(MIN_ROWS, Math.min(MAX_ROWS, pageSize));
}

/** The first page that a query requests, and for whom. */
export interface FirstPageRequest {
  readonly owner: Owner;
  /** Defaults to the owner, without administrator rights. */
  readonly sender?: QuerySender;
  readonly pageSize: number;
  readonly format: RowFormat;
  /** How all pages write numbers and dates. */
  readonly notation?: Notation | undefined;
}

/** Returns the client whose share of cursors a query uses. */
export function tenantOf({ owner, sender }: Pick<FirstPageRequest, 'owner' | 'sender'>): Tenant {
  return sender?.tenant() ?? { key: owner, isAdministrator: false };
}

export interface CursorSettings {
  readonly clock: Clock;
  readonly idleTimeoutMs: number;
  readonly openCursors: number;
  readonly budget: Pick<ReadBudget, 'resultBytes'>;
  /** The cursors of all grids that share the limit. */
  readonly all: OpenCursors;
}

/** The open cursors of several grids, which share one limit. */
export class OpenCursors {
  readonly byId = new Map<number, Cursor>();
  readonly usage = new TenantUsage();
  readonly #firstId: number;
  #count = 0;
  #evicted = 0;

  /** `tag` distinguishes this service's cursors from others, 0 to 2097151. Default: random. */
  constructor(tag?: number) {
    const [a = 0, b = 0, c = 0] = randomBytes(3);
    const known = tag ?? (a * 65_536 + b * 256 + c) % CURSOR_IDS.tags;
    this.#firstId = (known % CURSOR_IDS.tags) * CURSOR_IDS.perTag;
  }

  get size(): number {
    return this.byId.size;
  }

  /** The number of cursors closed to make room for users with fewer cursors. */
  get evicted(): number {
    return this.#evicted;
  }

  nextId(): number {
    return this.#firstId + this.#count++;
  }

  add(cursor: Cursor): void {
    this.byId.set(cursor.id, cursor);
    this.usage.add(cursor.tenant.key);
  }

  remove(cursor: Cursor): void {
    if (this.byId.delete(cursor.id)) this.usage.remove(cursor.tenant.key);
  }

  /**
   * Returns the least recently used idle cursor of the tenant with the most, or undefined if that tenant
   * does not give way.
   */
  victimFor(tenant: Tenant): Cursor | undefined {
    const most = this.usage.most();
    if (most === undefined || !yieldsTo(most, tenant, this.usage.of(tenant.key))) return undefined;
    let oldest: Cursor | undefined;
    for (const cursor of this.byId.values()) {
      const isCandidate = cursor.tenant.key === most.key && cursor.pagesInProgress === 0;
      if (isCandidate && (oldest === undefined || cursor.usedMs < oldest.usedMs)) oldest = cursor;
    }
    return oldest;
  }

  /** Closes the cursors of owners. */
  closeOf(isOwner: (owner: Owner) => boolean): void {
    for (const cursor of [...this.byId.values()]) if (isOwner(cursor.owner)) cursor.close();
  }

  /** Closes a cursor to make room for a user with fewer. */
  evict(cursor: Cursor): void {
    this.#evicted++;
    cursor.close();
  }
}

export class Cursors {
  readonly #settings: CursorSettings;
  /** The cursors of this grid. */
  readonly #own = new Set<Cursor>();
  readonly #all: OpenCursors;
  readonly #timer: Timer;

  constructor(settings: CursorSettings) {
    this.#settings = settings;
    this.#all = settings.all;
    this.#timer = settings.clock.every(SWEEP_MS, () => this.#sweep());
  }

  /**
   * Throws CURSOR_LIMIT and USER_SHARE if no cursor is free and no user gives one up. Called before a query runs, so
   * that none runs in vain.
   */
  checkLimit(tenant: Tenant): void {
    if (this.#all.size >= this.#settings.openCursors && this.#all.victimFor(tenant) === undefined) {
      throw this.#exceeded(tenant);
    }
  }

  /**
   * Opens a cursor and returns its first page. `first` contains the rows of the node's response. `createWriter` creates
   * the writer of an export, whose size is unlimited. If rows remain and the tenant cannot have another cursor, closes
   * the source and throws CURSOR_LIMIT or USER_SHARE.
   */
  async open(
    source: RowSource,
    first: { readonly rows: readonly Row[]; readonly more: boolean },
    page: FirstPageRequest,
    createWriter?: RowWriterOf,
  ): Promise<QueryPage> {
    const tenant = tenantOf(page);
    if (first.more || first.rows.length > page.pageSize) this.#evictFor(tenant, source);
    const cursor: Cursor = {
      id: this.#all.nextId(),
      close: () => this.#close(cursor),
      owner: page.owner,
      tenant,
      source,
      createWriter: createWriter ?? ((format, shape, columns) => rowWriter(format, shape, columns, page.notation)),
      isExport: createWriter !== undefined,
      buffer: [...first.rows],
      more: first.more,
      usedMs: this.#settings.clock.monotonicMs(),
      resultBytes: 0,
      tail: Promise.resolve(),
      closed: false,
      pagesInProgress: 0,
    };
    this.#own.add(cursor);
    this.#all.add(cursor);
    try {
      return await this.#page(cursor, page.pageSize, page.format, true, page.sender?.signal());
    } catch (error) {
      this.#close(cursor);
      throw error;
    }
  }

  async fetch(id: number, pageSize: number, owner: Owner, format: RowFormat, signal?: AbortSignal): Promise<QueryPage> {
    const cursor = this.#all.byId.get(id);
    if (!cursor || cursor.owner !== owner) throw gridError('QUERY_NOT_FOUND', id);
    try {
      return await this.#page(cursor, pageSize, format, false, signal);
    } catch (error) {
      this.#close(cursor);
      throw error;
    }
  }

  close(id: number, owner: Owner): void {
    const cursor = this.#all.byId.get(id);
    if (cursor?.owner === owner) cursor.close();
  }

  /** Closes a cursor of the owner, or of anyone if undefined. Returns false if there is none. */
  kill(id: number, owner: Owner | undefined): boolean {
    const cursor = this.#all.byId.get(id);
    if (cursor === undefined || (owner !== undefined && cursor.owner !== owner)) return false;
    cursor.close();
    return true;
  }

  closeAll(): void {
    this.#timer.cancel();
    for (const cursor of [...this.#own]) this.#close(cursor);
  }

  /** Closes a cursor of the tenant with the most if all are used. Throws if none can be closed. */
  #evictFor(tenant: Tenant, source: RowSource): void {
    if (this.#all.size < this.#settings.openCursors) return;
    const victim = this.#all.victimFor(tenant);
    if (victim === undefined) {
      source.close();
      throw this.#exceeded(tenant);
    }
    this.#all.evict(victim);
  }

  #exceeded({ key }: Tenant): Error {
    const { openCursors } = this.#settings;
    const own = this.#all.usage.of(key);
    return own === this.#all.size
      ? gridError('CURSOR_LIMIT', openCursors)
      : gridError('USER_SHARE', 'open cursors', own, openCursors);
  }

  async #page(
    cursor: Cursor,
    pageSize: number,
    format: RowFormat,
    isFirst: boolean,
    signal: AbortSignal | undefined,
  ): Promise<QueryPage> {
    cursor.pagesInProgress++;
    const before = cursor.tail;
    const { promise, resolve } = Promise.withResolvers<void>();
    cursor.tail = promise.then(() => {
      cursor.pagesInProgress--;
    });
    await before;
    if (cursor.closed) {
      resolve();
      throw gridError('QUERY_NOT_FOUND', cursor.id);
    }
    // Line-based formats have a single page, because only the JSON envelope contains a query id.
    const most = format === 'json' ? Math.max(0, pageSize) : Number.POSITIVE_INFINITY;
    const chunks = this.#chunks(cursor, most, format, isFirst, signal, resolve);
    const columns = isFirst && cursor.source.shape === 'array' ? cursor.source.columns : [];
    const page = { queryId: cursor.id, columns, end: () => ({ last: chunks.isLast(), rowCount: chunks.rowCount() }) };
    if (most > CHUNK_ROWS) return { ...page, rows: chunks.text };
    let rows = '';
    for await (const chunk of chunks.text) rows += chunk;
    return { ...page, rows };
  }

  /** Returns the text of one page in chunks. */
  #chunks(
    cursor: Cursor,
    pageSize: number,
    format: RowFormat,
    isFirst: boolean,
    signal: AbortSignal | undefined,
    done: () => void,
  ) {
    const { shape, columns, onSend } = cursor.source;
    const writer = cursor.createWriter(format, shape, columns);
    const sent = (value: Value = NULL): Value =>
      onSend === undefined || value.type === 'null' ? value : onSend(value);
    let written = 0;
    let isLast = false;
    const write = async function* (service: Cursors): AsyncGenerator<string> {
      try {
        if (isFirst && writer.header !== '') yield writer.header;
        while (written < pageSize && (cursor.buffer.length > 0 || cursor.more)) {
          if (cursor.buffer.length === 0) await service.#refill(cursor, pageSize - written, signal);
          const rows = cursor.buffer.splice(0, Math.min(CHUNK_ROWS, pageSize - written));
          let chunk = '';
          for (const row of rows) {
            chunk += (written === 0 ? '' : writer.separator) + writer.write((index) => sent(row[index]));
            written++;
          }
          service.#countResult(cursor, chunk);
          yield chunk;
        }
        const end = writer.end(written);
        if (end !== '') yield end;
      } finally {
        cursor.usedMs = service.#settings.clock.monotonicMs();
        // Computed now, because the next page may start before the caller calls `end` of this one.
        isLast = cursor.buffer.length === 0 && !cursor.more;
        if (isLast) service.#close(cursor);
        done();
      }
    };
    return {
      text: write(this),
      isLast: () => isLast,
      rowCount: () => written,
    };
  }

  /** Closes the cursor and throws QUERY_RESULT_BYTES if it has returned too much. */
  #countResult(cursor: Cursor, chunk: string): void {
    if (cursor.isExport) return;
    try {
      cursor.resultBytes = addResultBytes(this.#settings.budget, cursor.resultBytes, chunk);
    } catch (error) {
      this.#close(cursor);
      throw error;
    }
  }

  async #refill(cursor: Cursor, count: number, signal: AbortSignal | undefined): Promise<void> {
    if (cursor.closed) throw gridError('QUERY_NOT_FOUND', cursor.id);
    try {
      const { rows, more } = await cursor.source.pull(count, signal);
      if (more && rows.length === 0)
        throw gridError('CLUSTER_ANSWER_INVALID', 'a page without rows is not the last one');
      for (const row of rows) cursor.buffer.push(row);
      cursor.more = more;
    } catch (error) {
      this.#close(cursor);
      throw error instanceof CursorLost ? gridError('QUERY_NOT_FOUND', cursor.id) : error;
    }
  }

  #close(cursor: Cursor): void {
    if (cursor.closed) return;
    cursor.closed = true;
    this.#own.delete(cursor);
    this.#all.remove(cursor);
    cursor.source.close();
  }

  #sweep(): void {
    const now = this.#settings.clock.monotonicMs();
    for (const cursor of [...this.#own]) {
      if (now - cursor.usedMs > this.#settings.idleTimeoutMs) this.#close(cursor);
    }
  }
}
