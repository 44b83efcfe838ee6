/** The SQL forms of the user commands: CREATE USER, ALTER USER, DROP USER (behaviour-cluster.md 7). */
import { fail } from '../base/errors.ts';
import type { Column, QueryPage, RowFormat } from '../grid/grid.ts';
import type { Caller, UserDesk } from './context.ts';

export type UserStatement =
  | { readonly kind: 'create' | 'alter'; readonly user: string; readonly password: string }
  | { readonly kind: 'drop'; readonly user: string };

const BEGINS = /^\s*(create|alter|drop)\s+user\b/i;
const NAME = '(?:"((?:[^"]|"")+)"|([a-z_][a-z0-9_$]*))';
const WITH_PASSWORD = new RegExp(
  `^\\s*\\w+\\s+user\\s+${NAME}\\s+with\\s+password\\s+'((?:[^']|'')*)'\\s*;?\\s*$`,
  'i',
);
const WITHOUT = new RegExp(`^\\s*drop\\s+user\\s+${NAME}\\s*;?\\s*$`, 'i');

/**
 * Reads such a statement; undefined for every other. An unquoted name becomes upper case. The refusal of a wrong one
 * does not repeat it, since it may hold a password.
 */
export function readUserStatement(sql: string): UserStatement | undefined {
  const kind = BEGINS.exec(sql)?.[1]?.toLowerCase();
  if (kind !== 'create' && kind !== 'alter' && kind !== 'drop') return undefined;
  const [, quoted, plain, password] = (kind === 'drop' ? WITHOUT : WITH_PASSWORD).exec(sql) ?? [];
  const user = quoted?.replaceAll('""', '"') ?? plain?.toUpperCase();
  if (user !== undefined && kind === 'drop') return { kind, user };
  if (user !== undefined && kind !== 'drop' && password !== undefined) {
    return { kind, user, password: password.replaceAll("''", "'") };
  }
  const right = kind === 'drop' ? 'DROP USER name' : `${kind.toUpperCase()} USER name WITH PASSWORD 'password'`;
  throw fail('SQL', `Syntax error in SQL statement, expected: ${right}`);
}

/** Does it, and answers as a statement of definition does. Refuses what the user commands refuse. */
export async function runUserStatement(
  statement: UserStatement,
  users: UserDesk,
  caller: Caller,
  format: RowFormat,
): Promise<QueryPage> {
  switch (statement.kind) {
    case 'create':
      await users.add(caller, statement.user, statement.password);
      break;
    case 'alter':
      await users.update(caller, statement.user, statement.password);
      break;
    case 'drop':
      await users.remove(caller, statement.user);
  }
  return { queryId: 0, columns: COLUMNS, rows: NO_ROWS_CHANGED[format], end: () => ({ last: true, rowCount: 1 }) };
}

const COLUMNS: readonly Column[] = [
  { schemaName: '', typeName: '', fieldName: 'UPDATED', fieldTypeName: 'java.lang.Long' },
];
const NO_ROWS_CHANGED: Readonly<Record<RowFormat, string>> = {
  json: '[0]',
  ndjson: '{"UPDATED":0}\n',
  csv: 'UPDATED\r\n0\r\n',
};
