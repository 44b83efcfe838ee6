import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeLogBack } from './checkpoints.ts';
import { LOG_LIMIT_BYTES, openForReading, openForWriting, openWithoutCheckpoints } from './databases.ts';

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

test('a connection without checkpoints leaves its log to another one, which readers do not hinder', () => {
  const path = join(folder, 'left.db');
  const sizes = (): number[] => [path, `${path}-wal`].map((file) => statSync(file).size);
  const owner = openForWriting(path, true);
  const other = openWithoutCheckpoints(path, true);
  const reader = openForReading(path);
  const request = { path, isDurable: true, keepsLength: false };
  try {
    owner.run('CREATE TABLE parts (content BLOB NOT NULL) STRICT');
    owner.run('PRAGMA wal_checkpoint(TRUNCATE)');
    const [before = 0] = sizes();
    for (let part = 0; part < 6; part++) other.run('INSERT INTO parts VALUES (randomblob(1000000))');
    expect(sizes()[0]).toBe(before);
    reader.run('BEGIN');
    expect(reader.query('SELECT count(*) AS parts FROM parts').get()).toEqual({ parts: 6n });
    expect(writeLogBack({ ...request, waitMs: 0 }).isWrittenBack).toBe(true);
    expect(sizes()[0]).toBeGreaterThan(6_000_000);
    expect(writeLogBack({ ...request, waitMs: 1 }).isWrittenBack).toBe(false);
    reader.run('COMMIT');
    const [, length = 0] = sizes();
    expect(writeLogBack({ ...request, waitMs: 1, keepsLength: true }).isWrittenBack).toBe(true);
    other.run('INSERT INTO parts VALUES (randomblob(1000000))');
    expect(sizes()[1]).toBe(length);
    expect(writeLogBack({ ...request, waitMs: 1 })).toEqual({ frames: 0, isWrittenBack: true });
    expect(sizes()[1]).toBe(0);
  } finally {
    for (const each of [reader, other, owner]) each.close();
  }
});
