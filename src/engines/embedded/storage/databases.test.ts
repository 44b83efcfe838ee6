import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LOG_LIMIT_BYTES, openForReading, openForWriting } from './databases.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-databases-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a write-ahead log that a reader made long becomes short when it starts over', () => {
  const path = join(folder, 'long.db');
  const logBytes = (): number => statSync(`${path}-wal`).size;
  const writer = openForWriting(path, true);
  const reader = openForReading(path);
  try {
    writer.run('CREATE TABLE parts (content BLOB NOT NULL) STRICT');
    reader.run('BEGIN');
    expect(reader.query('SELECT count(*) AS parts FROM parts').get()).toEqual({ parts: 0n });
    while (logBytes() <= LOG_LIMIT_BYTES) writer.run('INSERT INTO parts VALUES (randomblob(1000000))');
    reader.run('COMMIT');
    writer.run('PRAGMA wal_checkpoint(PASSIVE)');
    writer.run("INSERT INTO parts VALUES (x'00')");
    expect(logBytes()).toBeLessThanOrEqual(LOG_LIMIT_BYTES);
  } finally {
    reader.close();
    writer.close();
  }
});
