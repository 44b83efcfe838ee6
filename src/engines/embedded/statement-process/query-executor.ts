/** Executes a statement or a scan of a query thread: what starts it, how others see it, and its cursor. */
import { fail } from '../../../base/errors.ts';
import { exportWriters } from '../../../grid/export-writers.ts';
import { exportBudget, type StatementBudget } from '../../../grid/statement-budget.ts';
import type { EngineCatalog } from '../catalog/engine-catalog.ts';
import { checkGranted } from '../shared/granted-tables.ts';
import type { PreparedStatements } from '../shared/prepared-statements.ts';
import { type SharedQueryState, WRITING_THREAD } from '../shared/shared-query-state.ts';
import { withSqlErrors } from '../shared/sql-failures.ts';
import { type PageChunk, type SentQuery, tenantOf, withTimesOf } from '../shared/statement-protocol.ts';
import { checkDistributedJoin, type Prepared } from '../sql/statement.ts';
import { needsServiceInfo } from '../system-views/system-views.ts';
import type { EngineThread } from '../thread/engine-thread.ts';
import type { ChangeRunner } from './change-runner.ts';
import type { Cursors } from './cursors.ts';
import type { DefinitionRunner } from './definitions/definition-runner.ts';
import { FixedRows } from './rows/row-sources.ts';
import { SlowStatements, type SlowStatementsOptions } from './slow-statements.ts';
import { StatementExecution } from './statement-execution.ts';
import type { BegunStatement, StatementSources } from './statement-sources.ts';
import { StatementWatch } from './statement-watch.ts';

export interface QueryExecutorParts extends SlowStatementsOptions {
  readonly thread: EngineThread;
  readonly queryState: SharedQueryState;
  /** Index of this thread among the query threads. */
  readonly index: number;
  readonly budget: StatementBudget;
  readonly catalog: EngineCatalog;
  readonly prepared: PreparedStatements;
  readonly sources: StatementSources;
  readonly changes: ChangeRunner;
  readonly definitions: DefinitionRunner;
  readonly cursors: Cursors;
  /** Refreshes the rows of system views that only the service knows. */
  readonly readServiceInfo: () => Promise<void>;
  /** Called after a statement that has used a processor for long. */
  readonly onHeavy: () => void;
}

/**
 * After a statement that used a processor for longer, memory is freed at once, which then adds little to its time.
 * Short statements that share a busy processor take as long, and must not pay for it.
 */
const HEAVY_MS = 100;

export class QueryExecutor {
  readonly #parts: QueryExecutorParts;
  readonly #slow: SlowStatements;

  constructor(parts: QueryExecutorParts) {
    this.#parts = parts;
    this.#slow = new SlowStatements(parts, parts.catalog);
  }

  /** Returns the first chunk of the first page. */
  async execute(query: SentQuery): Promise<PageChunk> {
    const { thread, queryState, index, budget, cursors, onHeavy } = this.#parts;
    const { clock } = thread;
    if (thread.shared.isInactive()) throw fail('INACTIVE');
    const { owner, ticket, timeoutMs: limitMs = 0, pageSize, sentAtMs } = query;
    const tenant = tenantOf(query);
    const id = cursors.nextId();
    const waitedMs = clock.nowMs() - sentAtMs;
    const shown = { id, ...this.#shown(query), owner, startedAtMs: sentAtMs, pageSize };
    const entry = queryState.beginStatement(index, shown, ticket, waitedMs);
    const bounds = withTimesOf(query.export ? exportBudget(budget) : budget, query);
    const watch = new StatementWatch(clock, queryState, bounds, { thread: index, ticket, limitMs, waitedMs, entry });
    const execution = new StatementExecution(queryState.history, query, clock, watch);
    let begun: BegunStatement;
    // A change still has to wait for the write lock; a read occupies its thread from here on.
    if (index !== WRITING_THREAD) queryState.beginWork(index, { id, owner, ticket, tenant }, clock.nowMs());
    try {
      begun = await this.#begin(query, watch, execution);
    } catch (error) {
      entry?.end();
      execution.failed();
      throw error;
    } finally {
      if (index !== WRITING_THREAD) queryState.endWork(index);
    }
    const maxRows = query.kind === 'fields' && (query.maxRows ?? 0) > 0 ? query.maxRows : undefined;
    const { slow } = begun;
    execution.begun(begun.changedRows);
    const types = { find: (typeName: string) => thread.findType(typeName, query.cache) };
    const createWriter = query.export && exportWriters({ ...query.export, types });
    return cursors.begin(id, begun.source, watch, { ...query, tenant, maxRows, createWriter }, (failed) => {
      entry?.end();
      execution.ended(failed);
      if (slow !== undefined) this.#slow.note({ ...slow, user: owner, timeMs: watch.usedMs });
      if (watch.usedCpuMs >= HEAVY_MS) onHeavy();
    });
  }

  /** Returns what SYS.SQL_QUERIES and SYS.SCAN_QUERIES show. */
  #shown(query: SentQuery) {
    if (query.kind === 'scan') return { kind: 'scan', text: query.cache, detail: query.className ?? '' } as const;
    const cache = this.#parts.thread.registry.find(query.cache);
    return { kind: 'sql', text: query.sql, detail: cache?.schema ?? '' } as const;
  }

  async #begin(query: SentQuery, watch: StatementWatch, execution: StatementExecution): Promise<BegunStatement> {
    const { catalog, sources, changes, definitions } = this.#parts;
    switch (query.kind) {
      case 'scan':
        return { source: sources.scan(query, watch), slow: undefined };
      case 'type': {
        const begun = sources.typeQuery(query, watch);
        execution.prepared(catalog.schemaOfCache(query.cache));
        return begun;
      }
      case 'fields': {
        const schema = catalog.schemaOfCache(query.cache);
        const prepared = this.#parts.prepared.get(query.sql, schema);
        if (query.grant !== undefined) checkGranted(prepared, query.grant, query.owner);
        execution.prepared(schema);
        if (readsServiceViews(prepared)) await this.#parts.readServiceInfo();
        switch (prepared.kind) {
          case 'query':
            withSqlErrors(query.sql, () => checkDistributedJoin(prepared, query));
            return sources.query(prepared, query, watch, 'array', prepared.columns);
          case 'explain':
            return { source: sources.explain(prepared, query, watch), slow: undefined };
          case 'change': {
            const updated = await changes.change(prepared, query, watch);
            const [step] = prepared.steps;
            return {
              source: new FixedRows(prepared.columns, [[{ type: 'long', data: updated }]]),
              slow: step && { ...prepared, text: query.sql, sql: step.sql },
              changedRows: updated,
            };
          }
          case 'ddl':
            await definitions.run(prepared, query.definesAsIgnite === true, watch);
            return { source: new FixedRows(prepared.columns, [[{ type: 'long', data: 0n }]]), slow: undefined };
        }
      }
    }
  }
}

/** Reports whether the statement reads a system view that needs the service's data. */
function readsServiceViews(prepared: Prepared): boolean {
  return (
    'placeholders' in prepared &&
    prepared.placeholders.some((placeholder) => placeholder.kind === 'rows' && needsServiceInfo(placeholder.table))
  );
}
