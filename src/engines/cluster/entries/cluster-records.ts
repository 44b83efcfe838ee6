/** Stores small records in a replicated cache, which all services of the cluster share. */
import { type Clock, randomUuid } from '../../../base/clock.ts';
import { GridError } from '../../../base/errors.ts';
import type { Entry, RecordKind, Records } from '../../../grid/grid.ts';
import { text, type Value } from '../../../values/value.ts';
import { hashOfText } from '../binary/java-hash.ts';
import type { Connection } from '../connections/connection.ts';
import type { Pool } from '../connections/pool.ts';
import { MODE, ownCache } from '../operations/cache-configuration.ts';
import { ENTRY } from '../operations/entry-operations.ts';
import { ETERNAL_MS, type Expiry, UNCHANGED_MS } from '../operations/expiry.ts';
import { CACHE } from '../operations/grid-operations.ts';
import type { Operation } from '../operations/operation.ts';
import { type FirstPage, QUERY, type ScanArgs } from '../operations/query-operations.ts';
import { NodeError, STATUS, toGridError } from '../protocol/status.ts';

/** Number of records in one page of a scan, and in one request that reads them. */
const PAGE_ROWS = 1_024;

/**
 * Key of a random string that the cache has as long as it keeps its contents. A deactivated cluster loses contents that
 * it does not persist.
 */
const MARK = 'mark';

/** An earlier record with the same id may have an expiry, which does not apply to the new one. */
const ETERNAL: Expiry = { createMs: ETERNAL_MS, updateMs: ETERNAL_MS, accessMs: UNCHANGED_MS };

/** A session record with its expiry. */
interface LocalSession {
  readonly content: string;
  readonly expiresAtMs: number | undefined;
  /** The {@link MARK} of the cache that it was written to, or undefined if the cluster has not accepted it. */
  mark: string | undefined;
}

interface Listed {
  readonly id: string;
  readonly content: string;
}

export class ClusterRecords implements Records {
  readonly #pool: Pool;
  readonly #clock: Clock;
  readonly #cache: string;
  readonly #cacheId: number;
  /**
   * The sessions written by this process. An inactive cluster's caches cannot be read, a read-only one's cannot be
   * written, but a user must be able to change the cluster's state.
   */
  readonly #sessions = new Map<string, LocalSession>();
  /** The last known {@link MARK}. */
  #mark: string | undefined;

  constructor(pool: Pool, clock: Clock, cache: string) {
    this.#pool = pool;
    this.#clock = clock;
    this.#cache = cache;
    this.#cacheId = hashOfText(cache);
  }

  async get(kind: RecordKind, id: string): Promise<string | undefined> {
    try {
      const found = await this.#pool.call(ENTRY.get, { cacheId: this.#cacheId, key: keyOf(kind, id) });
      return contentOf(found) ?? (kind === 'session' ? await this.#restoredSession(id) : undefined);
    } catch (error) {
      const reason = this.#reason(error);
      if (kind === 'session' && (isMissing(error) || isUnavailable(reason))) return this.#localSession(id);
      // No record has been written yet, and a read does not create the cache.
      if (isMissing(error)) return undefined;
      throw reason;
    }
  }

  async put(kind: RecordKind, id: string, content: string, expiresAtMs?: number): Promise<void> {
    const local: LocalSession = { content, expiresAtMs, mark: undefined };
    if (kind === 'session') this.#saveLocally(id, local);
    const expiry = this.#expiryOf(expiresAtMs);
    if (expiry === 'past') {
      await this.remove(kind, id);
      return;
    }
    try {
      await this.#run(ENTRY.putOwn, { cacheId: this.#cacheId, key: keyOf(kind, id), value: text(content), expiry });
      if (kind === 'session') local.mark = this.#mark ?? (await this.#readMark(true));
    } catch (error) {
      if (kind !== 'session' || !isUnavailable(error)) throw error;
    }
  }

  async add(kind: RecordKind, id: string, content: string, expiresAtMs?: number): Promise<boolean> {
    const expiry = this.#expiryOf(expiresAtMs);
    if (expiry === 'past') return (await this.get(kind, id)) === undefined;
    const args = { cacheId: this.#cacheId, key: keyOf(kind, id), value: text(content), expiry };
    try {
      const added = await this.#run(ENTRY.putIfAbsent, args);
      if (added && kind === 'session') {
        this.#saveLocally(id, { content, expiresAtMs, mark: this.#mark ?? (await this.#readMark(true)) });
      }
      return added;
    } catch (error) {
      if (kind !== 'session' || !isUnavailable(error)) throw error;
      if (this.#localSession(id) !== undefined) return false;
      this.#saveLocally(id, { content, expiresAtMs, mark: undefined });
      return true;
    }
  }

  async replace(kind: RecordKind, id: string, content: string, expiresAtMs?: number): Promise<boolean> {
    const expiry = this.#expiryOf(expiresAtMs);
    if (expiry === 'past') return (await this.remove(kind, id)) !== undefined;
    const args = { cacheId: this.#cacheId, key: keyOf(kind, id), value: text(content), expiry };
    try {
      let replaced = await this.#run(ENTRY.replace, args);
      if (kind !== 'session') return replaced;
      if (!replaced && (await this.#restoredSession(id)) !== undefined) replaced = await this.#run(ENTRY.replace, args);
      if (replaced) this.#saveLocally(id, { content, expiresAtMs, mark: this.#mark ?? (await this.#readMark(true)) });
      return replaced;
    } catch (error) {
      if (kind !== 'session' || !isUnavailable(error)) throw error;
      if ((await this.get(kind, id)) === undefined) return false;
      this.#saveLocally(id, { content, expiresAtMs, mark: undefined });
      return true;
    }
  }

  async remove(kind: RecordKind, id: string): Promise<string | undefined> {
    const local = kind === 'session' ? this.#localSession(id) : undefined;
    this.#sessions.delete(id);
    try {
      return contentOf(await this.#pool.call(ENTRY.getAndRemove, { cacheId: this.#cacheId, key: keyOf(kind, id) }));
    } catch (error) {
      const reason = this.#reason(error);
      if (isMissing(error) || (kind === 'session' && isUnavailable(reason))) return local;
      throw reason;
    }
  }

  async list(kind: RecordKind): Promise<readonly Listed[]> {
    const records: Listed[] = [];
    const prefix = `${kind}/`;
    const connection = await this.#pool.acquire();
    const scan = { cacheId: this.#cacheId, pageSize: PAGE_ROWS, filterClass: undefined, keepBinary: true };
    const subject = { cache: this.#cache };
    const first = await this.#firstPage(connection, scan);
    if (!first) return [];
    let page: { readonly rows: typeof first.rows; readonly more: boolean } = first;
    for (;;) {
      for (const { key, value } of page.rows) {
        const content = contentOf(value);
        if (key.type !== 'string' || !key.data.startsWith(prefix) || content === undefined) continue;
        records.push({ id: key.data.slice(prefix.length), content });
      }
      if (!page.more || page.rows.length === 0) break;
      page = await this.#pool.callOver(connection, QUERY.scanNext, first.cursorId, subject);
    }
    const live = await this.#live(kind, records);
    return live.sort((left, right) => (left.id < right.id ? -1 : 1));
  }

  /** Removes expired records: scans may still return them, reads do not. */
  async #live(kind: RecordKind, records: readonly Listed[]): Promise<Listed[]> {
    const live: Listed[] = [];
    for (let at = 0; at < records.length; at += PAGE_ROWS) {
      const some = records.slice(at, at + PAGE_ROWS);
      const keys = some.map(({ id }) => keyOf(kind, id));
      const found = await this.#pool.call(ENTRY.getAll, { cacheId: this.#cacheId, keys }, undefined, {
        cache: this.#cache,
      });
      const names = new Set(found.map(({ key }) => contentOf(key)));
      live.push(...some.filter(({ id }) => names.has(`${kind}/${id}`)));
    }
    return live;
  }

  /** Returns undefined if the cache does not exist yet. */
  async #firstPage(connection: Connection, scan: ScanArgs): Promise<FirstPage<Entry> | undefined> {
    try {
      return await this.#pool.callOver(connection, QUERY.scan, scan);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw this.#reason(error);
    }
  }

  #reason(error: unknown): unknown {
    return error instanceof NodeError ? toGridError(error, { cache: this.#cache }) : error;
  }

  /** Runs the operation, creating the cache when it does not exist. */
  async #run<A, R>(operation: Operation<A, R>, args: A): Promise<R> {
    try {
      return await this.#pool.call(operation, args);
    } catch (error) {
      if (!isMissing(error)) throw this.#reason(error);
      await this.#create();
      return this.#pool.call(operation, args, undefined, { cache: this.#cache });
    }
  }

  #create(): Promise<void> {
    const creation = ownCache(this.#cache, MODE.REPLICATED);
    return this.#pool.call(CACHE.getOrCreate, creation, undefined, { cache: this.#cache });
  }

  #expiryOf(expiresAtMs: number | undefined): Expiry | 'past' {
    if (expiresAtMs === undefined) return ETERNAL;
    const leftMs = Math.ceil(expiresAtMs - this.#clock.nowMs());
    if (leftMs <= 0) return 'past';
    return { createMs: BigInt(leftMs), updateMs: BigInt(leftMs), accessMs: UNCHANGED_MS };
  }

  #saveLocally(id: string, local: LocalSession): void {
    this.#sessions.delete(id);
    for (const [oldest, { expiresAtMs = Number.POSITIVE_INFINITY }] of this.#sessions) {
      if (expiresAtMs > this.#clock.nowMs()) break;
      this.#sessions.delete(oldest);
    }
    this.#sessions.set(id, local);
  }

  /**
   * Returns a session that the cluster lacks because it was read-only when the session was written, or lost the cache
   * when it was deactivated; also writes it again. Any other session has ended.
   */
  async #restoredSession(id: string): Promise<string | undefined> {
    const local = this.#sessions.get(id);
    if (local === undefined) return undefined;
    this.#mark = await this.#readMark(false);
    if (local.mark !== undefined && local.mark === this.#mark) this.#sessions.delete(id);
    const restored = this.#localSession(id);
    if (restored !== undefined) await this.put('session', id, local.content, local.expiresAtMs);
    return restored;
  }

  /** Returns the mark of the cache's contents, creating it if permitted, or undefined if there is none. */
  async #readMark(creates: boolean): Promise<string | undefined> {
    const args = { cacheId: this.#cacheId, key: text(MARK) };
    const present = contentOf(await this.#pool.call(ENTRY.get, args));
    if (present !== undefined || !creates) return present;
    const own = randomUuid();
    const added = await this.#run(ENTRY.putIfAbsent, { ...args, value: text(own), expiry: ETERNAL });
    this.#mark = added ? own : contentOf(await this.#pool.call(ENTRY.get, args));
    return this.#mark;
  }

  #localSession(id: string): string | undefined {
    const local = this.#sessions.get(id);
    if (!local) return undefined;
    const isExpired = local.expiresAtMs !== undefined && local.expiresAtMs <= this.#clock.nowMs();
    return isExpired ? undefined : local.content;
  }
}

function keyOf(kind: RecordKind, id: string): Value {
  return text(`${kind}/${id}`);
}

function contentOf(value: Value | undefined): string | undefined {
  return value?.type === 'string' ? value.data : undefined;
}

/** Reports whether the cluster is inactive or read-only. */
function isUnavailable(error: unknown): boolean {
  return error instanceof GridError && (error.code === 'INACTIVE' || error.code === 'READ_ONLY');
}

function isMissing(error: unknown): boolean {
  return error instanceof NodeError && error.status === STATUS.CACHE_NOT_FOUND;
}
