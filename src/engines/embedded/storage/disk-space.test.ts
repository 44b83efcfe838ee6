/** The reserves of disks, and the space available on them. */
import type { Database } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openWithoutCheckpoints } from './databases.ts';
import { dataSpace, isDiskShort, reserveOf, spaceBeside } from './disk-space.ts';

const MEBIBYTE = 1024 * 1024;
const folder = mkdtempSync(join(tmpdir(), 'svc-disk-space-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const RESERVES: ReadonlyArray<readonly [diskMebibytes: number, option: number | undefined, reserveMebibytes: number]> =
  [
    [10_000_000, undefined, 128],
    [2_560, undefined, 128],
    [1_280, undefined, 64],
    [256, undefined, 24],
    [64, undefined, 24],
    [16, undefined, 8],
    [64, 0, 0],
    [64, 100, 100],
  ];

test.each(RESERVES)('of a disk of %p MiB with the option %p, %p MiB are kept', (disk, option, reserve) => {
  const minFreeBytes = option === undefined ? undefined : option * MEBIBYTE;
  expect(reserveOf(disk * MEBIBYTE, minFreeBytes)).toBe(reserve * MEBIBYTE);
});

function spaceOf(database: Database, path: string) {
  const space = dataSpace(database, path, 0);
  if (space === undefined) throw new Error('the disk cannot be examined');
  return space;
}

test('what the log will add to the file is not available, and free pages are', () => {
  const path = join(folder, 'svc.db');
  using database = openWithoutCheckpoints(path, false);
  database.run('CREATE TABLE t (v)');
  database.run('PRAGMA wal_checkpoint(TRUNCATE)');
  expect(spaceOf(database, path).promisedBytes).toBe(0);
  database.run('BEGIN IMMEDIATE');
  database.run('INSERT INTO t SELECT zeroblob(1000000) FROM (VALUES (1), (2), (3))');
  const within = spaceOf(database, path);
  expect(within.promisedBytes).toBeGreaterThan(3_000_000);
  expect(within.availableBytes).toBe(within.freeBytes - within.promisedBytes);
  database.run('COMMIT');
  expect(spaceOf(database, path)).toMatchObject({ promisedBytes: within.promisedBytes, pages: within.pages });
  database.run('PRAGMA wal_checkpoint(TRUNCATE)');
  expect(spaceOf(database, path)).toMatchObject({ promisedBytes: 0, freePageBytes: 0, logBytes: 0 });
  database.run('DELETE FROM t');
  const after = spaceOf(database, path);
  expect(after.freePageBytes).toBeGreaterThan(3_000_000);
  expect(after.availableBytes).toBe(after.freeBytes + after.freePageBytes);
});

test('what is stored beside the data leaves room for the log, at most the reserve', () => {
  const path = join(folder, 'svc.db');
  const leastMebibytes = (option: number) => {
    const space = spaceBeside(path, 0, folder, option * MEBIBYTE);
    return (space?.leastBytes ?? Number.NaN) / MEBIBYTE;
  };
  expect([0, 10, 1_000].map(leastMebibytes)).toEqual([0, 10, 24]);
  // Another disk.
  expect(spaceBeside(path, 0, '/proc', 0)).toBeUndefined();
});

test.each<[freeMebibytes: number, promisedMebibytes: number, isShort: boolean]>([
  [24, 0, false],
  [12, 0, false],
  [11, 0, true],
  [24, 13, true],
])('with %p MiB, of which the log takes %p, a disk is short: %p', (free, promised, isShort) => {
  const space = { freeBytes: free * MEBIBYTE, promisedBytes: promised * MEBIBYTE, reserveBytes: 24 * MEBIBYTE };
  expect(isDiskShort(space)).toBe(isShort);
});
