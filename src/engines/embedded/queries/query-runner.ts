/** What a query thread does: runs statements, scans and changes on connections of its own, and keeps their cursors. */
import type { Clock } from '../../../base/clock.ts';
import { fail, GridError } from '../../../base/errors.ts';
import type { Column } from '../../../grid/grid.ts';
import { NULL, type Value } from '../../../values/value.ts';
import type { CacheHandle } from '../catalogue.ts';
import type { ChangeChannel } from '../changes.ts';
import { DATA_DATABASE, databaseOf, databasePath, openForWriting } from '../databases.ts';
import type { EngineThread } from '../engine-thread.ts';
import { valueOfCell } from '../sql/cells.ts';
import { runChange } from '../sql/run-change.ts';
import {
  bindArguments,
  type PreparedChange,
  type PreparedDdl,
  type PreparedExplain,
  type PreparedQuery,
} from '../sql/statement.ts';
import type { StructureStatement } from '../tables.ts';
import { type Binding, decodeValue } from '../value-cells.ts';
import { Cursors, type RowSource } from './cursors.ts';
import { attachedName, EngineCatalog, type VirtualTables } from './engine-catalog.ts';
import { explainPlan } from './plans.ts';
import { PreparedStatements } from './prepared-statements.ts';
import type { FetchQuestion, PagePiece, SentQuery, Tickets } from './query-protocol.ts';
import { type CellReader, cellOf, GivenRows, StatementRows } from './row-sources.ts';
import type { ValueReader } from './row-writers.ts';
import { type CellRow, ConnectionPool, environmentOf, pollOf, SqlConnection } from './sql-connection.ts';
import { asStatement, statementFailure } from './sql-failures.ts';

/** Whether a scan shows the entry; undefined: there is no predicate of the name. */
export type FindPredicate = (className: string) => ((key: Value, value: Value) => boolean) | undefined;

/** The right to write beside the writer. */
export interface WriteLease {
  /** Runs `action` while nobody else writes; it gives the numbers of the databases that it committed to. */
  with(action: () => readonly number[]): Promise<void>;
}

export interface QueryRunnerOptions {
  readonly thread: EngineThread;
  readonly clock: Clock;
  readonly changes: ChangeChannel;
  readonly lease: WriteLease;
  readonly tickets: Tickets;
  /** Number of this thread among the query threads. */
  readonly index: number;
  readonly maxCursors: number;
  readonly idleMs: number;
  /** Time limit where the request has none; 0: none. */
  readonly timeoutMs: number;
  readonly virtualTables: VirtualTables;
  readonly findPredicate: FindPredicate;
  /** Applied to every value that goes out (the configuration's message interceptor). */
  readonly onSend: ((value: Value) => Value) | undefined;
}

const IDLE_CHECK_MS = 1_000;
const NO_DEADLINE = Number.POSITIVE_INFINITY;
const KEY_VALUE: readonly Column[] = ['key', 'value'].map((fieldName) => ({
  fieldName,
  fieldTypeName: '',
  schemaName: '',
  typeName: '',
}));

export class QueryRunner {
  readonly cursors: Cursors;
  readonly #options: QueryRunnerOptions;
  readonly #catalog: EngineCatalog;
  readonly #prepared: PreparedStatements;
  readonly #connections: ConnectionPool;
  #writing: SqlConnection | undefined;

  constructor(options: QueryRunnerOptions) {
    const { thread, clock, index, maxCursors, idleMs, virtualTables } = options;
    this.#options = options;
    this.#catalog = new EngineCatalog(thread, virtualTables, 'attached');
    this.#prepared = new PreparedStatements(this.#catalog);
    this.#connections = new ConnectionPool(
      () => this.#open('read'),
      () => thread.shared.lives(),
    );
    this.cursors = new Cursors(clock, index, maxCursors, idleMs);
    clock.every(IDLE_CHECK_MS, () => this.cursors.closeIdle());
  }

  async execute(query: SentQuery): Promise<PagePiece> {
    if (this.#options.thread.shared.isInactive()) throw fail('INACTIVE');
    const source = await this.#source(query);
    const maxRows =
      query.kind === 'fields' && query.maxRows !== undefined && query.maxRows > 0 ? query.maxRows : NO_DEADLINE;
    return this.cursors.begin(source, query.owner, query.pageSize, maxRows, query.format);
  }

  fetch({ queryId, owner, pageSize, format, ticket }: FetchQuestion): PagePiece {
    if (this.#options.thread.shared.isInactive() && this.cursors.overCaches(queryId)) throw fail('INACTIVE');
    return this.cursors.fetch(queryId, owner, pageSize, format, ticket);
  }

  /** Ends what reads non-persistent regions; their files go. */
  releaseRegions(): void {
    this.cursors.closeWhere((source) => source.overCaches);
    this.#connections.closeFree();
    this.#writing?.close();
    this.#writing = undefined;
  }

  close(): void {
    this.cursors.closeWhere(() => true);
    this.#connections.closeFree();
    this.#writing?.close();
  }

  async #source(query: SentQuery): Promise<RowSource> {
    switch (query.kind) {
      case 'scan':
        return this.#scan(query);
      case 'type':
        return this.#typeQuery(query);
      case 'fields': {
        const prepared = this.#prepared.get(query.sql, this.#catalog.schemaOfCache(query.cache));
        switch (prepared.kind) {
          case 'query':
            return this.#query(prepared, query, 'array', prepared.columns);
          case 'explain':
            return this.#explain(prepared, query);
          case 'change':
            return this.#change(prepared, query);
          case 'ddl':
            return this.#define(prepared);
        }
      }
    }
  }

  #query(
    prepared: PreparedQuery,
    query: Exclude<SentQuery, { kind: 'scan' }>,
    shape: 'array' | 'entry',
    columns: readonly Column[],
  ): RowSource {
    const connection = this.#connections.take();
    try {
      return asStatement(query.sql, () => {
        const nowMs = this.#options.clock.nowMs();
        const bindings = bindArguments(prepared, query.args, nowMs);
        connection.register.surroundings.environment = environmentOf(this.#options.clock, query.owner, prepared.schema);
        connection.register.ensure(prepared.functions);
        const readers = prepared.types.map(
          (type, index): CellReader => this.#sent((row) => valueOfCell(type, cellOf(row, index))),
        );
        return this.#rows(connection, prepared.sql, bindings, query, {
          shape,
          columns,
          readers,
          overCaches: prepared.tables.length > 0,
          shows: undefined,
        });
      });
    } catch (error) {
      this.#connections.give(connection);
      throw error;
    }
  }

  #typeQuery(query: Extract<SentQuery, { kind: 'type' }>): RowSource {
    const schema = this.#catalog.schemaOfCache(query.cache);
    const found = this.#catalog
      .tables()
      .find(
        ({ table, entity }) =>
          table.cache === query.cache && table.schema === schema && simpleName(entity.valueType) === query.typeName,
      );
    if (found === undefined) throw fail('QUERY_TYPE_NOT_FOUND', query.typeName);
    return this.#query(this.#prepared.typeQuery(query.sql, found.table), query, 'entry', KEY_VALUE);
  }

  #scan(query: Extract<SentQuery, { kind: 'scan' }>): RowSource {
    const { thread, clock } = this.#options;
    const handle = thread.catalogue.find(query.cache);
    if (handle === undefined) throw fail('QUERY_CACHE_NOT_FOUND', query.cache);
    const predicate = query.className === undefined ? undefined : this.#options.findPredicate(query.className);
    if (query.className !== undefined && predicate === undefined) throw fail('CLASS_NOT_FOUND', query.className);
    const columns = handle.codec.columns.map((column) => `, f${column}`).join('');
    const sql = `SELECT kt, k, vt, v${columns} FROM ${physicalName(handle)} WHERE exp IS NULL OR exp > ?`;
    const key: CellReader = (row) => decodeValue(Number(row.kt), row.k ?? null, thread.names);
    const value: CellReader = (row) =>
      handle.codec.value({ ...row, vt: typeof row.vt === 'bigint' ? row.vt : 0n, v: row.v ?? null, exp: null });
    const sent = [this.#sent(key), this.#sent(value)];
    const connection = this.#connections.take();
    try {
      return this.#rows(connection, sql, [clock.nowMs()], query, {
        shape: 'entry',
        columns: KEY_VALUE,
        readers: predicate === undefined ? sent : [key, value],
        overCaches: true,
        shows: predicate === undefined ? undefined : (read) => predicate(read(0), read(1)),
      });
    } catch (error) {
      this.#connections.give(connection);
      throw error;
    }
  }

  #rows(
    connection: SqlConnection,
    sql: string,
    bindings: readonly Binding[],
    query: SentQuery,
    parts: {
      readonly shape: 'array' | 'entry';
      readonly columns: readonly Column[];
      readonly readers: readonly CellReader[];
      readonly overCaches: boolean;
      readonly shows: ((read: ValueReader) => boolean) | undefined;
    },
  ): RowSource {
    const statement = connection.statements.get(sql);
    const { surroundings } = connection.register;
    const onResume = (ticket: number): void => {
      surroundings.poll = this.#poll(ticket, query.timeoutMs);
    };
    onResume(query.ticket);
    const rows = statement.iterate(...bindings.slice(0, statement.paramsCount));
    return new StatementRows({
      ...parts,
      sql: query.kind === 'scan' ? sql : query.sql,
      rows,
      connection,
      poll: parts.shows === undefined ? () => {} : () => surroundings.poll(),
      onResume,
      onClose: () => this.#connections.give(connection),
    });
  }

  #explain(prepared: PreparedExplain, query: Extract<SentQuery, { kind: 'fields' }>): RowSource {
    const connection = this.#connections.take();
    try {
      return asStatement(query.sql, () => {
        const { clock } = this.#options;
        connection.register.surroundings.environment = environmentOf(clock, query.owner, prepared.schema);
        connection.register.ensure(prepared.functions);
        const bindings = bindArguments(prepared, query.args, clock.nowMs());
        const text = explainPlan(prepared, bindings, connection, this.#catalog);
        return new GivenRows(prepared.columns, [[{ type: 'string', data: text }]]);
      });
    } finally {
      this.#connections.give(connection);
    }
  }

  /** A change that is not by key: it runs here, while the writer waits and everybody reads on. */
  async #change(prepared: PreparedChange, query: Extract<SentQuery, { kind: 'fields' }>): Promise<RowSource> {
    const { thread, clock, lease } = this.#options;
    checkChange(thread, prepared, query.sql, query.args);
    let updated = 0n;
    await lease.with(() => {
      const connection = this.#writeConnection();
      const { register, statements, database } = connection;
      register.surroundings.environment = environmentOf(clock, query.owner, prepared.schema);
      register.surroundings.poll = this.#poll(query.ticket, query.timeoutMs);
      const number = databaseOf(thread.reads.files, prepared.target.region);
      database.run('BEGIN IMMEDIATE');
      try {
        const result = runChange(prepared, query.args, clock.nowMs(), {
          register,
          statement: (sql) => statements.get(sql),
        });
        updated = result.updated;
        if (result.addedRows !== 0) {
          const counts = number === DATA_DATABASE ? 'entry_counts' : `${attachedName(number)}.entry_counts`;
          const { id } = thread.catalogue.require(prepared.target.cache);
          database.run(`UPDATE ${counts} SET entries = entries + ? WHERE cache = ?`, [result.addedRows, id]);
        }
        database.run('COMMIT');
      } catch (error) {
        if (database.inTransaction) database.run('ROLLBACK');
        throw statementFailure(error, query.sql);
      }
      return [number];
    });
    return new GivenRows(prepared.columns, [[{ type: 'long', data: updated }]]);
  }

  async #define(prepared: PreparedDdl): Promise<RowSource> {
    const { statement, schema } = prepared;
    const { changes, thread } = this.#options;
    switch (statement.kind) {
      case 'createUser':
      case 'alterUser':
      case 'dropUser':
        throw fail('SECURITY_DISABLED');
      case 'killQuery':
        throw new GridError('SQL', 'KILL QUERY is not supported; close the query with qrycls.');
      case 'truncate':
        throw new GridError('SQL', `Unsupported statement: ${prepared.text}`);
      case 'setLogging': {
        const name = statement.table.name.text;
        if (
          !statement.ifTableExists &&
          this.#catalog.find(statement.table.schema?.text ?? schema, name) === undefined
        ) {
          throw new GridError('SQL_OBJECT_NOT_FOUND', `Table doesn't exist: ${name}`);
        }
        break;
      }
      case 'analyze':
        await this.#analyze(statement.tables.map(({ schema: own, name }) => [own?.text ?? schema, name.text] as const));
        break;
      case 'createIndex': {
        const plan = await changes.submit('planIndex', { statement, schema });
        if (plan === undefined) break;
        await this.#writeAlone(plan.database, plan.sql);
        await changes.submit('runDdl', { statement, schema });
        break;
      }
      default:
        await changes.submit('runDdl', { statement: statement satisfies StructureStatement, schema });
    }
    this.#writing?.close();
    this.#writing = undefined;
    if (thread.shared.isInactive()) throw fail('INACTIVE');
    return new GivenRows(prepared.columns, [[{ type: 'long', data: 0n }]]);
  }

  async #analyze(tables: ReadonlyArray<readonly [string, string]>): Promise<void> {
    for (const [schema, name] of tables) {
      const found = this.#catalog.tables().find(({ table }) => table.schema === schema && table.name === name);
      if (found === undefined) {
        throw new GridError('SQL_OBJECT_NOT_FOUND', `Table doesn't exist [schema=${schema}, table=${name}]`);
      }
      await this.#writeAlone(found.handle.database, `PRAGMA analysis_limit = 1000; ANALYZE ${found.handle.table}`);
    }
  }

  /** Runs texts on a connection to one file, while nobody else writes. */
  async #writeAlone(number: number, sql: string): Promise<void> {
    const { thread, lease } = this.#options;
    await lease.with(() => {
      const path = databasePath(thread.reads.files, number, thread.shared.lives());
      const database = openForWriting(path, number === DATA_DATABASE);
      try {
        database.run(sql);
      } catch (error) {
        throw statementFailure(error, sql);
      } finally {
        database.close(true);
      }
      return [number];
    });
  }

  #writeConnection(): SqlConnection {
    const life = this.#options.thread.shared.lives();
    if (this.#writing !== undefined && this.#writing.life !== life) {
      this.#writing.close();
      this.#writing = undefined;
    }
    this.#writing ??= this.#open('write');
    return this.#writing;
  }

  #open(mode: 'read' | 'write'): SqlConnection {
    const { shared, reads } = this.#options.thread;
    return new SqlConnection(reads.files, shared.lives(), !shared.isInactive(), mode);
  }

  #poll(ticket: number, timeoutMs: number | undefined): () => void {
    const { clock, tickets } = this.#options;
    const limitMs = timeoutMs || this.#options.timeoutMs;
    const deadlineMs = limitMs > 0 ? clock.monotonicMs() + limitMs : NO_DEADLINE;
    return pollOf(clock, () => tickets.isCancelled(ticket), deadlineMs);
  }

  #sent(read: CellReader): CellReader {
    const { onSend } = this.#options;
    if (onSend === undefined) return read;
    return (row: CellRow) => {
      const value = read(row);
      return value === NULL ? value : onSend(value);
    };
  }
}

/** Refuses a change by the cluster's state, with the reference's text (behaviour-cluster.md 2.1). */
export function checkChange(thread: EngineThread, prepared: PreparedChange, sql: string, args: readonly Value[]): void {
  if (thread.shared.isInactive()) throw fail('INACTIVE');
  if (thread.shared.isActive()) return;
  throw new GridError(
    'READ_ONLY',
    `Failed to execute DML statement. Cluster in read-only mode [stmt=${sql}, params=${args.length}, ` +
      `table=${prepared.target.name}]`,
  );
}

function physicalName(handle: CacheHandle): string {
  return handle.database === DATA_DATABASE ? handle.table : `${attachedName(handle.database)}.${handle.table}`;
}

/** Types are queried by their name without package and outer class. */
function simpleName(typeName: string): string {
  return typeName.split(/[.$]/).at(-1) || typeName;
}
