/** Tables with a time to live (docs/spec/extensions.md 1). */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ManualClock } from '../../../../test/fixtures/base/manual-clock.ts';
import { openSqlGrid, type SqlGrid } from '../../../../test/fixtures/embedded/sql-grid.ts';

const clock = new ManualClock();
let sql: SqlGrid;

beforeAll(async () => {
  sql = await openSqlGrid({}, undefined, clock);
});
afterAll(() => sql.close());

async function rows(statement: string): Promise<unknown> {
  return JSON.parse((await sql.run(statement)).json);
}

const TABLE = 'CREATE TABLE t (id INT PRIMARY KEY, a INT, b VARCHAR) WITH "ttlMs=1000"';

/** Each statement begins a new time to live of row 1, and is run 600 ms after row 1 and row 2 were stored. */
const WRITES: readonly string[] = [
  'UPDATE t SET a = 5 WHERE id = 1',
  "UPDATE t SET a = 5 WHERE b = 'one'",
  'UPDATE t SET a = (SELECT max(a) FROM t) WHERE id < 2',
  "UPDATE t SET (a, b) = (SELECT 7, 'seven') WHERE id = 1",
  'MERGE INTO t (id, a) VALUES (1, 5)',
  'MERGE INTO t (id, a) SELECT id, a + 1 FROM t WHERE id = 1',
  'MERGE INTO t USING (SELECT 1 AS k) s ON t.id = s.k WHEN MATCHED THEN UPDATE SET t.a = 8',
];

describe('a table with a time to live [11.9]', () => {
  test.each(WRITES)('%s', async (statement) => {
    await rows(TABLE);
    await rows("INSERT INTO t (id, a, b) VALUES (1, 1, 'one'), (2, 2, 'two')");
    clock.advance(600);
    await rows(statement);
    clock.advance(600);
    expect(await rows('SELECT id FROM t')).toEqual([[1]]);
    clock.advance(400);
    expect(await rows('SELECT id FROM t')).toEqual([]);
    // An expired row makes room for a new one, which has its own deadline.
    await rows('INSERT INTO t (id, a) VALUES (1, 9)');
    expect(await rows('SELECT id, a FROM t')).toEqual([[1, 9]]);
    clock.advance(1_000);
    expect(await rows('SELECT count(*) FROM t')).toEqual([[0]]);
    await rows('DROP TABLE t');
  });

  test('inserts rows of a query with it', async () => {
    await rows(TABLE);
    await rows('INSERT INTO t (id, a) SELECT x, x FROM SYSTEM_RANGE(1, 5)');
    expect(await rows('SELECT count(*) FROM t')).toEqual([[5]]);
    clock.advance(1_000);
    expect(await rows('SELECT count(*) FROM t')).toEqual([[0]]);
    await sql.grid.sweep();
    await rows('DROP TABLE t');
  });

  test('shows it in SYS.CACHES', async () => {
    await rows(TABLE);
    await rows('CREATE TABLE s (id INT PRIMARY KEY, a INT) WITH "TTLMS=5, sliding=true, backups=1"');
    const shown = "SELECT CACHE_NAME, EXPIRY_POLICY_FACTORY FROM SYS.CACHES WHERE CACHE_NAME <> 'default' ORDER BY 1";
    expect(await rows(shown)).toEqual([
      ['SQL_PUBLIC_S', 'TouchedExpiryPolicy [ttlMs=5]'],
      ['SQL_PUBLIC_T', 'ModifiedExpiryPolicy [ttlMs=1000]'],
    ]);
    await rows('DROP TABLE s');
    await rows('DROP TABLE t');
  });

  test('removes expired rows within a minute, also those of long statements', async () => {
    await rows(TABLE);
    await rows('INSERT INTO t (id, a) SELECT x, x FROM SYSTEM_RANGE(1, 5)');
    const { table } = sql.grid.thread.registry.require('SQL_PUBLIC_T');
    const count = async (): Promise<unknown> => {
      const { reads } = sql.grid.thread;
      const connection = reads.get(0);
      connection.refresh();
      return connection.database.query<{ n: bigint }, []>(`SELECT count(*) AS n FROM ${table}`).get()?.n;
    };
    expect(await count()).toBe(5n);
    clock.advance(61_000);
    await sql.grid.sweep();
    expect(await count()).toBe(0n);
    await rows('DROP TABLE t');
  });

  const REJECTED: ReadonlyArray<readonly [options: string, text: string]> = [
    ['ttlMs=x', 'Parameter value must be an integer [name=TTLMS, value=x]'],
    ['ttlMs=-1', '"TTLMS" cannot be negative: -1'],
    ['ttlMs=1e3', 'Parameter value must be an integer'],
    ['sliding=true', 'Parameter "SLIDING" needs the parameter "TTLMS"'],
    ['sliding=x,ttlMs=1', 'Parameter value must be a boolean'],
    ['ttlMs=1,cache_name=default', 'Parameter "TTLMS" applies to a new cache, but there is one: default'],
  ];
  test.each(REJECTED)('rejects %s', async (options, text) => {
    await expect(rows(`CREATE TABLE r (id INT PRIMARY KEY, a INT) WITH "${options}"`)).rejects.toThrow(text);
  });
});
