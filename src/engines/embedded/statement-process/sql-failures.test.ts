/** Statements that SQLite would refuse in its own words. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openSqlGrid, type SqlGrid } from '../../../../test/fixtures/embedded/sql-grid.ts';
import { GridError } from '../../../base/errors.ts';

let sql: SqlGrid;

beforeAll(async () => {
  sql = await openSqlGrid();
  await sql.run('CREATE TABLE T(id INT PRIMARY KEY, v INT)');
  await sql.run('INSERT INTO T VALUES (1, 1), (2, 9), (3, 1)');
});

afterAll(() => sql.close());

/** Returns the rows of a statement, or its error without the place. */
async function answerTo(statement: string, args: readonly string[] = []): Promise<string> {
  try {
    return (await sql.run(statement, args)).json;
  } catch (error) {
    if (error instanceof GridError)
      return error.message.replace(/(; SQL statement:[\s\S]*)? \((at line|conv)[^)]*\)$/, '');
    throw error;
  }
}

/** The query of a recursive common table X, whose first row is 1, and its rows or the rule that it breaks. */
const RECURSIONS: ReadonlyArray<readonly [operand: string, answer: string]> = [
  ['SELECT n + 1 FROM x WHERE n < 3', '[[1],[2],[3]]'],
  ['(SELECT n + 1 FROM x WHERE n < 3)', '[[1],[2],[3]]'],
  ['SELECT 2 UNION ALL SELECT n + 1 FROM x WHERE n < 3', '[[1],[2],[2],[3],[3]]'],
  ['SELECT DISTINCT n + 1 FROM x WHERE n < 3', '[[1],[2],[3]]'],
  ['SELECT T.id FROM T JOIN x ON T.id = x.n + 1', '[[1],[2],[3]]'],
  ['SELECT T.id FROM x LEFT JOIN T ON T.id = x.n + 1 WHERE x.n < 4', '[[1],[2],[3],[null]]'],
  ['SELECT (SELECT n FROM x) + 1', 'its last operand must read it after FROM, not in a subquery'],
  ['SELECT id FROM T WHERE id IN (SELECT n + 1 FROM x)', 'its last operand must read it after FROM, not in a subquery'],
  ['SELECT n FROM (SELECT n + 1 AS n FROM x) y', 'its last operand must read it after FROM, not in a subquery'],
  ['SELECT a.n FROM x a, x b', 'its last operand must not read it more than once'],
  ['SELECT n + 1 FROM x WHERE EXISTS (SELECT 1 FROM x y)', 'its last operand must not read it more than once'],
  ['SELECT MAX(n) + 1 FROM x', 'its last operand must not have groups or aggregates'],
  ['SELECT n + 1 FROM x GROUP BY n', 'its last operand must not have groups or aggregates'],
  ['SELECT n + 1 FROM x HAVING n > 0', 'its last operand must not have groups or aggregates'],
  ['SELECT 1 + ROW_NUMBER() OVER (ORDER BY n) FROM x', 'its last operand must not have window functions'],
  ['SELECT n + 1 FROM x LIMIT 2', 'ORDER BY, LIMIT and OFFSET belong to the query that reads it'],
  ['SELECT n + 1 FROM x ORDER BY 1', 'ORDER BY, LIMIT and OFFSET belong to the query that reads it'],
  ...[
    'SELECT TOP 2 n + 1 FROM x',
    '(SELECT n + 1 FROM x ORDER BY n)',
    '(WITH y AS (SELECT n FROM x) SELECT n + 1 FROM y)',
    '(SELECT 5 UNION ALL SELECT n + 1 FROM x)',
    '(SELECT n + 1 FROM x INTERSECT SELECT 2)',
    'VALUES ((SELECT n FROM x))',
  ].map(
    (operand) => [operand, 'its last operand must be one SELECT, without WITH, ORDER BY and LIMIT of its own'] as const,
  ),
];

describe('a recursive common table', () => {
  test.each([...RECURSIONS])('SELECT 1 UNION ALL %s', async (operand, answer) => {
    const got = await answerTo(`WITH RECURSIVE x AS (SELECT 1 AS n UNION ALL ${operand}) SELECT n FROM x`);
    expect(got).toBe(answer.startsWith('[') ? answer : `Invalid recursion of the common table "X": ${answer}`);
  });
});

const FRAME = 'Invalid frame of a window: its numbers must not be negative';

/** `#` stands for many terms, or for the number before it. */
const REFUSED: ReadonlyArray<readonly [statement: string, answer: string, ...args: string[]]> = [
  ['SELECT NTILE(id - 1) OVER (ORDER BY id) FROM T', 'The argument of NTILE is not positive in some row'],
  ['SELECT NTILE(?) OVER (ORDER BY id) FROM T', 'The argument of NTILE is not positive in some row', '0'],
  ['SELECT NTH_VALUE(v, id - 3) OVER (ORDER BY id) FROM T', 'The argument of NTH_VALUE is not positive in some row'],
  ['SELECT SUM(v) OVER (ORDER BY id ROWS v - 5 PRECEDING) FROM T', FRAME],
  ['SELECT SUM(v) OVER (ORDER BY id ROWS ? PRECEDING) FROM T', FRAME, '-1'],
  ['SELECT SUM(v) OVER (ORDER BY id ROWS BETWEEN 0 FOLLOWING AND v - 5 FOLLOWING) FROM T', FRAME],
  ['SELECT SUM(v) OVER (PARTITION BY COUNT(*)) FROM T', 'Column "V" must be in the GROUP BY list'],
  ['SELECT SUM(v) OVER (PARTITION BY COUNT(*)) FROM T WHERE v = 9', '[[9]]'],
  ['SELECT RANK() OVER (ORDER BY MAX(v)) FROM T', '[[1]]'],
  ['SELECT 1 FROM T t0, #T t%', 'The statement is too large: it joins too many tables'],
  ['SELECT 1 FROM T t0 70#LEFT JOIN T t% ON t%.id = t0.id', 'The statement is too large: it joins too many tables'],
  ['SELECT CONCAT(v, #v + %) FROM T', 'The statement is too large: a call has too many arguments'],
  ['SELECT v, #v + % FROM T', 'The statement is too large: its result has too many columns'],
  ['SELECT id FROM T ORDER BY v, #v + %', 'The statement is too large: ORDER BY or GROUP BY has too many expressions'],
  ['SELECT 1 FROM T GROUP BY v, #v + %', 'The statement is too large: ORDER BY or GROUP BY has too many expressions'],
  ['SELECT v #* v FROM T', 'The statement is too complex: it is nested too deeply'],
];

function withTerms(statement: string): string {
  const [, before = statement, count = '2100', term, after = ''] =
    /^(.*?)(\d*)#(.*?)(\)? FROM T$|$)/.exec(statement) ?? [];
  if (term === undefined) return statement;
  const terms = Array.from({ length: Number(count || 2_100) }, (_, at) => term.replaceAll('%', String(at + 1)));
  return before + terms.join(before.endsWith(', ') || before.endsWith('(') ? ', ' : ' ') + after;
}

describe('a refusal has a text of the dialect', () => {
  test.each(REFUSED.map(([statement, answer, ...args]) => [statement, answer, args] as const))(
    '%s',
    async (...line) => {
      const [statement, answer, args] = line;
      expect(await answerTo(withTerms(statement), args)).toStartWith(answer);
    },
  );
});
