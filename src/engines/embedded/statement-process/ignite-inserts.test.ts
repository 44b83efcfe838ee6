/** An INSERT in compatibility mode `reference` fails, and keeps the rows whose keys are new (known difference 27). */
import { expect, test } from 'bun:test';
import { openSqlGrid, type SqlGrid } from '../../../../test/fixtures/embedded/sql-grid.ts';
import { GridError } from '../../../base/errors.ts';

async function textOf(sql: SqlGrid, statement: string): Promise<string> {
  try {
    return (await sql.run(statement)).json;
  } catch (error) {
    if (error instanceof GridError) return error.message;
    throw error;
  }
}

/** The first runs in the writer's batch, the second in a separate transaction. */
const INSERTS = [
  'INSERT INTO T VALUES (1, 7), (2, 7), (2, 8), (3, 7)',
  'INSERT INTO T SELECT X, 7 FROM SYSTEM_RANGE(1, 3) WHERE X < 4',
];

test.each(INSERTS)('%s', async (insert) => {
  const sql = await openSqlGrid({ asIgnite: true });
  try {
    await sql.run('CREATE TABLE T (ID INT PRIMARY KEY, N INT)');
    await sql.run('INSERT INTO T VALUES (1, 0)');
    const failures = await Promise.all([textOf(sql, insert), textOf(sql, 'INSERT INTO T VALUES (9, 9)')]);
    expect(failures[0]).toContain('they are already in cache [keys=[1');
    expect(failures[1]).toBe('[[1]]');
    expect(await textOf(sql, 'SELECT ID, N FROM T ORDER BY ID')).toBe('[[1,0],[2,7],[3,7],[9,9]]');
    const count = "SELECT ROW_COUNT_ESTIMATE FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_NAME = 'T'";
    expect(await textOf(sql, count)).toBe('[[4]]');
  } finally {
    await sql.close();
  }
});
