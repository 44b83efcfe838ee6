import { describe, expect, test } from 'bun:test';
import { NodeError } from '../protocol/status.ts';
import { queryError } from './query-failures.ts';

/** Statements, the error texts of Ignite 2.17, and the position that they refer to. */
const recorded: ReadonlyArray<readonly [string, string, number | undefined]> = [
  [
    'selec 1',
    'Syntax error in SQL statement "SELEC[*] 1 "; expected "SELECT, SET, {"; SQL statement:\nselec 1 [42001-197]',
    1,
  ],
  ['select 1 2', 'Syntax error in SQL statement "SELECT 1 2[*] "; SQL statement:\nselect 1 2 [42000-197]', 10],
  ["select 'abc", `Syntax error in SQL statement "select [*]'abc"; SQL statement:\nselect 'abc [42000-197]`, 8],
  ["select 1'abc", `Syntax error in SQL statement "select 1[*]'abc"; SQL statement:\nselect 1'abc [42000-197]`, 9],
  [
    'select 1 /* open',
    'Syntax error in SQL statement "select 1 [*]/* open"; SQL statement:\nselect 1 /* open [42000-197]',
    10,
  ],
  [
    'drop index',
    'Syntax error in SQL statement "DROP INDEX [*]"; expected "identifier"; SQL statement:\ndrop index',
    11,
  ],
  [
    'select "a b" 1 2',
    'Syntax error in SQL statement "SELECT ""a b"" 1[*] 2 "; SQL statement:\nselect "a b" 1 2 [42000-197]',
    14,
  ],
  [
    'select /* ü */ straße x y',
    'Syntax error in SQL statement "SELECT         STRAßE X Y[*] "; SQL statement:\nselect /* ü */ straße x y [42000-197]',
    25,
  ],
  [
    'create table y(a int primary key b int)',
    'Syntax error in SQL statement "CREATE TABLE Y(A INT PRIMARY KEY B[*] INT) "; expected "HASH, ,, )"; SQL statement:\n',
    34,
  ],
  ['begin', 'Failed to parse SQL statement "[*]begin": BEGIN command is not supported', 1],
  ['  commit;', 'Failed to parse SQL statement "  [*]commit;": COMMIT command is not supported', 3],
  ['start transaction', 'Failed to parse SQL statement "start [*]transaction": START command is not supported', 7],
  ['select nope', 'Column "NOPE" not found; SQL statement:\nselect nope [42122-197]', undefined],
];

describe('the position of a statement that a node rejects', () => {
  test.each(recorded)('%p', (sql, message, position) =>
    expect(queryError(new NodeError(1, message), { cache: 'c', sql })).toMatchObject({
      code: expect.any(String),
      position,
    }),
  );
  test('is that of the client where the node puts words in front of a condition', () => {
    const message = 'Syntax error in SQL statement "SELECT T._KEY, T._VAL FROM T WHERE ID = =[*] 1 "; expected "NOT"';
    expect(queryError(new NodeError(1, message), { cache: 'c', sql: 'where id = = 1' })).toMatchObject({
      position: 12,
    });
  });
  test.each([
    ['select 1', 'Syntax error in SQL statement "UPDATE T[*] "; expected "SET"'],
    ['id = 1', 'Syntax error in SQL statement "SELECT *[*] FROM T WHERE ID = 1 "; expected "x"'],
  ])('is unknown where %p is not in %p', (sql, message) =>
    expect(queryError(new NodeError(1, message), { cache: 'c', sql })).toMatchObject({ position: undefined }),
  );
});
