/** Startup drops the indexes that a crash has left in the file, and no others. */
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../base/clock.ts';
import { parseOnce } from '../../../sql/analysis/analysis.ts';
import { openEmbeddedGrid } from '../embedded-grid.ts';
import { DATA_FILE } from '../storage/data-folder.ts';

test('a start drops the indexes that no definition names', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-left-'));
  try {
    const open = () => openEmbeddedGrid({ dataDir, clock: systemClock, version: '1.0.0' });
    const indexes = () => {
      using database = new Database(join(dataDir, DATA_FILE));
      return database
        .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE name GLOB 'x[0-9]*' ORDER BY name")
        .all()
        .map(({ name }) => name);
    };
    const first = await open();
    for (const sql of ['CREATE TABLE T (id INT PRIMARY KEY, a INT)', 'CREATE INDEX T_A ON T (a)']) {
      const { statement } = parseOnce(sql);
      if (statement.kind !== 'createTable' && statement.kind !== 'createIndex') throw new Error(sql);
      await first.writer.submit('runDdl', { statement, schema: 'PUBLIC' });
    }
    await first.close();
    const [kept = ''] = indexes();
    const id = /^x(\d+)_/.exec(kept)?.[1] ?? '';
    const left = new Database(join(dataDir, DATA_FILE));
    for (const name of [`x${id}_77`, `x${id}7_1`]) left.run(`CREATE INDEX ${name} ON e${id} (exp)`);
    left.close(true);
    expect(indexes()).toHaveLength(3);
    const second = await open();
    await second.close();
    expect(indexes()).toEqual([kept]);
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});
