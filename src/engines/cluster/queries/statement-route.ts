/** Chooses a statement's dialect. The nodes parse statements themselves, and their grammar is larger than ours. */
import { analyze, isRowStatement } from '../../../sql/analysis/analysis.ts';

export interface StatementRoute {
  /** True for a single statement that begins like a query. It uses the JDBC dialect, which describes columns. */
  readonly asQuery: boolean;
  /** True if the statement is read-only, so it may be sent again if the response is lost. */
  readonly repeatable: boolean;
  /** True if the statement may change table definitions. */
  readonly redefines: boolean;
}

const QUERY_VERBS = /^(?:SELECT|WITH|VALUES|TABLE|EXPLAIN|SHOW)\b/;

/** Chooses by the analysis of the statement. A statement that cannot be analysed is sent once. */
export function routeOf(sql: string): StatementRoute {
  const { kind, verb, statements } = analyze(sql);
  const asQuery = statements === 1 && QUERY_VERBS.test(verb);
  return {
    asQuery,
    repeatable: asQuery && (kind === 'query' || kind === 'explain'),
    redefines: !asQuery && !isRowStatement(kind),
  };
}
