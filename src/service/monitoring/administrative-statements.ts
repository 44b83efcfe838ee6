/** The SQL statements that the audit records. */
import { isRowStatement, type StatementKind } from '../../sql/analysis/analysis.ts';

const ROW_VERBS = /^(?:SELECT|FROM|VALUES|WITH|EXPLAIN|TABLE|SHOW|INSERT|UPDATE|DELETE|MERGE|REPLACE)\b/;

/** Reports whether the audit records the statement: it defines an object, changes users, or is of an unknown kind. */
export function isAdministrativeStatement(kind: StatementKind, verb: string): boolean {
  if (kind === 'unknown') return verb !== '' && !ROW_VERBS.test(verb);
  return kind !== 'empty' && !isRowStatement(kind);
}
