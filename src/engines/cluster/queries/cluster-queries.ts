/**
 * Implements queries. Read-only statements use the JDBC dialect, which describes columns as Ignite shows them and
 * supports cancellation. All other statements, type queries and scans use the thin-client dialect
 * (docs/spec/ignite-wire.md 4).
 */
import { type Clock, sleep } from '../../../base/clock.ts';
import { GridError, gridError } from '../../../base/errors.ts';
import { CLUSTER_BOUNDS } from '../../../base/limits.ts';
import { exportWriters } from '../../../grid/export-writers.ts';
import type {
  Column,
  Entry,
  FieldsQuery,
  Owner,
  Queries,
  QueryKiller,
  QueryPage,
  QueryRequest,
  RowFormat,
  ScanQuery,
  TypeQuery,
} from '../../../grid/grid.ts';
import type { QueryId } from '../../../grid/query-id.ts';
import { boundedFor, type ReadBudget, timeLimitMs } from '../../../grid/statement-budget.ts';
import type { TypeRegistry, Value } from '../../../values/value.ts';
import type { Pool } from '../connections/pool.ts';
import { type CursorConnection, CursorConnections } from '../connections/query-connections.ts';
import { RESOURCE } from '../operations/grid-operations.ts';
import type { Operation } from '../operations/operation.ts';
import { type FirstPage, fieldsNextPage, type NextPage, QUERY } from '../operations/query-operations.ts';
import { isUnreadable } from '../operations/responses.ts';
import { cacheIdOf, type RemoteDefinitions } from '../topology/remote-definitions.ts';
import { CursorLost, Cursors, type OpenCursors, type Row, type RowSource, rowsFor, tenantOf } from './cursors.ts';
import { JdbcSelects } from './jdbc-selects.ts';
import { isClassMissing, isLost, type QuerySubject, queryError } from './query-failures.ts';
import { columnsOfNames, UPDATED } from './statement-columns.ts';
import { routeOf } from './statement-route.ts';

export interface QueryDependencies {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly definitions: RemoteDefinitions;
  readonly idleTimeoutMs: number;
  readonly openCursors: number;
  readonly budget: ReadBudget;
  readonly connections: number;
  readonly allCursors: OpenCursors;
  /** The types of a cache's objects, as an import knows them. */
  readonly types: TypeRegistry;
  /** Converts every value of a row that is sent (the configured message interceptor). */
  readonly onSend: ((value: Value) => Value) | undefined;
  /** Creates the default cache if this is its name. */
  ensureCache(name: string): Promise<void>;
}

/** Delay before a query whose node was lost is repeated. */
const RETRY_DELAY_MS = 100;
const DEFAULT_SCHEMA = 'PUBLIC';

const ENTRY_COLUMNS: readonly Column[] = ['key', 'value'].map((fieldName) => ({
  fieldName,
  fieldTypeName: '',
  schemaName: '',
  typeName: '',
}));

export class ClusterQueries implements Queries {
  readonly #dependencies: QueryDependencies;
  readonly #cursors: Cursors;
  readonly #connections: CursorConnections;
  readonly #selects: JdbcSelects;

  constructor(dependencies: QueryDependencies) {
    this.#dependencies = dependencies;
    const { pool, clock, idleTimeoutMs, openCursors, budget, allCursors } = dependencies;
    this.#cursors = new Cursors({ clock, idleTimeoutMs, openCursors, budget, all: allCursors });
    this.#connections = new CursorConnections(pool, clock);
    this.#selects = new JdbcSelects(dependencies);
  }

  async execute(request: QueryRequest): Promise<QueryPage> {
    this.#cursors.checkLimit(tenantOf(request));
    if (request.sender?.signal().aborted) throw gridError('QUERY_CANCELLED', 'the client went away');
    const schema = await this.#schemaOf(request.cache);
    switch (request.kind) {
      case 'fields':
        return this.#fields(request, schema);
      case 'type':
        return this.#typeQuery(request);
      case 'scan':
        return this.#scan(request);
    }
  }

  fetch(queryId: number, pageSize: number, owner: Owner, format: RowFormat, signal?: AbortSignal): Promise<QueryPage> {
    return this.#cursors.fetch(queryId, pageSize, owner, format, signal);
  }

  close(queryId: number, owner: Owner): void {
    this.#cursors.close(queryId, owner);
  }

  /**
   * Closes one of this service's cursors. Only administrators can kill a query on a node: its owner is a user of the
   * cluster, not of the service.
   */
  async kill({ nodeId, number }: QueryId, { owner, isAdministrator }: QueryKiller): Promise<void> {
    if (nodeId === undefined) {
      if (!this.#cursors.kill(number, isAdministrator ? undefined : owner)) throw gridError('QUERY_NOT_FOUND', number);
      return;
    }
    if (!isAdministrator) throw gridError('QUERY_NOT_FOUND', number);
    const sql = `KILL QUERY '${nodeId}_${number}'`;
    const request = { kind: 'fields', cache: '', owner, pageSize: 1, format: 'json', sql, args: [] } as const;
    try {
      await this.#statement(request, DEFAULT_SCHEMA, false);
    } catch (error) {
      throw error instanceof GridError && /doesn't exist|not alive/.test(error.message)
        ? gridError('QUERY_NOT_FOUND', number)
        : error;
    }
  }

  closeAll(): void {
    this.#cursors.closeAll();
    this.#connections.close();
    this.#selects.close();
  }

  /** Returns the SQL schema of the cache's statements. Throws QUERY_CACHE_NOT_FOUND. */
  async #schemaOf(cache: string): Promise<string> {
    let definition = await this.#dependencies.definitions.find(cache);
    if (!definition) {
      await this.#dependencies.ensureCache(cache);
      definition = await this.#dependencies.definitions.find(cache);
    }
    if (!definition) {
      // An inactive cluster reports its state instead.
      const reason = await this.#dependencies.pool.explain(gridError('CACHE_NOT_FOUND', cache), true, cache);
      throw reason instanceof GridError && reason.code === 'INACTIVE'
        ? reason
        : gridError('QUERY_CACHE_NOT_FOUND', cache);
    }
    return definition.schema ?? DEFAULT_SCHEMA;
  }

  /** Opens the cursor of a query that has begun, and returns its first page. */
  #open(source: RowSource, first: Parameters<Cursors['open']>[1], request: QueryRequest): Promise<QueryPage> {
    return this.#cursors.open(source, first, request, this.#exportWriter(request));
  }

  /** Returns a factory for the writer of an export, or undefined for other queries. */
  #exportWriter({ export: form }: QueryRequest): Parameters<Cursors['open']>[3] {
    const { types } = this.#dependencies;
    return form && exportWriters({ ...form, types });
  }

  /** Returns the time limit of a read-only statement for each of its pages, in ms, or 0 for none. */
  #limitMs(request: QueryRequest): number {
    if (request.export !== undefined) return 0;
    return timeLimitMs(boundedFor(this.#dependencies.budget, tenantOf(request)), request.timeoutMs ?? 0);
  }

  #fields(request: FieldsQuery, schema: string): Promise<QueryPage> {
    const { asQuery, repeatable, redefines } = routeOf(request.sql);
    return asQuery ? this.#select(request, schema, repeatable) : this.#statement(request, schema, redefines);
  }

  /**
   * Runs a select over the JDBC dialect. Repeats it on another node if the connection is lost before the first page.
   */
  async #select(request: FieldsQuery, schema: string, repeatable: boolean): Promise<QueryPage> {
    const startedMs = this.#dependencies.clock.monotonicMs();
    for (;;) {
      try {
        const { source, first } = await this.#selects.run(request, schema, this.#limitMs(request));
        return await this.#open(source, first, request);
      } catch (error) {
        if (!repeatable || !isLost(error) || !(await this.#mayTryAgain(startedMs))) throw queryError(error, request);
      }
    }
  }

  /**
   * Runs a DML or DDL statement. Its outcome is unknown if the response is lost, or if the node does not report it
   * within the time that the request allows. Only the request limits its time: a node that ends a change leaves it half
   * done.
   */
  async #statement(request: FieldsQuery, schema: string, redefines: boolean): Promise<QueryPage> {
    const { sql, args, timeoutMs = 0, distributedJoins = false } = request;
    const channel = await this.#connections.acquire();
    try {
      const first = await this.#dependencies.pool.callOver(
        channel.connection,
        QUERY.statement,
        { schema, sql, args, pageSize: rowsFor(request.pageSize), timeoutMs, distributedJoins },
        undefined,
        timeoutMs > 0 ? timeoutMs + CLUSTER_BOUNDS.cancelMs : Number.POSITIVE_INFINITY,
      );
      const columns = columnsOfNames(first.names, first.rows[0]);
      const next = fieldsNextPage(first.names.length);
      const source = this.#cursorSource(channel, first, next, columns, 'array', (row) => row, request);
      return await this.#open(source, first, request);
    } catch (error) {
      channel.isRetired ||= isUnreadable(error) || isOutcomeUnknown(error);
      throw queryError(error, request);
    } finally {
      if (redefines) this.#forgetStructure();
    }
  }

  #typeQuery(request: TypeQuery): Promise<QueryPage> {
    const { cache, typeName, sql, args, pageSize, distributedJoins = false } = request;
    const timeoutMs = this.#limitMs(request);
    const ask = {
      cacheId: cacheIdOf(cache),
      typeName,
      sql,
      args,
      pageSize: rowsFor(pageSize),
      timeoutMs,
      distributedJoins,
    };
    return this.#entries(QUERY.typeQuery, ask, QUERY.typeQueryNext, request, request);
  }

  /**
   * Scans a cache. A filter gets instances of the nodes' classes, as in Ignite's HTTP interface. If the nodes lack a
   * class, it gets binary objects.
   */
  async #scan(request: ScanQuery): Promise<QueryPage> {
    const { cache, className, pageSize } = request;
    if (className === '') throw gridError('CLASS_NOT_FOUND', className);
    // A node scans without a filter if the class is one of Java's own that is not a filter.
    if (className !== undefined && /^(java|javax|jdk|sun)\./.test(className))
      throw gridError('CLASS_NOT_A_FILTER', className);
    const ask = { cacheId: cacheIdOf(cache), pageSize: rowsFor(pageSize), filterClass: className };
    const scan = (keepBinary: boolean): Promise<QueryPage> =>
      this.#entries(QUERY.scan, { ...ask, keepBinary }, QUERY.scanNext, request, { cache, className });
    if (className === undefined) return scan(true);
    try {
      return await scan(false);
    } catch (error) {
      if (!isClassMissing(error)) throw error;
      return scan(true);
    }
  }

  async #entries<A>(
    operation: Operation<A, FirstPage<Entry>>,
    args: A,
    next: Operation<number, NextPage<Entry>>,
    request: TypeQuery | ScanQuery,
    subject: QuerySubject,
  ): Promise<QueryPage> {
    const startedMs = this.#dependencies.clock.monotonicMs();
    for (;;) {
      const channel = await this.#connections.acquire();
      try {
        const first = await this.#dependencies.pool.callOver(
          channel.connection,
          operation,
          args,
          undefined,
          Number.POSITIVE_INFINITY,
        );
        const source = this.#cursorSource(channel, first, next, ENTRY_COLUMNS, 'entry', rowOf, subject);
        const page = { rows: first.rows.map(rowOf), more: first.more };
        return await this.#open(source, page, request);
      } catch (error) {
        channel.isRetired ||= isUnreadable(error);
        if (!isLost(error) || !(await this.#mayTryAgain(startedMs))) throw queryError(error, subject);
      }
    }
  }

  #cursorSource<T>(
    channel: CursorConnection,
    first: FirstPage<T>,
    next: Operation<number, NextPage<T>>,
    columns: readonly Column[],
    shape: RowSource['shape'],
    toRow: (row: T) => Row,
    subject: QuerySubject,
  ): RowSource {
    const { pool, clock } = this.#dependencies;
    let open = first.more;
    if (open) channel.cursors++;
    const release = (): void => {
      if (!open) return;
      open = false;
      channel.cursors--;
      channel.usedMs = clock.monotonicMs();
    };
    const close = (): void => {
      if (!open) return;
      release();
      pool.callOver(channel.connection, RESOURCE.close, first.cursorId).catch(() => {
        // The connection is closed, and its cursors with it.
      });
    };
    return {
      columns,
      shape,
      onSend: columns === UPDATED ? undefined : this.#dependencies.onSend,
      async pull() {
        try {
          const { connection } = channel;
          const page = await pool.callOver(connection, next, first.cursorId, undefined, Number.POSITIVE_INFINITY);
          if (!page.more) release();
          return { rows: page.rows.map(toRow), more: page.more };
        } catch (error) {
          if (isUnreadable(error)) close();
          else release();
          throw isLost(error) ? new CursorLost(error) : queryError(error, subject);
        }
      },
      close,
    };
  }

  /** Returns, after a delay, whether a query whose node was lost may be repeated. */
  async #mayTryAgain(startedMs: number): Promise<boolean> {
    const { clock, pool } = this.#dependencies;
    if (clock.monotonicMs() - startedMs > pool.settings.reconnectTimeoutMs) return false;
    await sleep(clock, RETRY_DELAY_MS);
    return true;
  }

  #forgetStructure(): void {
    this.#selects.forgetColumns();
    this.#dependencies.definitions.forget();
  }
}

function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof GridError && error.code === 'OUTCOME_UNKNOWN';
}

function rowOf(entry: Entry): Row {
  return [entry.key, entry.value];
}
