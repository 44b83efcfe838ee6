import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openSqlGrid, type SqlGrid } from '../../../../test/fixtures/embedded/sql-grid.ts';
import { EngineCatalog } from '../catalog/engine-catalog.ts';
import { prepareStatement } from '../sql/prepare-statement.ts';
import { DATA_DATABASE } from '../storage/databases.ts';

let grid: SqlGrid;

beforeAll(async () => {
  grid = await openSqlGrid();
  await grid.run(`CREATE TABLE Carry(id INT PRIMARY KEY, name VARCHAR, code INT, kind INT, amount BIGINT, price DECIMAL,
    rate DOUBLE, further INT)`);
  await grid.run('CREATE INDEX Carry_code ON Carry(code DESC)');
  await grid.run(
    "INSERT INTO Carry SELECT x, 'name ' || x, MOD(x * 7, 1000), MOD(x, 5), x, x, x, x FROM SYSTEM_RANGE(1, 2000)",
  );
});
afterAll(() => grid.close());

/** Returns the steps of SQLite's plan for a statement. */
function planOf(text: string): string {
  const prepared = prepareStatement(text, 'PUBLIC', new EngineCatalog(grid.grid.thread, () => [], 'plain'));
  if (prepared.kind !== 'query') throw new Error(`${text} is not a query`);
  const { database } = grid.grid.thread.reads.get(DATA_DATABASE);
  // The functions are not registered on this connection, so polling is left out.
  const sql = prepared.sql.replace(/\([\w.]+ % \d+ OR "svc poll"\(\)\) AND /g, '');
  using statement = database.prepare<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`);
  return statement
    .all()
    .map(({ detail }) => detail)
    .join('; ');
}

const PLANS: ReadonlyArray<readonly [text: string, covering: boolean]> = [
  ['SELECT COUNT(*) FROM Carry WHERE code BETWEEN 10 AND 20', true],
  ['SELECT kind, COUNT(*), SUM(code), MAX(amount), MIN(price) FROM Carry WHERE code > 990 GROUP BY kind', true],
  ['SELECT id FROM Carry WHERE code = 7', true],
  ['SELECT SUM(further) FROM Carry WHERE code BETWEEN 10 AND 20', false],
  ['SELECT name FROM Carry WHERE code BETWEEN 10 AND 20', false],
];

test.each(PLANS)('%s is answered from the index alone: %p', (text, covering) => {
  const plan = planOf(text);
  expect(plan).toContain('f2');
  expect(plan.includes('COVERING INDEX')).toBe(covering);
});

test.each([
  ['SELECT * FROM Carry WHERE kind = 3', 'advice: CREATE INDEX ON PUBLIC.CARRY(KIND)'],
  ['SELECT * FROM Carry WHERE further = ? AND name IS NULL', 'advice: CREATE INDEX ON PUBLIC.CARRY(FURTHER)'],
  ['SELECT * FROM Carry WHERE code = 3', undefined],
  ['SELECT * FROM Carry', undefined],
] as const)('EXPLAIN %s ends with the advised index: %p', async (text, advice) => {
  const { json } = await grid.run(`EXPLAIN ${text}`, text.includes('?') ? ['5'] : []);
  const [[plan = ''] = []] = JSON.parse(json) as string[][];
  expect(plan.split('\n').find((line) => line.startsWith('advice'))).toBe(advice);
});

test('an index contains the current value of an included column', async () => {
  const sum = () => grid.run('SELECT SUM(amount), COUNT(*) FROM Carry WHERE code = 7');
  expect((await sum()).json).toBe('[[1002,2]]');
  await grid.run('UPDATE Carry SET amount = 0 WHERE id = 1');
  expect((await sum()).json).toBe('[[1001,2]]');
  await grid.run('ALTER TABLE Carry DROP COLUMN rate');
  await grid.run('ALTER TABLE Carry ADD COLUMN added INT');
  await grid.run('UPDATE Carry SET added = 5, amount = 1 WHERE code = 7');
  expect((await sum()).json).toBe('[[2,2]]');
});

test('a table without an index is analysed again only when its number of rows has changed by a factor', async () => {
  await using own = { grid: await openSqlGrid(), [Symbol.asyncDispose]: () => own.grid.close() };
  await own.grid.run('CREATE TABLE Plain(id INT PRIMARY KEY, name VARCHAR)');
  const analysesAfter = async (rows: number): Promise<number> => {
    await own.grid.run(`MERGE INTO Plain(id, name) SELECT x, 'name ' || x FROM SYSTEM_RANGE(1, ${rows})`);
    for (let run = 0; run < 3; run++) {
      await own.grid.run('SELECT name FROM Plain');
      await own.grid.analyses();
    }
    return own.grid.analyses();
  };
  expect(await analysesAfter(600)).toBe(1);
  expect(await analysesAfter(1_200)).toBe(1);
  expect(await analysesAfter(2_600)).toBe(2);
});
