/** Opens the row sources of queries, scans and plans on the read connections of a query thread. */
import type { Clock } from '../../../base/clock.ts';
import { fail, type GridError } from '../../../base/errors.ts';
import type { Column } from '../../../grid/grid.ts';
import type { RowShape } from '../../../grid/row-writers.ts';
import { isJavaClass } from '../../../values/type-names.ts';
import { NULL, type Value } from '../../../values/value.ts';
import type { EngineCatalog } from '../catalog/engine-catalog.ts';
import type { CacheHandle } from '../ddl/cache-registry.ts';
import { bindArguments, bindingsOf } from '../sql/arguments.ts';
import type { PreparedExplain, PreparedQuery } from '../sql/statement.ts';
import { attachedName, DATA_DATABASE } from '../storage/databases.ts';
import { type Binding, decodeValue } from '../storage/value-storage.ts';
import type { EngineThread } from '../thread/engine-thread.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { type AdvisedStatement, adviseIndexes } from './monitoring/index-advice.ts';
import { explainPlan } from './plans.ts';
import type { PreparedStatements } from './prepared-statements.ts';
import type { SentQuery } from './query-protocol.ts';
import { jsonQuery, type WrittenFormat } from './rows/json-rows.ts';
import {
  CollectedJsonRows,
  type ColumnReader,
  columnValue,
  FixedRows,
  JsonRows,
  type RowSource,
  StatementRows,
  type StatementSource,
} from './rows/row-sources.ts';
import type { SqlConnection } from './sql-connection.ts';
import { withSqlErrors } from './sql-failures.ts';
import type { StatementWatch } from './statement-watch.ts';
import type { Statistics } from './statistics.ts';

/** Returns a scan's predicate by its class name; undefined when there is none. */
export type FindPredicate = (className: string) => ((key: Value, value: Value) => boolean) | undefined;

export interface StatementSourcesParts {
  readonly thread: EngineThread;
  readonly clock: Clock;
  readonly catalog: EngineCatalog;
  readonly prepared: PreparedStatements;
  readonly connections: ConnectionPool;
  readonly statistics: Statistics;
  readonly findPredicate: FindPredicate;
  /** Converts every value that is sent (the configured message interceptor). */
  readonly onSend: ((value: Value) => Value) | undefined;
}

const KEY_VALUE: readonly Column[] = ['key', 'value'].map((fieldName) => ({
  fieldName,
  fieldTypeName: '',
  schemaName: '',
  typeName: '',
}));

type FieldsOrType = Exclude<SentQuery, { kind: 'scan' }>;
/** A text for SQLite, and the functions that it calls. */
type StorageText = Pick<PreparedQuery, 'sql' | 'functions'>;
export type FieldsStatement = Extract<SentQuery, { kind: 'fields' }>;

/** A statement that has begun. */
export interface BegunStatement {
  readonly source: RowSource;
  /** The statement for the report of slow ones; undefined if no index could help. */
  readonly slow: (AdvisedStatement & { readonly text: string }) | undefined;
  /** Number of rows that it has changed; absent for other statements. */
  readonly changedRows?: bigint;
}

/** The rows of a statement that has been started. */
interface StartedRows {
  readonly rows: StatementSource['rows'];
  readonly onClose: () => void;
}

/** Opens row sources. Each has its own connection, which it returns to the pool when it is closed. */
export class StatementSources {
  readonly #parts: StatementSourcesParts;

  constructor(parts: StatementSourcesParts) {
    this.#parts = parts;
  }

  /** Returns the format in which SQLite writes the rows of a query, if it can; undefined if they are converted. */
  #writtenFormat(query: FieldsOrType): WrittenFormat | undefined {
    const { format, notation } = query;
    if (format === 'csv' || notation !== undefined || this.#parts.onSend !== undefined) return undefined;
    return format === 'json' || query.export === undefined ? format : undefined;
  }

  /** Starts a query. Throws SQL, QUERY_CANCELLED, QUERY_MEMORY or QUERY_DISK. */
  query(
    prepared: PreparedQuery,
    query: FieldsOrType,
    watch: StatementWatch,
    shape: RowShape,
    columns: readonly Column[],
  ): BegunStatement {
    this.#parts.statistics.noteUse(prepared.tables);
    const source = this.#withConnection((connection) =>
      withSqlErrors(query.sql, () => {
        const { clock } = this.#parts;
        const bindings = bindArguments(prepared, query.args, clock.nowMs(), query);
        if (prepared.byKey) watch.allowRow();
        this.#prepare(connection, prepared, query.owner);
        const parts = { text: query.sql, shape, columns, overCaches: prepared.tables.length > 0 };
        const asIgnite = query.kind === 'fields' && query.asIgnite;
        const written = shape === 'array' ? this.#writtenFormat(query) : undefined;
        const json = written && jsonQuery(prepared, asIgnite, written);
        if (written !== undefined && json !== undefined) {
          const { guarded } = connection;
          // To find the end of a text, the row after it is read, which a limit of rows does not allow.
          const isLimited = query.kind === 'fields' && query.maxRows !== undefined && query.maxRows > 0;
          // The extension joins rows with commas.
          if (guarded !== undefined && !isLimited && written === 'json') {
            const rows = this.#iterate(connection, { ...json, sql: json.collectedSql }, bindings, watch);
            return new CollectedJsonRows({ ...parts, ...rows, connection }, prepared.types, guarded);
          }
          const rows = this.#iterate(connection, json, bindings, watch);
          return new JsonRows({ ...parts, ...rows, connection }, prepared.types, written);
        }
        const readers = prepared.types.map(
          (_, index): ColumnReader => this.#sent((row) => columnValue(prepared, row, index)),
        );
        return this.#rows(connection, prepared, bindings, watch, {
          ...parts,
          readers,
          accepts: undefined,
        });
      }),
    );
    return { source, slow: { ...prepared, text: query.sql } };
  }

  /** Starts a query for the entries of one type. Throws QUERY_TYPE_NOT_FOUND. */
  typeQuery(query: Extract<SentQuery, { kind: 'type' }>, watch: StatementWatch): BegunStatement {
    const schema = this.#parts.catalog.schemaOfCache(query.cache);
    const found = this.#parts.catalog
      .tables()
      .find(
        ({ table, entity }) =>
          table.cache === query.cache && table.schema === schema && simpleName(entity.valueType) === query.typeName,
      );
    if (found === undefined) throw fail('QUERY_TYPE_NOT_FOUND', query.typeName);
    return this.query(this.#parts.prepared.typeQuery(query.sql, found.table), query, watch, 'entry', KEY_VALUE);
  }

  /** Returns the error of a scan whose class is no predicate. */
  #failureOfClass(name: string): GridError {
    const { classes = [] } = this.#parts.thread.settings;
    const isClass = isJavaClass(name) || classes.some(({ typeName }) => typeName === name);
    return fail(isClass ? 'CLASS_NOT_A_FILTER' : 'CLASS_NOT_FOUND', name);
  }

  /** Starts a scan. Throws QUERY_CACHE_NOT_FOUND, CLASS_NOT_FOUND or CLASS_NOT_A_FILTER. */
  scan(query: Extract<SentQuery, { kind: 'scan' }>, watch: StatementWatch): RowSource {
    const { thread, clock } = this.#parts;
    const handle = thread.registry.find(query.cache);
    if (handle === undefined) {
      throw fail('QUERY_CACHE_NOT_FOUND', query.cache, thread.registry.cacheOfTable(query.cache));
    }
    const predicate = query.className === undefined ? undefined : this.#parts.findPredicate(query.className);
    if (query.className !== undefined && predicate === undefined) throw this.#failureOfClass(query.className);
    const columns = handle.codec.columns.map((column) => `, f${column}`).join('');
    const deadline = query.export === undefined ? '' : ', exp';
    const { skip = 0 } = query;
    const sql = `SELECT kt, k, vt, v${deadline}${columns} FROM ${physicalName(handle)} WHERE exp IS NULL OR exp > ?${skip > 0 ? ' LIMIT -1 OFFSET ?' : ''}`;
    const key: ColumnReader = (row) => decodeValue(Number(row.kt), row.k ?? null, thread.names);
    const value: ColumnReader = (row) =>
      handle.codec.value({ ...row, vt: typeof row.vt === 'bigint' ? row.vt : 0n, v: row.v ?? null, exp: null });
    const expires: ColumnReader = ({ exp }) => (typeof exp === 'bigint' ? { type: 'long', data: exp } : NULL);
    const sent = [this.#sent(key), this.#sent(value), expires];
    return this.#withConnection((connection) => {
      connection.attach([handle.database]);
      return withSqlErrors(sql, () =>
        this.#rows(connection, { sql, functions: [] }, skip > 0 ? [clock.nowMs(), skip] : [clock.nowMs()], watch, {
          text: sql,
          shape: 'entry',
          columns: KEY_VALUE,
          readers: sent,
          overCaches: true,
          // A predicate sees what is stored, not what the interceptor makes of it for clients.
          accepts: predicate && ((row) => predicate(key(row), value(row))),
        }),
      );
    });
  }

  #rows(
    connection: SqlConnection,
    statement: StorageText,
    bindings: readonly Binding[],
    watch: StatementWatch,
    parts: {
      readonly text: string;
      readonly shape: RowShape;
      readonly columns: readonly Column[];
      readonly readers: readonly ColumnReader[];
      readonly overCaches: boolean;
      readonly accepts: StatementSource['accepts'];
    },
  ): RowSource {
    return new StatementRows({
      ...parts,
      ...this.#iterate(connection, statement, bindings, watch),
      connection,
      poll: parts.accepts === undefined ? () => {} : watch.poll,
    });
  }

  /** Starts a statement. `onClose` returns the connection to the pool. */
  #iterate(
    connection: SqlConnection,
    { sql, functions }: StorageText,
    bindings: readonly Binding[],
    watch: StatementWatch,
  ): StartedRows {
    watch.use(connection.guarded);
    connection.register.context.poll = watch.poll;
    connection.register.context.checkMemory = watch.checkMemory;
    const statement = watch.run(() => connection.statements.get(sql, functions));
    const rows = statement.iterate(...bindingsOf(statement, bindings));
    return { rows, onClose: () => this.#parts.connections.release(connection) };
  }

  /** Returns the description of a statement's plan, and the indexes that would avoid reading whole tables. */
  explain(prepared: PreparedExplain, query: FieldsStatement, watch: StatementWatch): RowSource {
    const connection = this.#parts.connections.acquire();
    try {
      const text = withSqlErrors(query.sql, () => {
        const bindings = bindArguments(prepared, query.args, this.#parts.clock.nowMs(), query);
        this.#prepare(connection, prepared, query.owner);
        connection.register.ensure(prepared.functions);
        connection.register.context.poll = watch.poll;
        watch.use(connection.guarded);
        const plan = watch.run(() => explainPlan(prepared, bindings, connection, this.#parts.catalog));
        const advice = adviseIndexes(prepared, this.#parts.catalog);
        return [plan, ...advice.map(({ create }) => `advice: ${create}`)].join('\n');
      });
      return new FixedRows(prepared.columns, [[{ type: 'string', data: text }]]);
    } finally {
      watch.use(undefined);
      this.#parts.connections.release(connection);
    }
  }

  /** Attaches the databases that the statement needs. */
  #prepare(connection: SqlConnection, prepared: PreparedQuery | PreparedExplain, owner: string): void {
    connection.attach(prepared.tables.map(({ database }) => database));
    connection.statements.setEnvironment(this.#parts.clock.nowMs(), owner, prepared.schema);
  }

  #withConnection(use: (connection: SqlConnection) => RowSource): RowSource {
    const connection = this.#parts.connections.acquire();
    try {
      return use(connection);
    } catch (error) {
      this.#parts.connections.release(connection);
      throw error;
    }
  }

  #sent(read: ColumnReader): ColumnReader {
    const { onSend } = this.#parts;
    if (onSend === undefined) return read;
    return (row) => {
      const value = read(row);
      return value === NULL ? value : onSend(value);
    };
  }
}

function physicalName(handle: CacheHandle): string {
  return handle.database === DATA_DATABASE ? handle.table : `${attachedName(handle.database)}.${handle.table}`;
}

/** Returns a type's name without package and outer class, as `qryexe` accepts it. */
function simpleName(typeName: string): string {
  return typeName.split(/[.$]/).at(-1) || typeName;
}
