/** The log of a connection whose frames are collected: what other connections read, and what a start recovers. */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '../../../../test/fixtures/values/random-values.ts';
import { type GuardLibrary, openGuardLibrary } from './guard-library.ts';
import { collectFrames } from './log-frames.ts';

const LINUX = process.platform === 'linux' && (process.arch === 'x64' || process.arch === 'arm64');
const ROWS = 4_000;
const folder = mkdtempSync(join(tmpdir(), 'svc-frames-'));
let library: GuardLibrary;

// Copying takes most of the time, and a busy disk delays it.
setDefaultTimeout(60_000);

beforeAll(async () => {
  library = await openGuardLibrary(`${process.platform}-${process.arch}`);
});

afterAll(() => {
  library.release();
  rmSync(folder, { recursive: true, force: true });
});

function open(path: string, synchronous: string, cachePages: number): Database {
  const database = new Database(path, { create: true });
  database.run('PRAGMA journal_mode = WAL');
  database.run(`PRAGMA synchronous = ${synchronous}`);
  database.run(`PRAGMA cache_size = ${cachePages}`);
  return database;
}

function fill(database: Database): void {
  database.run('CREATE TABLE rows (n INTEGER PRIMARY KEY, t TEXT)');
  database.run(
    `INSERT INTO rows WITH RECURSIVE r(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM r LIMIT ${ROWS})
    SELECT n, printf('%0400d', n) FROM r`,
  );
}

function contents(database: Database): string {
  using statement = database.prepare<{ all_rows: string }, []>("SELECT group_concat(t, ',') AS all_rows FROM rows");
  return String(Bun.hash(statement.get()?.all_rows ?? ''));
}

function integrity(database: Database): string | undefined {
  using statement = database.prepare<{ integrity_check: string }, []>('PRAGMA integrity_check');
  return statement.get()?.integrity_check;
}

/** Returns the contents that a start would recover if the process were killed now. */
function recovered(path: string): string {
  const copy = join(mkdtempSync(join(folder, 'copy-')), 'data.db');
  // Not within this process: closing a file of a database would drop its locks.
  for (const suffix of ['', '-wal']) Bun.spawnSync(['cp', path + suffix, copy + suffix]);
  const database = new Database(copy);
  expect(integrity(database)).toBe('ok');
  const found = contents(database);
  database.close(true);
  return found;
}

function writes(): number {
  return Number(/^syscw: (\d+)/m.exec(readFileSync('/proc/thread-self/io', 'utf8'))?.[1]);
}

describe.skipIf(!LINUX)('a connection whose frames are collected', () => {
  test.each([
    ['OFF', 2_000],
    ['FULL', 2_000],
    // Transactions spill pages to the log before their commit.
    ['OFF', 10],
    ['FULL', 10],
  ])(
    'writes a log that others read and recover: synchronous = %s, %d cached pages',
    (synchronous, cachePages) => {
      const path = join(folder, `${synchronous}-${cachePages}.db`);
      const writer = open(path, synchronous, cachePages);
      fill(writer);
      collectFrames(writer, library.path ?? '');
      const others = [open(path, synchronous, cachePages), open(path, synchronous, cachePages)] as const;
      const [reader, secondWriter] = others;
      const random = seededRandom(cachePages);
      const below = (bound: number) => random.below(bound);
      const change = (database: Database, rows: number) => {
        for (let row = 0; row < rows; row++) {
          database.run('UPDATE rows SET t = ? WHERE n = ?', [`${below(1e9)}`.padStart(400, 'x'), below(ROWS)]);
        }
      };
      for (let round = 0; round < 60; round++) {
        const database = round % 5 === 4 ? secondWriter : writer;
        const before = contents(reader);
        database.run('BEGIN IMMEDIATE');
        change(database, 1 + below(120));
        database.run('SAVEPOINT inner_part');
        change(database, below(60));
        if (below(3) === 0) database.run('ROLLBACK TO inner_part');
        expect(contents(reader)).toBe(before);
        const isRolledBack = below(4) === 0;
        const changed = contents(database);
        database.run(isRolledBack ? 'ROLLBACK' : 'COMMIT');
        const expected = isRolledBack ? before : changed;
        expect(contents(reader)).toBe(expected);
        if (round % 4 === 0) expect(recovered(path)).toBe(expected);
        if (below(10) === 0) writer.run('PRAGMA wal_checkpoint(TRUNCATE)');
      }
      expect(integrity(reader)).toBe('ok');
      for (const database of [...others, writer]) database.close(true);
      expect(integrity(open(path, synchronous, cachePages))).toBe('ok');
      // Bun kills the copying processes of a test that times out.
    },
    60_000,
  );

  test('writes a commit of thirty pages with a few calls', () => {
    const path = join(folder, 'calls.db');
    const writer = open(path, 'OFF', 2_000);
    fill(writer);
    const commit = (): number => {
      writer.run('BEGIN IMMEDIATE');
      for (let row = 0; row < 30; row++) writer.run('UPDATE rows SET t = upper(t) || 1 WHERE n = ?', [row * 100]);
      const before = writes();
      writer.run('COMMIT');
      return writes() - before;
    };
    expect(commit()).toBeGreaterThanOrEqual(60);
    collectFrames(writer, library.path ?? '');
    expect(commit()).toBeLessThan(6);
    writer.close(true);
  });

  test('collects once, and drops what a transaction has left that was rolled back', () => {
    const path = join(folder, 'rolled-back.db');
    const writer = open(path, 'OFF', 10);
    fill(writer);
    for (let call = 0; call < 2; call++) collectFrames(writer, library.path ?? '');
    const before = contents(writer);
    writer.run('BEGIN IMMEDIATE');
    writer.run("UPDATE rows SET t = 'changed'");
    writer.run('ROLLBACK');
    expect(contents(writer)).toBe(before);
    writer.run("UPDATE rows SET t = 'changed'");
    expect(recovered(path)).toBe(contents(writer));
    writer.close(true);
  });

  test('refuses what exceeds a limit, and says so once', () => {
    const path = join(folder, 'limited.db');
    const writer = open(path, 'OFF', 10);
    fill(writer);
    const limitLog = collectFrames(writer, library.path ?? '');
    const before = contents(writer);
    const change = () => writer.run("UPDATE rows SET t = 'changed'");
    const { size } = statSync(`${path}-wal`);
    expect(limitLog(size + 40_000)).toBe(false);
    expect(change).toThrow('database or disk is full');
    expect(contents(writer)).toBe(before);
    expect(statSync(`${path}-wal`).size).toBeLessThanOrEqual(size + 40_000);
    expect(limitLog(-1)).toBe(true);
    expect(limitLog(-1)).toBe(false);
    change();
    expect(recovered(path)).toBe(contents(writer));
    writer.close(true);
  });
});
