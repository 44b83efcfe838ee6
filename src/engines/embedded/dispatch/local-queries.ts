/**
 * Runs statements by key on the request's thread. They touch a known number of rows, and a message to another thread
 * would cost more.
 */
import { gridError } from '../../../base/errors.ts';
import type { DefinitionStatement } from '../../../grid/definition-changes.ts';
import type { FieldsQuery, MaybePromise, QueryPage, QueryRequest } from '../../../grid/grid.ts';
import { analyze, type StatementAnalysis } from '../../../sql/analysis/analysis.ts';
import { EngineCatalog, type VirtualTables } from '../catalog/engine-catalog.ts';
import { quickDefinition } from '../shared/definitions.ts';
import { checkGranted } from '../shared/granted-tables.ts';
import { PreparedStatements } from '../shared/prepared-statements.ts';
import { asStorageFailure, isTableLost, statementFailure } from '../shared/sql-failures.ts';
import type { Prepared } from '../sql/statement.ts';
import { LocalChanges, type LocalChangesOptions } from './local-changes.ts';
import { LocalReads, type LocalReadsOptions } from './local-reads.ts';
import type { LocalQueries } from './statement-router.ts';
import { isNarrow, isShort } from './statement-size.ts';
import type { ProcessKind } from './statement-slots.ts';

export interface LocalQueriesOptions extends LocalReadsOptions, Pick<LocalChangesOptions, 'changes' | 'kill'> {
  readonly virtualTables: VirtualTables;
}

/** Returns the kind of statement process for a statement that is not prepared here. */
function processKindOf({ kind }: StatementAnalysis): ProcessKind {
  return kind === 'query' || kind === 'explain' || kind === 'unknown' ? 'reading' : 'writing';
}

/** Returns a function that runs statements by key, and returns the kind of statement process for all others. */
export function localQueries(options: LocalQueriesOptions): LocalQueries {
  const { thread } = options;
  const catalog = new EngineCatalog(thread, options.virtualTables, 'plain');
  const statements = new PreparedStatements(catalog);
  const reads = new LocalReads(options);
  const changes = new LocalChanges({ ...options, catalog, statements, reads });

  /** Prepares a statement, or returns the kind of statement process that must do so. */
  function prepare({ sql, args }: FieldsQuery, schema: string): Prepared | ProcessKind {
    const analysis = analyze(sql);
    // Binding a long statement takes milliseconds, and folding expensive calls is unbounded.
    const isCheap = analysis.kind === 'killQuery' || (isShort(sql, analysis) && isNarrow(analysis, schema, catalog));
    return isCheap ? statements.get(sql, schema, args) : processKindOf(analysis);
  }

  function fields(query: FieldsQuery): MaybePromise<QueryPage> | ProcessKind {
    const schema = catalog.schemaOfCache(query.cache);
    const known = statements.known(query.sql, schema);
    const prepared = known === undefined ? prepare(query, schema) : statements.withArguments(known, query.args);
    if (typeof prepared === 'string') return prepared;
    const grant = query.sender?.grant();
    if (grant !== undefined) checkGranted(prepared, grant, query.owner);
    // A page size of 0 leaves the rows to qryfetch, which needs a cursor. Exports write rows in their own format.
    const mayRun = query.pageSize > 0 && query.export === undefined;
    const isLocal = 'byKey' in prepared && prepared.byKey && mayRun;
    switch (prepared.kind) {
      case 'query':
        if (isLocal) return reads.byKey(prepared, query) ?? 'reading';
        return (mayRun && query.maxRows === undefined ? reads.quick(prepared, query) : undefined) ?? 'reading';
      case 'explain':
        return 'reading';
      case 'ddl': {
        const { statement, columns } = prepared;
        if (statement.kind === 'killQuery') return changes.kill(query, columns, statement);
        // A change that waits for a statement can be listed and killed only in the process for changes.
        const mayDefine = mayRun && !thread.shared.writeLock.isHeldLong();
        const quick = mayDefine ? quickDefinition(statement) : undefined;
        return quick === undefined ? 'writing' : changes.define(query, { ...prepared, statement: quick });
      }
      case 'change':
        return isLocal ? changes.change(prepared, query) : 'writing';
    }
  }

  /** Repeats a statement whose table SQLite did not find; returns any other error. */
  function retryLostTable(query: FieldsQuery, error: unknown): MaybePromise<QueryPage> | ProcessKind {
    const failure = statementFailure(error, query.sql);
    if (!isTableLost(failure)) throw failure;
    try {
      return fields(query);
    } catch (second) {
      throw asStorageFailure(statementFailure(second, query.sql));
    }
  }

  function run(request: QueryRequest): MaybePromise<QueryPage> | ProcessKind {
    if (thread.shared.isInactive()) throw gridError('INACTIVE');
    if (request.kind !== 'fields') return 'reading';
    try {
      return fields(request);
    } catch (error) {
      return retryLostTable(request, error);
    }
  }

  return Object.assign(run, {
    previewDefinition: (statement: DefinitionStatement) => changes.previewDefinition(statement),
  });
}
