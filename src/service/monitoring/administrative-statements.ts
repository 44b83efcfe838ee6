/** The SQL statements that the audit records. */
import type { StatementKind } from '../../sql/analysis/analysis.ts';

const ON_ROWS: ReadonlySet<StatementKind> = new Set([
  'empty',
  'query',
  'explain',
  'insert',
  'merge',
  'mergeUsing',
  'update',
  'delete',
]);
const ROW_VERBS = /^(?:SELECT|FROM|VALUES|WITH|EXPLAIN|TABLE|SHOW|INSERT|UPDATE|DELETE|MERGE|REPLACE)\b/;

/** Reports whether the audit records the statement: it defines an object, changes users, or is of an unknown kind. */
export function isAdministrativeStatement(kind: StatementKind, verb: string): boolean {
  return kind === 'unknown' ? verb !== '' && !ROW_VERBS.test(verb) : !ON_ROWS.has(kind);
}
