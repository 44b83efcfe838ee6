/** How a statement travels to the cluster. The nodes parse it themselves; their grammar has more than ours. */
import { analyze, type StatementKind } from '../../../sql/analysis/analysis.ts';

export interface StatementRoute {
  /** One statement that begins as a query does: it goes over the JDBC dialect, which describes columns. */
  readonly asQuery: boolean;
  /** It is known to read only, so it may be sent again when the answer was lost. */
  readonly repeatable: boolean;
  /** What is known of tables may not hold any more after it. */
  readonly redefines: boolean;
}

const QUERY_VERBS = /^(?:SELECT|WITH|VALUES|TABLE|EXPLAIN|SHOW)\b/;
const OF_ROWS: ReadonlySet<StatementKind> = new Set([
  'query',
  'explain',
  'insert',
  'merge',
  'mergeUsing',
  'update',
  'delete',
]);

/** Decides by the analysis of the text. What could not be analysed is sent once. */
export function routeOf(sql: string): StatementRoute {
  const { kind, verb, statements } = analyze(sql);
  const asQuery = statements === 1 && QUERY_VERBS.test(verb);
  return {
    asQuery,
    repeatable: asQuery && (kind === 'query' || kind === 'explain'),
    redefines: !asQuery && !OF_ROWS.has(kind),
  };
}
