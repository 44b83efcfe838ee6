/** Opens the row sources of queries, scans and plans on the read connections of a query thread. */
import { fail } from '../../../base/errors.ts';
import type { Column } from '../../../grid/grid.ts';
import type { RowShape } from '../../../grid/row-writers.ts';
import type { EngineCatalog } from '../catalog/engine-catalog.ts';
import { jsonQuery, type WrittenFormat } from '../shared/json-rows.ts';
import type { PreparedStatements } from '../shared/prepared-statements.ts';
import { withSqlErrors } from '../shared/sql-failures.ts';
import type { SentQuery } from '../shared/statement-protocol.ts';
import { bindArguments } from '../sql/arguments.ts';
import type { PreparedExplain, PreparedQuery } from '../sql/statement.ts';
import { columnValue } from '../sql/statement-cache.ts';
import { type AdvisedStatement, adviseIndexes } from './index-advice.ts';
import { explainPlan } from './plans.ts';
import {
  CollectedJsonRows,
  convertedReader,
  FixedRows,
  JsonRows,
  type RowSource,
  StatementRows,
} from './rows/row-sources.ts';
import { KEY_VALUE, type ScanParts, scanRows } from './scan-rows.ts';
import type { SqlConnection } from './sql-connection.ts';
import type { StatementWatch } from './statement-watch.ts';
import type { Statistics } from './statistics.ts';

export interface StatementSourcesParts extends ScanParts {
  readonly catalog: EngineCatalog;
  readonly prepared: PreparedStatements;
  readonly statistics: Statistics;
}

type FieldsOrType = Exclude<SentQuery, { kind: 'scan' }>;
export type FieldsStatement = Extract<SentQuery, { kind: 'fields' }>;

/** A statement that has begun. */
export interface BegunStatement {
  readonly source: RowSource;
  /** The statement for the report of slow ones; undefined if no index could help. */
  readonly slow: (AdvisedStatement & { readonly text: string }) | undefined;
  /** Number of rows that it has changed; absent for other statements. */
  readonly changedRows?: bigint;
}

/** Opens row sources. Each has its own connection, which it returns to the pool when it is closed. */
export class StatementSources {
  readonly #parts: StatementSourcesParts;

  constructor(parts: StatementSourcesParts) {
    this.#parts = parts;
  }

  /** Returns the format in which SQLite writes the rows of a query, if it can; undefined if they are converted. */
  #writtenFormat(query: FieldsOrType, converts: boolean): WrittenFormat | undefined {
    const { format, notation } = query;
    if (format === 'csv' || notation !== undefined || converts) return undefined;
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
    const { connections, thread } = this.#parts;
    const onSend = isOverViews(prepared) ? undefined : this.#parts.onSend;
    const source = connections.withConnection((connection) =>
      withSqlErrors(query.sql, () => {
        const bindings = bindArguments(prepared, query.args, thread.clock.nowMs(), query);
        if (prepared.byKey) watch.allowRow();
        this.#prepare(connection, prepared, query.owner);
        const parts = { text: query.sql, shape, columns, overCaches: prepared.tables.length > 0 };
        const asIgnite = query.kind === 'fields' && query.asIgnite;
        const written = shape === 'array' ? this.#writtenFormat(query, onSend !== undefined) : undefined;
        const json = written && jsonQuery(prepared, asIgnite, written);
        if (written !== undefined && json !== undefined) {
          const { guarded } = connection;
          // To find the end of a text, the row after it is read, which a limit of rows does not allow.
          const isLimited = query.kind === 'fields' && query.maxRows !== undefined && query.maxRows > 0;
          // The extension joins rows with commas.
          if (guarded !== undefined && !isLimited && written === 'json') {
            const rows = connections.start(connection, { ...json, sql: json.collectedSql }, bindings, watch);
            return new CollectedJsonRows({ ...parts, ...rows }, prepared.types, guarded);
          }
          const rows = connections.start(connection, json, bindings, watch);
          return new JsonRows({ ...parts, ...rows }, prepared.types, written);
        }
        const rows = connections.start(connection, prepared, bindings, watch);
        const readers = prepared.types.map((_, index) =>
          convertedReader((row) => columnValue(prepared, row, index), onSend),
        );
        return new StatementRows({ ...parts, ...rows, readers, accepts: undefined, poll: () => {} });
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

  /** Starts a scan. Throws QUERY_CACHE_NOT_FOUND, CLASS_NOT_FOUND or CLASS_NOT_A_FILTER. */
  scan(query: Extract<SentQuery, { kind: 'scan' }>, watch: StatementWatch): RowSource {
    return scanRows(this.#parts, query, watch);
  }

  /** Returns the description of a statement's plan, and the indexes that would avoid reading whole tables. */
  explain(prepared: PreparedExplain, query: FieldsStatement, watch: StatementWatch): RowSource {
    const connection = this.#parts.connections.acquire();
    try {
      const text = withSqlErrors(query.sql, () => {
        const bindings = bindArguments(prepared, query.args, this.#parts.thread.clock.nowMs(), query);
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
    connection.statements.setEnvironment(this.#parts.thread.clock.nowMs(), owner, prepared.schema);
  }
}

/** Returns a type's name without package and outer class, as `qryexe` accepts it. */
function simpleName(typeName: string): string {
  return typeName.split(/[.$]/).at(-1) || typeName;
}

/** Reports whether a query reads system views alone: their rows are names and numbers of the service, no values. */
function isOverViews({ tables, placeholders }: PreparedQuery): boolean {
  return tables.length === 0 && placeholders.some(({ kind }) => kind === 'rows');
}
