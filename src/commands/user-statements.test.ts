import { describe, expect, test } from 'bun:test';
import type { RowFormat } from '../grid/grid.ts';
import { analyze, isUserStatement } from '../sql/analysis/analysis.ts';
import type { UserService } from './context.ts';
import { runUserStatement } from './user-statements.ts';

const caller = { user: 'svc', token: null, subjectId: null };

function recordingService(calls: unknown[]): UserService {
  const record =
    (kind: string) =>
    async (_caller: unknown, ...rest: unknown[]) =>
      void calls.push([kind, ...rest]);
  return { check: record('check'), add: record('add'), update: record('update'), remove: record('remove') };
}

function run(sql: string, users: UserService, format: RowFormat = 'json') {
  const analysis = analyze(sql);
  const { kind } = analysis;
  if (!isUserStatement(kind)) throw new Error(sql);
  return runUserStatement(kind, analysis, users, caller, format);
}

describe('user statements', () => {
  const malformed: ReadonlyArray<readonly [string, string]> = [
    ["create user ann with password 'hidden' x", "CREATE USER name WITH PASSWORD 'password' [ROLES role, ...]"],
    ["alter user ann with 'hidden'", "ALTER USER name WITH PASSWORD 'password'"],
    ["drop user ann with password 'hidden'", 'DROP USER name'],
  ];
  test.each(malformed)('%s is rejected without its text in the error', async (sql, form) => {
    const calls: unknown[] = [];
    const error: unknown = await run(sql, recordingService(calls)).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'SQL', message: `Syntax error in SQL statement, expected: ${form}` });
    expect(calls).toEqual([]);
  });

  const formats = [
    ['json', '[0]'],
    ['ndjson', '{"UPDATED":0}\n'],
    ['csv', 'UPDATED\r\n0\r\n'],
  ] as const;
  for (const [format, rows] of formats) {
    test(`statements call the user service and return a row count as ${format}`, async () => {
      const calls: unknown[] = [];
      const users = recordingService(calls);
      for (const sql of ["create user a with password 'x'", "alter user a with password 'y'", 'drop user a']) {
        const page = await run(sql, users, format);
        expect([page.rows, page.end().last, page.columns[0]?.fieldName]).toEqual([rows, true, 'UPDATED']);
      }
      expect(calls).toEqual([
        ['add', 'A', 'x'],
        ['update', 'A', 'y'],
        ['remove', 'A'],
      ]);
    });
  }
});
