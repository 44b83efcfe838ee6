import { describe, expect, test } from 'bun:test';
import type { UserDesk } from './context.ts';
import { readUserStatement, runUserStatement } from './user-statements.ts';

describe('user statements', () => {
  const cases: ReadonlyArray<readonly [string, ReturnType<typeof readUserStatement> | 'refused']> = [
    [`create user "q_1" with password 'x'`, { kind: 'create', user: 'q_1', password: 'x' }],
    [`CREATE USER ann WITH PASSWORD 'x'`, { kind: 'create', user: 'ANN', password: 'x' }],
    [`create  user\n"A b""c"  with password 'it''s';`, { kind: 'create', user: 'A b"c', password: "it's" }],
    [`alter user "ann" with password ''`, { kind: 'alter', user: 'ann', password: '' }],
    ['drop user "ann"', { kind: 'drop', user: 'ann' }],
    ['drop user ann ;', { kind: 'drop', user: 'ANN' }],
    ['create user ann', 'refused'],
    [`create user ann password 'x'`, 'refused'],
    [`create user ann with password 'x' and more`, 'refused'],
    [`create user ann with password 'x'; drop table t`, 'refused'],
    [`drop user ann with password 'x'`, 'refused'],
    ['drop user', 'refused'],
    ['create table user(id int primary key)', undefined],
    ['select user', undefined],
    ['create userx', undefined],
  ];
  for (const [sql, expected] of cases) {
    test(sql, () => {
      if (expected !== 'refused') return expect(readUserStatement(sql)).toEqual(expected);
      expect(() => readUserStatement(sql)).toThrow('Syntax error in SQL statement, expected: ');
    });
  }

  test('a refusal does not repeat the password', () => {
    expect(() => readUserStatement("create user ann with password 'hidden' x")).toThrow(/^((?!hidden).)*$/s);
  });

  const formats = [
    ['json', '[0]'],
    ['ndjson', '{"UPDATED":0}\n'],
    ['csv', 'UPDATED\r\n0\r\n'],
  ] as const;
  for (const [format, rows] of formats) {
    test(`each goes to the desk of users and answers with a count, as ${format}`, async () => {
      const asked: unknown[] = [];
      const note =
        (kind: string) =>
        async (_caller: unknown, ...rest: unknown[]) =>
          void asked.push([kind, ...rest]);
      const desk: UserDesk = { add: note('add'), update: note('update'), remove: note('remove') };
      const caller = { user: 'svc', token: null, subjectId: null };
      for (const sql of ["create user a with password 'x'", "alter user a with password 'y'", 'drop user a']) {
        const statement = readUserStatement(sql);
        if (statement === undefined) throw new Error(sql);
        const page = await runUserStatement(statement, desk, caller, format);
        expect([page.rows, page.end().last, page.columns[0]?.fieldName]).toEqual([rows, true, 'UPDATED']);
      }
      expect(asked).toEqual([
        ['add', 'A', 'x'],
        ['update', 'A', 'y'],
        ['remove', 'A'],
      ]);
    });
  }
});
