/** The port's transfer: scans over separate connections, definitions, and the counters that the nodes list. */

import { gridError } from '../../../base/errors.ts';
import { CLUSTER_BOUNDS } from '../../../base/limits.ts';
import type { CacheDefinition, Counter, Entry, EntryBatch, Transfer } from '../../../grid/grid.ts';
import { text, type Value } from '../../../values/value.ts';
import type { Connection } from '../connections/connection.ts';
import type { Pool } from '../connections/pool.ts';
import { COUNTER } from '../operations/grid-operations.ts';
import { QUERY } from '../operations/query-operations.ts';
import { isSqlMissing, NodeError, STATUS, toGridError } from '../protocol/status.ts';
import { cacheIdOf } from '../topology/remote-definitions.ts';
import { numberOf, selectAll, stringOf } from '../topology/system-sql.ts';
import { tableStatements } from './table-statement.ts';

/** Few messages for large caches, and a bounded size of each. */
const PAGE_ENTRIES = 512;
/** Number of concurrent scans, which is less than the number of cursors per connection. */
const PARTITIONS_AT_ONCE = 64;
/** User-defined views and their queries. */
const USER_VIEWS = "select SCHEMA, NAME, SQL from SYS.VIEWS where SCHEMA <> 'SYS' order by SCHEMA, NAME";
/** Group of counters that Ignite's HTTP interface also uses. */
const COUNTER_GROUP = 'default-ds-group';

export interface TransferOptions {
  readonly pool: Pool;
  /** Creates the cache from its definition. */
  create(definition: CacheDefinition, regionNamed: boolean): Promise<void>;
  find(name: string): Promise<CacheDefinition | undefined>;
  /** Drops the cached definition. */
  forget(name: string): void;
  /** The nodes' regions, or undefined if they cannot report them. */
  regionNames(): Promise<readonly string[] | undefined>;
}

export class ClusterTransfer implements Transfer {
  readonly #options: TransferOptions;

  constructor(options: TransferOptions) {
    this.#options = options;
  }

  /**
   * Yields entries partition by partition, several partitions at once. The cluster returns entries in no particular
   * order, but a partition that was read completely need not be read again. Positions are partition numbers.
   */
  async *scan(cache: string, position?: string): AsyncGenerator<EntryBatch> {
    const { pool } = this.#options;
    const cacheId = cacheIdOf(cache);
    const connection = await pool.openFurther();
    try {
      const known = await this.#partitionCount(cache);
      // Nodes that cannot report them are asked for the whole cache.
      const partitions = known ?? 1;
      if (partitions === 0) throw gridError('CACHE_NOT_FOUND', cache);
      let entries: Entry[] = [];
      for (let from = Number(position ?? 0); from < partitions; from += PARTITIONS_AT_ONCE) {
        const to = Math.min(partitions, from + PARTITIONS_AT_ONCE);
        const numbers = Array.from({ length: to - from }, (_, index) => from + index);
        const scans = await Promise.all(
          numbers.map((partition) => this.#begin(connection, cacheId, known === undefined ? undefined : partition)),
        );
        for (const { cursorId, rows, more } of scans) {
          for (const entry of rows) entries.push(entry);
          for (let hasMore = more; hasMore; ) {
            if (entries.length >= PAGE_ENTRIES) yield { entries };
            if (entries.length >= PAGE_ENTRIES) entries = [];
            const page = await pool.callOver(connection, QUERY.scanNext, cursorId);
            for (const entry of page.rows) entries.push(entry);
            hasMore = page.more && page.rows.length > 0;
          }
        }
        if (entries.length < PAGE_ENTRIES && to < partitions) continue;
        if (entries.length > 0) yield { entries, position: String(to) };
        entries = [];
      }
    } catch (error) {
      throw await pool.explain(toGridError(error, { cache }), true, cache);
    } finally {
      // The cursors close with the connection.
      connection.close('the scan has ended');
    }
  }

  #begin(connection: Connection, cacheId: number, partition: number | undefined) {
    const { pool } = this.#options;
    const scan = { cacheId, pageSize: PAGE_ENTRIES, filterClass: undefined, keepBinary: true, partition };
    return pool.callOver(connection, QUERY.scan, scan);
  }

  /** Returns 0 if the cache does not exist, or undefined if the nodes cannot report it. */
  async #partitionCount(cache: string): Promise<number | undefined> {
    const sql =
      'select g.PARTITIONS_COUNT from SYS.CACHES c join SYS.CACHE_GROUPS g on c.CACHE_GROUP_ID = g.CACHE_GROUP_ID ' +
      'where c.CACHE_NAME = ?';
    const rows = await this.#select(sql, [text(cache)]);
    return rows && numberOf(rows[0]?.[0]);
  }

  async define(definition: CacheDefinition): Promise<boolean> {
    const { find, regionNames, create, forget } = this.#options;
    if (await find(definition.name)) return false;
    const hasRegion = (await regionNames())?.includes(definition.region) === true;
    const statements = tableStatements(definition, hasRegion ? definition.region : undefined);
    if (!statements) {
      await create(withoutOwnSchema(definition), hasRegion);
      return true;
    }
    try {
      for (const sql of statements) await this.#statement(sql, definition.name);
    } finally {
      forget(definition.name);
    }
    return true;
  }

  async views(): Promise<Array<{ readonly name: string; readonly query: string | undefined }>> {
    const rows = await selectAll(this.#options.pool, USER_VIEWS, []).catch((error: unknown) => {
      // Versions without this column have no user-defined views, nor do nodes without SQL.
      if (isSqlMissing(error)) return [];
      if (error instanceof NodeError && /Column "(?:[A-Z]+\.)?SQL" not found/.test(error.message)) return [];
      throw error;
    });
    return rows.map(([schema, name, query]) => ({
      name: `${stringOf(schema)}.${stringOf(name)}`,
      query: query?.type === 'string' ? query.data : undefined,
    }));
  }

  async counters(names: readonly string[]): Promise<Counter[]> {
    const { pool } = this.#options;
    const sql = 'select NAME from SYS.DS_ATOMICLONGS where GROUP_NAME = ? and not REMOVED';
    const responses = await Promise.all(
      // Each node reports the counters used on it.
      pool.connections().map((connection) => this.#select(sql, [text(COUNTER_GROUP)], connection)),
    );
    const all = new Set([...names, ...responses.flatMap((rows) => rows ?? []).map(([name]) => stringOf(name))]);
    const found: Counter[] = [];
    for (const name of [...all].sort()) {
      const value = await this.#counter(name);
      if (value !== undefined) found.push({ name, value });
    }
    return found;
  }

  /** Returns the rows of a system view, or undefined if the nodes have no SQL. */
  async #select(
    sql: string,
    args: readonly Value[],
    over?: Connection,
  ): Promise<ReadonlyArray<readonly Value[]> | undefined> {
    try {
      return await selectAll(this.#options.pool, sql, args, over);
    } catch (error) {
      if (isSqlMissing(error)) return undefined;
      throw error;
    }
  }

  async #counter(name: string): Promise<bigint | undefined> {
    const { pool } = this.#options;
    try {
      return await pool.call(COUNTER.get, name);
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      const absent = error.status === STATUS.RESOURCE_NOT_FOUND || /Failed to find atomic long/.test(error.message);
      if (!absent) throw await pool.explain(toGridError(error, { cache: name }), true, name);
      return undefined;
    }
  }

  async #statement(sql: string, cache: string): Promise<void> {
    const { pool } = this.#options;
    const args = { schema: 'PUBLIC', sql, args: [], pageSize: 1, timeoutMs: 0, distributedJoins: false };
    await pool.call(QUERY.statement, args, undefined, { cache }, CLUSTER_BOUNDS.changeMs);
  }
}

/** Removes the schema from a definition without tables, which needs none. */
function withoutOwnSchema(definition: CacheDefinition): CacheDefinition {
  return definition.entities.length > 0 ? definition : { ...definition, schema: undefined };
}
