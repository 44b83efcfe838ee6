/** The error that a client sees for a failed statement, wherever it is parsed or executed. */
import { GridError } from '../../base/errors.ts';
import { describeFailure, positionOf, SQL_FAILURE_CODES, type SqlFailure } from '../../base/sql-failure.ts';
import { foreignForm } from './foreign-statements.ts';

/** H2's codes for statements outside its grammar. */
const SYNTAX_CODES: ReadonlySet<number> = new Set([42000, 42001]);

export function statementError(failure: SqlFailure, statement: string): GridError {
  const { kind, h2Code, place } = failure;
  const isRejected = kind === 'statement' && (h2Code === undefined || SYNTAX_CODES.has(h2Code));
  return new GridError(SQL_FAILURE_CODES[kind], describeFailure(failure, statement), {
    cause: failure,
    position: positionOf(failure, statement),
    remedy: isRejected ? foreignForm(statement, 'here') : undefined,
    parameter: place.argument === undefined ? undefined : `arg${place.argument}`,
  });
}
