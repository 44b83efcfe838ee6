/** Copies of a database file that is written to meanwhile: each equals the file at the time of the snapshot. */
import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openForWriting } from '../storage/databases.ts';
import { SnapshotFile } from './snapshot-file.ts';

let folder = '';
let path = '';
let writer: Database;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-snapshot-'));
  path = join(folder, 'a.db');
  writer = openForWriting(path, false);
  writer.run('CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER, text TEXT); CREATE INDEX t_n ON t (n)');
});

afterEach(() => {
  writer.close(true);
  rmSync(folder, { recursive: true, force: true });
});

function insert(from: number, count: number): void {
  writer.run(
    `WITH RECURSIVE r(i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM r WHERE i < ${from + count - 1})
    INSERT OR REPLACE INTO t SELECT i, i * 7919 % 1000, 'text ' || i || ' ' || hex(randomblob(40)) FROM r`,
  );
}

function digestOf(database: Database): string {
  const row = database.query<{ all: string }, []>("SELECT group_concat(id || ':' || n || text) AS 'all' FROM t").get();
  return Bun.hash(row?.all ?? '').toString(16);
}

/** Writes the pages of a snapshot to a file, and returns its contents after SQLite has checked it. */
function contentsOf(snapshot: SnapshotFile): string {
  const { pages, pageBytes } = snapshot.describe();
  const runs: Buffer[] = [];
  for (let page = 1; page <= pages; page += 7) runs.push(snapshot.read(page, Math.min(7, pages - page + 1)));
  const copy = join(folder, 'copy.db');
  for (const ending of ['', '-wal', '-shm']) rmSync(copy + ending, { force: true });
  writeFileSync(copy, Buffer.concat(runs));
  expect(pages * pageBytes).toBe(Buffer.concat(runs).length);
  const database = new Database(copy);
  expect(database.query('PRAGMA integrity_check').values()).toEqual([['ok']]);
  const digest = digestOf(database);
  database.close(true);
  return digest;
}

function checkpoint(mode: 'PASSIVE' | 'TRUNCATE'): void {
  writer.run('PRAGMA busy_timeout = 1');
  writer.query(`PRAGMA wal_checkpoint(${mode})`).get();
}

describe('a snapshot is the file at the time of pin', () => {
  const cases: ReadonlyArray<readonly [title: string, before: () => void, after: () => void]> = [
    ['when all of it is in the log', () => insert(1, 500), () => {}],
    [
      'when all of it is in the file',
      () => {
        insert(1, 500);
        checkpoint('TRUNCATE');
      },
      () => {},
    ],
    [
      'when the file has it, and later commits restart the log',
      () => {
        insert(1, 500);
        checkpoint('PASSIVE');
      },
      () => {
        for (let round = 0; round < 30; round++) {
          insert(100 * round, 300);
          checkpoint('TRUNCATE');
        }
      },
    ],
    [
      'when the log has it, and later commits and checkpoints follow',
      () => {
        insert(1, 500);
        checkpoint('TRUNCATE');
        insert(200, 500);
      },
      () => {
        for (let round = 0; round < 30; round++) {
          insert(50 * round, 300);
          checkpoint(round % 2 === 0 ? 'PASSIVE' : 'TRUNCATE');
        }
      },
    ],
    [
      'when a rolled back transaction has left frames in the log',
      () => {
        insert(1, 200);
        writer.run('PRAGMA cache_size = 2; BEGIN');
        insert(1, 3_000);
        writer.run('ROLLBACK');
      },
      () => insert(1, 2_000),
    ],
    [
      'when pages were freed and used again',
      () => {
        insert(1, 3_000);
        writer.run('DELETE FROM t WHERE id % 3 > 0');
        checkpoint('PASSIVE');
        writer.run('DELETE FROM t WHERE id > 1000');
      },
      () => insert(5_000, 3_000),
    ],
  ];
  for (const [title, before, after] of cases) {
    test(title, () => {
      before();
      const expected = digestOf(writer);
      const snapshot = new SnapshotFile(path, null);
      snapshot.pin();
      after();
      expect(contentsOf(snapshot)).toBe(expected);
      snapshot.close();
    });
  }

  test('when other readers hold older snapshots', () => {
    insert(1, 300);
    checkpoint('TRUNCATE');
    insert(100, 300);
    const reader = new Database(path, { readwrite: true, create: false });
    reader.run('BEGIN');
    reader.query('SELECT count(*) FROM t').get();
    insert(150, 900);
    checkpoint('PASSIVE');
    const expected = digestOf(writer);
    const snapshot = new SnapshotFile(path, null);
    snapshot.pin();
    insert(1, 2_000);
    reader.run('COMMIT');
    checkpoint('TRUNCATE');
    insert(1, 2_000);
    expect(contentsOf(snapshot)).toBe(expected);
    snapshot.close();
    reader.close(true);
  });

  test('and reads how long the log is while another process writes', async () => {
    const snapshot = new SnapshotFile(path, null);
    const commits = `
      const writer = new (require('bun:sqlite').Database)(${JSON.stringify(path)});
      writer.run('PRAGMA synchronous = OFF');
      const change = writer.query('INSERT INTO t (n) VALUES (1)');
      for (const endMs = performance.now() + 2_000; performance.now() < endMs; ) change.run();`;
    const child = Bun.spawn([process.execPath, '-e', commits], { stdio: ['ignore', 'inherit', 'inherit'] });
    while (child.exitCode === null) {
      for (let read = 0; read < 1_000; read++) expect(snapshot.promisedBytes()).toBeGreaterThanOrEqual(0);
      await Bun.sleep(0);
    }
    expect(child.exitCode).toBe(0);
    snapshot.close();
  }, 30_000);

  test('and contains nothing of removed entries', () => {
    insert(1, 2_000);
    writer.run("UPDATE t SET text = 'a secret that is removed ' || hex(randomblob(2000)) WHERE id > 1000");
    writer.run('DELETE FROM t WHERE id > 1000');
    checkpoint('TRUNCATE');
    const snapshot = new SnapshotFile(path, null);
    snapshot.pin();
    const { pages } = snapshot.describe();
    const bytes = snapshot.read(1, pages);
    let zero = 0;
    for (let page = 0; page < pages; page++) {
      if (bytes.subarray(page * 4096, (page + 1) * 4096).every((byte) => byte === 0)) zero++;
    }
    expect(zero).toBeGreaterThan(pages / 2);
    snapshot.close();
  });
});
