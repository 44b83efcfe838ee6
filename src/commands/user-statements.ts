/** The SQL forms of the user commands: CREATE USER, ALTER USER, DROP USER (docs/spec/ignite-cluster.md 7). */
import { gridError } from '../base/errors.ts';
import type { Column, QueryPage, RowFormat } from '../grid/grid.ts';
import { updateCount } from '../grid/row-writers.ts';
import type { StatementAnalysis, UserStatement } from '../sql/analysis/analysis.ts';
import type { Caller, Effect, UserService } from './context.ts';

const FORMS: Readonly<Record<UserStatement['kind'], string>> = {
  createUser: "CREATE USER name WITH PASSWORD 'password' [ROLES role, ...]",
  alterUser: "ALTER USER name WITH PASSWORD 'password'",
  dropUser: 'DROP USER name',
};

/**
 * Runs a user statement and returns the page of a DDL statement. Throws SQL for a syntax error, without the statement's
 * text, which may contain a password; otherwise throws the errors of the user commands.
 */
export async function runUserStatement(
  kind: UserStatement['kind'],
  { userStatement: statement }: StatementAnalysis,
  users: UserService,
  caller: Caller,
  format: RowFormat,
): Promise<QueryPage> {
  if (statement === undefined) throw gridError('USER_STATEMENT_SYNTAX', FORMS[kind]);
  switch (statement.kind) {
    case 'createUser':
      await users.add(caller, statement.user, statement.password, statement.roles);
      break;
    case 'alterUser':
      await users.update(caller, statement.user, statement.password);
      break;
    case 'dropUser':
      await users.remove(caller, statement.user);
  }
  return { queryId: 0, columns: COLUMNS, rows: updateCount(format, 0), end: () => ({ last: true, rowCount: 1 }) };
}

/** Predicts the effects of a user statement. Throws the errors that {@link runUserStatement} would throw. */
export async function previewUserStatement(
  kind: UserStatement['kind'],
  { userStatement: statement }: StatementAnalysis,
  users: UserService,
  caller: Caller,
): Promise<readonly Effect[]> {
  if (statement === undefined) throw gridError('USER_STATEMENT_SYNTAX', FORMS[kind]);
  const name = statement.user;
  switch (statement.kind) {
    case 'createUser':
      await users.check(caller, { kind: 'add', name, password: statement.password, roles: statement.roles });
      return [{ user: name, change: 'added' }];
    case 'alterUser':
      await users.check(caller, { kind: 'update', name, password: statement.password });
      return [{ user: name, change: 'changed' }];
    case 'dropUser':
      await users.check(caller, { kind: 'remove', name });
      return [{ user: name, change: 'removed' }];
  }
}

const COLUMNS: readonly Column[] = [
  { schemaName: '', typeName: '', fieldName: 'UPDATED', fieldTypeName: 'java.lang.Long' },
];
