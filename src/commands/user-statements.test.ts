import { describe, expect, test } from 'bun:test';
import type { RowFormat } from '../grid/grid.ts';
import { analyze, isUserStatement } from '../sql/analysis/analysis.ts';
import type { UserService } from './context.ts';
import { runUserStatement } from './user-statements.ts';

const caller = { user: 'svc', token: null, subjectId: null };

function serviceThatNotes(asked: unknown[]): UserService {
  const note =
    (kind: string) =>
    async (_caller: unknown, ...rest: unknown[]) =>
      void asked.push([kind, ...rest]);
  return { add: note('add'), update: note('update'), remove: note('remove') };
}

function run(sql: string, users: UserService, format: RowFormat = 'json') {
  const analysis = analyze(sql);
  const { kind } = analysis;
  if (!isUserStatement(kind)) throw new Error(sql);
  return runUserStatement(kind, analysis, users, caller, format);
}

describe('user statements', () => {
  const wrong: ReadonlyArray<readonly [string, string]> = [
    ["create user ann with password 'hidden' x", "CREATE USER name WITH PASSWORD 'password'"],
    ["alter user ann with 'hidden'", "ALTER USER name WITH PASSWORD 'password'"],
    ["drop user ann with password 'hidden'", 'DROP USER name'],
  ];
  test.each(wrong)('%s is rejected and not repeated', async (sql, form) => {
    const asked: unknown[] = [];
    const error: unknown = await run(sql, serviceThatNotes(asked)).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'SQL', message: `Syntax error in SQL statement, expected: ${form}` });
    expect(asked).toEqual([]);
  });

  const formats = [
    ['json', '[0]'],
    ['ndjson', '{"UPDATED":0}\n'],
    ['csv', 'UPDATED\r\n0\r\n'],
  ] as const;
  for (const [format, rows] of formats) {
    test(`each goes to the user service and answers with a count, as ${format}`, async () => {
      const asked: unknown[] = [];
      const users = serviceThatNotes(asked);
      for (const sql of ["create user a with password 'x'", "alter user a with password 'y'", 'drop user a']) {
        const page = await run(sql, users, format);
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
