/** The row of EXPLAIN: a statement's plan, and the indexes that would avoid reading whole tables. */
import type { EngineCatalog } from '../catalog/engine-catalog.ts';
import { withSqlErrors } from '../shared/sql-failures.ts';
import type { SentQuery } from '../shared/statement-protocol.ts';
import { bindArguments } from '../sql/arguments.ts';
import type { PreparedExplain } from '../sql/statement.ts';
import { adviseIndexes } from './index-advice.ts';
import { explainPlan } from './plans.ts';
import { attachTables } from './query-rows.ts';
import { FixedRows, type RowSource } from './rows/row-sources.ts';
import type { ScanDependencies } from './scan-rows.ts';
import type { StatementWatch } from './statement-watch.ts';

export interface PlanRowsOptions extends Pick<ScanDependencies, 'thread' | 'connections'> {
  readonly catalog: EngineCatalog;
}

/** Explains a statement; with ANALYZE it runs it. Throws SQL, QUERY_CANCELLED, QUERY_MEMORY or QUERY_DISK. */
export function planRows(
  { thread, connections, catalog }: PlanRowsOptions,
  prepared: PreparedExplain,
  query: Extract<SentQuery, { kind: 'fields' }>,
  watch: StatementWatch,
): RowSource {
  const connection = connections.acquire();
  try {
    const text = withSqlErrors(query.sql, () => {
      const nowMs = thread.clock.nowMs();
      const bindings = bindArguments(prepared, query.args, nowMs, query);
      attachTables(connection, prepared, query.owner, nowMs);
      connection.register.ensure(prepared.functions);
      connection.register.context.poll = watch.poll;
      watch.use(connection.guarded);
      const plan = watch.run(() => explainPlan(prepared, bindings, connection, catalog));
      const advice = adviseIndexes(prepared, catalog);
      return [plan, ...advice.map(({ create }) => `advice: ${create}`)].join('\n');
    });
    return new FixedRows(prepared.columns, [[{ type: 'string', data: text }]]);
  } finally {
    watch.use(undefined);
    connections.release(connection);
  }
}
