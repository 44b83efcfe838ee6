import { Database } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SourceDatabase } from './source-database.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-source-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The second copy of the header of the index; a commit is changing it while it differs from the first one. */
const COPY_POSITION = 48;

/** Changes a byte of the index and changes it back, in another process: closing the file here would drop locks. */
const CHANGE_AND_RESTORE = `
  const fs = require('node:fs');
  const index = fs.openSync(process.argv[1], 'r+');
  const byte = Buffer.alloc(1);
  const flip = () => {
    fs.readSync(index, byte, 0, 1, ${COPY_POSITION + 8});
    byte[0] ^= 1;
    fs.writeSync(index, byte, 0, 1, ${COPY_POSITION + 8});
  };
  flip();
  console.log('changed');
  Bun.sleepSync(300);
  flip();
`;

test('a commit that is interrupted while it changes the index is waited for', async () => {
  const path = join(folder, 'a.db');
  const writer = new Database(path, { create: true });
  for (const sql of ['PRAGMA journal_mode = WAL', 'CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT)'])
    writer.run(sql);
  const source = new SourceDatabase(path);
  const before = source.state();
  const child = Bun.spawn([process.execPath, '-e', CHANGE_AND_RESTORE, `${path}-shm`], { stdout: 'pipe' });
  for await (const _ of child.stdout) break;
  const startMs = performance.now();
  expect(source.state()).toEqual(before);
  expect(performance.now() - startMs).toBeGreaterThan(100);
  expect(await child.exited).toBe(0);
  source.release();
  writer.close();
});
