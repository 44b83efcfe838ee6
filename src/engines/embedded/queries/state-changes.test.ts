/** A cluster state that changes during a definition: the response tells what happened. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { ClusterState } from '../../../grid/grid.ts';
import { openSqlGrid, type SqlGrid } from '../system-views/sql-grid.fixture.ts';

/** Most micro-tasks between a statement and the change of the state. */
const MOST_STEPS = 12;

let sql: SqlGrid;
beforeAll(async () => {
  sql = await openSqlGrid();
});
afterAll(() => sql.close());

/** Runs a statement and, some micro-tasks later, changes the state; tells whether the statement succeeded. */
async function runBeside(statement: string, state: ClusterState, steps: number): Promise<boolean> {
  const running = sql.run(statement).then(
    () => true,
    () => false,
  );
  for (let step = 0; step < steps; step++) await Promise.resolve();
  await sql.grid.cluster.setState(state, true);
  const succeeded = await running;
  await sql.grid.cluster.setState('ACTIVE', true);
  return succeeded;
}

async function exists(table: string): Promise<boolean> {
  return (await sql.objects(`SELECT TABLE_NAME FROM SYS.TABLES WHERE TABLE_NAME = '${table}'`)).length > 0;
}

async function hasIndex(name: string): Promise<boolean> {
  return (await sql.objects(`SELECT INDEX_NAME FROM SYS.INDEXES WHERE INDEX_NAME = '${name}'`)).length > 0;
}

/** Indexes in the data file itself. */
function storedIndexes(): number {
  const { database } = sql.grid.thread.reads.get(0);
  const counted = "SELECT count(*) AS n FROM sqlite_schema WHERE type = 'index' AND name GLOB 'x[0-9]*'";
  return Number(database.query<{ n: bigint }, []>(counted).get()?.n ?? 0n);
}

describe.each(['INACTIVE', 'ACTIVE_READ_ONLY'] as const)('a definition while the state becomes %s', (state) => {
  test('a table exists exactly when CREATE TABLE succeeds', async () => {
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      const succeeded = await runBeside('CREATE TABLE T (id INT PRIMARY KEY, a INT)', state, steps);
      expect({ steps, there: await exists('T') }).toEqual({ steps, there: succeeded });
      await sql.run('DROP TABLE IF EXISTS T');
    }
  });

  test('a table is gone exactly when DROP TABLE succeeds', async () => {
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      await sql.run('CREATE TABLE IF NOT EXISTS T (id INT PRIMARY KEY, a INT)');
      const succeeded = await runBeside('DROP TABLE T', state, steps);
      expect({ steps, there: await exists('T') }).toEqual({ steps, there: !succeeded });
    }
    await sql.run('DROP TABLE IF EXISTS T');
  });

  test('an index exists exactly when CREATE INDEX succeeds, and nothing of it stays otherwise', async () => {
    await sql.run('CREATE TABLE T (id INT PRIMARY KEY, a INT)');
    const before = storedIndexes();
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      const succeeded = await runBeside('CREATE INDEX T_A ON T (a)', state, steps);
      expect({ steps, there: await hasIndex('T_A') }).toEqual({ steps, there: succeeded });
      expect({ steps, stored: storedIndexes() - before }).toEqual({ steps, stored: succeeded ? 1 : 0 });
      await sql.run('DROP INDEX IF EXISTS T_A');
    }
    await sql.run('DROP TABLE T');
  });
});
