/** Statements that SQLite would reject with its own error texts. */
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

/** The query of a recursive common table X whose first row is 1, and its rows or the rule that it violates. */
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

const TOO_COMPLEX = 'The statement is too complex: it is nested too deeply';

/** `%` is replaced by the statement nested in itself this many times. */
const NESTED: ReadonlyArray<readonly [times: number, form: string, innermost: string, answer: string]> = [
  [4, '(% BETWEEN FALSE AND TRUE)', 'v < 5', '[[true],[true],[true]]'],
  [100, '(% BETWEEN FALSE AND TRUE)', 'v < 5', TOO_COMPLEX],
  [4, 'CASE % WHEN 1 THEN 2 WHEN 2 THEN 3 ELSE 1 END', 'v', '[[2],[1],[2]]'],
  [100, 'CASE % WHEN 1 THEN 2 WHEN 2 THEN 3 ELSE 1 END', 'v', TOO_COMPLEX],
  [30, 'CASE (SELECT %) WHEN 1 THEN 2 WHEN 2 THEN 3 ELSE 1 END', 'v', TOO_COMPLEX],
  [
    50,
    '(WITH RECURSIVE x(n) AS (SELECT % UNION ALL SELECT n + 1 FROM x WHERE n < 3) SELECT MAX(n) FROM x)',
    '1',
    '[[3],[3],[3]]',
  ],
  [400, "(% = 'a')", "(v || '')", TOO_COMPLEX],
  [400, '(SELECT X FROM SYSTEM_RANGE(1, %, id) LIMIT 1)', 'v', TOO_COMPLEX],
  [1_000, '(WITH x AS (SELECT % AS n) SELECT n FROM x)', 'v', TOO_COMPLEX],
];

/** Texts of some kilobytes that once took minutes to bind or to prepare. `%` counts the terms. */
const MANY: ReadonlyArray<readonly [terms: number, before: string, term: string, separator: string, answer: string]> = [
  [
    2_000,
    'SELECT 1 FROM T t0 ',
    'LEFT JOIN T t% ON t%.id = t0.id',
    ' ',
    'The statement is too large: it joins too many',
  ],
  [63, 'SELECT COUNT(*) FROM T t0 ', 'LEFT JOIN T t% ON t%.id = t0.id', ' ', '[[3]]'],
  [1_900, 'SELECT ', 'SUM(v) OVER (ORDER BY v + %)', ', ', 'The statement is too large: it has too many windows'],
  [1_900, 'SELECT COUNT(*) FROM (SELECT id, ', 'RANK() OVER (ORDER BY v) AS c%', ', ', '[[3]]'],
  [1_900, 'SELECT 1 FROM T GROUP BY ', 'id + %', ', ', '[[1],[1],[1]]'],
  [1_000, 'WITH x0 AS (SELECT id FROM T), ', 'x% AS (SELECT id FROM x#)', ', ', TOO_COMPLEX],
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

describe('a statement that grows faster than its text', () => {
  test.each([...NESTED])('%i times %s', async (times, form, innermost, answer) => {
    let text = innermost;
    for (let level = 0; level < times; level++) text = form.replace('%', text);
    expect(await answerTo(`SELECT ${text} FROM T ORDER BY id`)).toStartWith(answer);
  });

  test('alias that HAVING repeats', async () => {
    const term = Array.from({ length: 400 }, () => 'v').join('+');
    const uses = Array.from({ length: 400 }, (_, at) => `a <> ${at}`).join(' AND ');
    expect(await answerTo(`SELECT ${term} a FROM T GROUP BY v HAVING ${uses}`)).toBe(TOO_COMPLEX);
  });

  test.each([...MANY])('%i terms: %s%s', async (terms, before, term, separator, answer) => {
    const list = Array.from({ length: terms }, (_, at) => term.replaceAll('%', `${at + 1}`).replaceAll('#', `${at}`));
    const tail = /^WITH/.test(before) ? ` SELECT id FROM x${terms}` : /GROUP|JOIN|t0/.test(before) ? '' : ' FROM T';
    const text = before + list.join(separator) + tail + (before.includes('(SELECT') && tail === ' FROM T' ? ')' : '');
    expect(await answerTo(text)).toStartWith(answer);
  });
});
