/** Checks that the response to a definition is correct when the cluster's state changes meanwhile. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openSqlGrid, type SqlGrid } from '../../../../test/fixtures/embedded/sql-grid.ts';
import type { ClusterState } from '../../../grid/grid.ts';

/** The largest number of microtasks between a statement and the change of the state. */
const MAX_STEPS = 12;

let sql: SqlGrid;
beforeAll(async () => {
  sql = await openSqlGrid({ regions: [{ name: 'memory', persistent: false }] });
});
afterAll(() => sql.close());

/** Runs a statement and changes the state `steps` microtasks later. Reports whether the statement succeeded. */
async function runDuringChange(statement: string, state: ClusterState, steps: number): Promise<boolean> {
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

/** Returns the number of indexes in the data file. */
function storedIndexes(): number {
  const { database } = sql.grid.thread.reads.get(0);
  const counted = "SELECT count(*) AS n FROM sqlite_schema WHERE type = 'index' AND name GLOB 'x[0-9]*'";
  return Number(database.query<{ n: bigint }, []>(counted).get()?.n ?? 0n);
}

describe.each(['INACTIVE', 'ACTIVE_READ_ONLY'] as const)('a definition while the state becomes %s', (state) => {
  test('a table exists exactly when CREATE TABLE succeeds', async () => {
    for (let steps = 0; steps < MAX_STEPS; steps++) {
      const succeeded = await runDuringChange('CREATE TABLE T (id INT PRIMARY KEY, a INT)', state, steps);
      expect({ steps, exists: await exists('T') }).toEqual({ steps, exists: succeeded });
      await sql.run('DROP TABLE IF EXISTS T');
    }
  });

  test('a table is dropped exactly when DROP TABLE succeeds', async () => {
    for (let steps = 0; steps < MAX_STEPS; steps++) {
      await sql.run('CREATE TABLE IF NOT EXISTS T (id INT PRIMARY KEY, a INT)');
      const succeeded = await runDuringChange('DROP TABLE T', state, steps);
      expect({ steps, exists: await exists('T') }).toEqual({ steps, exists: !succeeded });
    }
    await sql.run('DROP TABLE IF EXISTS T');
  });

  test('an index exists exactly when CREATE INDEX succeeds, and no part of it remains otherwise', async () => {
    await sql.run('CREATE TABLE T (id INT PRIMARY KEY, a INT)');
    const before = storedIndexes();
    for (let steps = 0; steps < MAX_STEPS; steps++) {
      const succeeded = await runDuringChange('CREATE INDEX T_A ON T (a)', state, steps);
      expect({ steps, exists: await hasIndex('T_A') }).toEqual({ steps, exists: succeeded });
      expect({ steps, stored: storedIndexes() - before }).toEqual({ steps, stored: succeeded ? 1 : 0 });
      await sql.run('DROP INDEX IF EXISTS T_A');
    }
    await sql.run('DROP TABLE T');
  });

  test.each(['default', 'memory'])(
    'an index in %s is gone, also from its file, when DROP INDEX succeeds',
    async (region) => {
      await sql.run(`CREATE TABLE T (id INT PRIMARY KEY, a INT) WITH "data_region=${region}"`);
      const before = storedIndexes();
      for (let steps = 0; steps < MAX_STEPS; steps++) {
        await sql.run('CREATE INDEX IF NOT EXISTS T_A ON T (a)');
        const succeeded = await runDuringChange('DROP INDEX T_A', state, steps);
        expect({ steps, exists: await hasIndex('T_A') }).toEqual({ steps, exists: !succeeded });
        const isStored = region === 'default' && !succeeded;
        expect({ steps, stored: storedIndexes() - before }).toEqual({ steps, stored: isStored ? 1 : 0 });
      }
      await sql.run('DROP TABLE T');
    },
  );
});
