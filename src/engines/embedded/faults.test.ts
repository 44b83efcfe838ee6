import { Database } from 'bun:sqlite';
import { afterAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { entriesOf } from '../../../test/grid/entry-methods.ts';
import { errorOf } from '../../../test/grid/suite-context.ts';
import { until } from '../../../test/system/until.ts';
import { systemClock } from '../../base/clock.ts';
import { GridError } from '../../base/errors.ts';
import type { RegionDeclaration } from '../../grid/declarations.ts';
import type { Entry, Grid } from '../../grid/grid.ts';
import { text, type Value } from '../../values/value.ts';
import { type EmbeddedGrid, openEmbeddedGrid } from './embedded-grid.ts';

const root = mkdtempSync(join(tmpdir(), 'svc-faults-'));

function newFolder(): string {
  return mkdtempSync(join(root, 'data-'));
}

function open(
  dataDir: string,
  regions: readonly RegionDeclaration[] = [],
  keepsLog: boolean = false,
): Promise<EmbeddedGrid> {
  return openEmbeddedGrid({ dataDir, clock: systemClock, version: '1.0.0', regions, keepsLog });
}

async function failure(action: () => Promise<unknown>): Promise<GridError> {
  try {
    await action();
  } catch (error) {
    if (error instanceof GridError) return error;
    throw error;
  }
  throw new Error('expected a failure');
}

const key = (number: number): Value => ({ type: 'integer', data: number });
const bulky = (size: number): Value => text('x'.repeat(size));

/**
 * Puts entries until one is rejected, and again after the log has been written back for it. Returns the code of the
 * error and the number of stored entries.
 */
async function fill(grid: Grid, cache: string, value: Value, limit: number): Promise<readonly [unknown, number]> {
  for (let number = 0; number < limit; number++) {
    const put = () => errorOf(() => entriesOf(grid).put(cache, key(number), value));
    if (typeof (await put()) !== 'string') continue;
    const outcome = await put();
    if (typeof outcome === 'string') return [outcome, number];
  }
  return [undefined, limit];
}

test('a cache whose table another thread has just dropped is not found', async () => {
  const folder = newFolder();
  const grid = await open(folder);
  await grid.caches.getOrCreate('gone', {});
  await entriesOf(grid).put('gone', key(1), text('x'));
  using other = new Database(join(folder, 'svc.db'), { readwrite: true, safeIntegers: true });
  const cache = other.query<{ id: bigint }, []>("SELECT id FROM caches WHERE name = 'gone'").get();
  other.run(`DROP TABLE e${cache?.id}`);
  await Bun.sleep(1);
  expect((await failure(async () => entriesOf(grid).get('gone', key(1)))).code).toBe('CACHE_NOT_FOUND');
  expect((await failure(async () => entriesOf(grid).size('gone'))).code).toBe('CACHE_NOT_FOUND');
  await grid.close();
});

describe('a data folder', () => {
  test('that is in use is rejected with its path, and can be opened again after close', async () => {
    const folder = newFolder();
    const grid = await open(folder);
    const rejected = await failure(() => open(folder));
    expect(rejected.message).toContain(folder);
    expect(rejected.message).toContain('in use by another process');
    await grid.close();
    await (await open(folder)).close();
  });

  test('that is in use by another process is rejected', async () => {
    const folder = newFolder();
    const script = `import { openEmbeddedGrid } from '${join(import.meta.dir, 'embedded-grid.ts')}';
      import { systemClock } from '${join(import.meta.dir, '../../base/clock.ts')}';
      const regions = [{ name: 'memory', persistent: false }];
      await openEmbeddedGrid({ dataDir: process.argv[1], clock: systemClock, version: '1', regions });
      console.log('open'); setInterval(() => 0, 1000);`;
    const holder = Bun.spawn([process.execPath, '-e', script, folder], { stdout: 'pipe' });
    const reader = holder.stdout.getReader();
    await reader.read();
    expect((await failure(() => open(folder))).message).toContain('in use by another process');
    holder.kill('SIGKILL');
    await holder.exited;
    const left = new Database(join(folder, 'svc.db'), { readonly: true });
    const temporary = left.query<{ value: string }, []>("SELECT value FROM settings WHERE name = 'temporaryDir'").get();
    left.close();
    expect(existsSync(temporary?.value ?? '')).toBe(true);
    const grid = await open(folder);
    expect(existsSync(temporary?.value ?? '')).toBe(false);
    await grid.close();
  });

  test('that cannot be created is rejected with its path', async () => {
    const file = join(newFolder(), 'file');
    writeFileSync(file, '');
    expect((await failure(() => open(join(file, 'data')))).message).toContain(join(file, 'data'));
  });

  test('with a file of a newer version is rejected', async () => {
    const folder = newFolder();
    await (await open(folder)).close();
    const database = new Database(join(folder, 'svc.db'));
    database.run('PRAGMA user_version = 1000');
    database.close();
    expect((await failure(() => open(folder))).message).toContain('schema version 1000');
  });

  test('whose data file is not a database is rejected', async () => {
    const folder = newFolder();
    writeFileSync(
      join(folder, 'svc.db'),
      'this is not a database, it only looks like one to nobody at all'.repeat(100),
    );
    const rejected = await failure(() => open(folder));
    expect(rejected.code).toBe('STORAGE_CORRUPT');
    expect(rejected.message).toContain(folder);
  });

  test('whose region is no longer persistent, or no longer declared, is rejected with the name of the cache', async () => {
    const folder = newFolder();
    const grid = await open(folder, [{ name: 'r' }]);
    await grid.caches.getOrCreate('held', { region: 'r' });
    await grid.close();
    for (const regions of [[{ name: 'r', persistent: false }], []]) {
      expect((await failure(() => open(folder, regions))).message).toContain('held');
    }
  });
});

describe('a damaged data file', () => {
  test('fails only the operations that read a damaged page', async () => {
    const folder = newFolder();
    let grid = await open(folder);
    await grid.caches.getOrCreate('sound', {});
    await entriesOf(grid).put('sound', key(1), text('kept'));
    await grid.caches.getOrCreate('hurt', {});
    for (let number = 0; number < 400; number += 50) {
      const entries: Entry[] = Array.from({ length: 50 }, (_, n) => ({ key: key(number + n), value: bulky(1000) }));
      await entriesOf(grid).putAll('hurt', entries);
    }
    await grid.close();
    // The last pages hold entries of the cache that was filled last.
    const path = join(folder, 'svc.db');
    const bytes = readFileSync(path);
    bytes.fill(0xff, statSync(path).size - 40 * 4096);
    writeFileSync(path, bytes);

    grid = await open(folder);
    const all = Array.from({ length: 400 }, (_, number) => key(number));
    expect(await errorOf(() => entriesOf(grid).getAll('hurt', all))).toBe('STORAGE_CORRUPT');
    expect(entriesOf(grid).get('sound', key(1))).toEqual(text('kept'));
    await entriesOf(grid).put('sound', key(2), text('new'));
    expect(entriesOf(grid).get('sound', key(2))).toEqual(text('new'));
    await grid.close();
  });
});

describe('a region with a bound', () => {
  for (const persistent of [false, true]) {
    test(`rejects further entries until some are removed (persistent: ${persistent})`, async () => {
      const grid = await open(newFolder(), [{ name: 'r', persistent, maxSizeBytes: 1024 * 1024 }]);
      await grid.caches.getOrCreate('c', { region: 'r' });
      const [rejected, stored] = await fill(grid, 'c', bulky(10_000), 1000);
      expect(rejected).toBe('REGION_FULL');
      expect(stored).toBeGreaterThan(20);
      expect(entriesOf(grid).size('c')).toBe(stored);
      expect(entriesOf(grid).get('c', key(stored - 1))).toEqual(bulky(10_000));
      for (let number = 0; number < stored / 2; number++) await entriesOf(grid).remove('c', key(number));
      await entriesOf(grid).put('c', key(5), bulky(10_000));
      expect(entriesOf(grid).get('c', key(5))).toEqual(bulky(10_000));
      await entriesOf(grid).put('default', key(1), text('other caches are not affected'));
      await grid.close();
    });
  }

  test('rejects only those changes of a batch that do not fit', async () => {
    const grid = await open(newFolder(), [{ name: 'r', persistent: false, maxSizeBytes: 1024 * 1024 }]);
    await grid.caches.getOrCreate('c', { region: 'r' });
    const outcomes = await Promise.allSettled([
      entriesOf(grid).put('c', key(1), text('small')),
      entriesOf(grid).put('c', key(2), bulky(5_000_000)),
      entriesOf(grid).putAll('c', [
        { key: key(3), value: text('small') },
        { key: key(4), value: bulky(5_000_000) },
      ]),
      entriesOf(grid).put('c', key(5), { type: 'object', typeName: 'NewType', fields: [] }),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    expect(entriesOf(grid).size('c')).toBe(2);
    expect(entriesOf(grid).get('c', key(5))).toEqual({ type: 'object', typeName: 'NewType', fields: [] });
    expect(grid.caches.metrics('c')).toMatchObject({ writes: 2 });
    await grid.close();
  });
});

/** Mounts a file system of 2 MB. Returns undefined where that is impossible (another system, no permission). */
function mountSmallDisk(): string | undefined {
  const folder = join(root, 'small');
  mkdirSync(folder);
  const mounted = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder]);
  return mounted.success ? folder : undefined;
}

const smallDisk = process.platform === 'linux' ? mountSmallDisk() : undefined;
afterAll(() => {
  if (smallDisk !== undefined) Bun.spawnSync(['umount', smallDisk]);
  rmSync(root, { recursive: true });
});

describe.skipIf(smallDisk === undefined)('a disk', () => {
  test('that is full fails changes, loses no acknowledged entry, and accepts changes again when space is free', async () => {
    const dataDir = join(smallDisk ?? '', 'data');
    let grid = await open(dataDir);
    const [rejected, stored] = await fill(grid, 'default', bulky(10_000), 1000);
    expect(rejected).toBe('STORAGE_LOW');
    expect(stored).toBeGreaterThan(10);
    for (let number = 0; number < stored; number++) {
      expect(entriesOf(grid).get('default', key(number))).toEqual(bulky(10_000));
    }
    expect(entriesOf(grid).size('default')).toBe(stored);
    const object: Value = { type: 'object', typeName: 'NewType', fields: [{ name: 'x', value: bulky(10_000) }] };
    expect(await errorOf(() => entriesOf(grid).put('default', key(9999), object))).toBe('STORAGE_LOW');
    const created = Array.from({ length: 50 }, (_, n) => errorOf(() => grid.caches.getOrCreate(`new${n}`, {})));
    expect(await Promise.all(created)).toContain('STORAGE_LOW');
    Bun.spawnSync(['mount', '-o', 'remount,size=8m', smallDisk ?? '']);
    const again = async () => typeof (await errorOf(() => grid.caches.getOrCreate('new', {}))) !== 'string';
    await until('there is room again', again);
    await entriesOf(grid).put('default', key(9999), object);
    await grid.close();
    grid = await open(dataDir);
    expect(entriesOf(grid).size('default')).toBe(stored + 1);
    expect(entriesOf(grid).get('default', key(9999))).toEqual(object);
    expect(entriesOf(grid).size('new')).toBe(0);
    await grid.close();
  });

  test('that only the log fills accepts changes, which have the log written back', async () => {
    const grid = await open(join(smallDisk ?? '', 'log'));
    for (let number = 0; number < 1_000; number++) {
      const value = bulky(10_000 + number);
      expect([number, await errorOf(() => entriesOf(grid).put('default', key(1), value))]).toEqual([
        number,
        { answered: undefined },
      ]);
    }
    await grid.close();
  });

  test('that a log fills which a backup keeps loses no acknowledged entry, and removals work', async () => {
    const dataDir = join(smallDisk ?? '', 'kept');
    let grid = await open(dataDir, [], true);
    await grid.caches.getOrCreate('other', {});
    const [rejected, stored] = await fill(grid, 'default', bulky(10_000), 1000);
    expect(rejected).toBe('STORAGE_LOW');
    expect(stored).toBeGreaterThan(10);
    for (let number = 0; number < 10; number++) await entriesOf(grid).remove('default', key(number));
    await grid.close();
    grid = await open(dataDir);
    expect(entriesOf(grid).size('default')).toBe(stored - 10);
    expect(entriesOf(grid).get('default', key(stored - 1))).toEqual(bulky(10_000));
    await entriesOf(grid).clear('default');
    await until('there is room again', async () => {
      return typeof (await errorOf(() => entriesOf(grid).put('other', key(1), bulky(10_000)))) !== 'string';
    });
    await grid.close();
  });

  test('that is read-only from the start is rejected with the path of the folder', async () => {
    const dataDir = join(smallDisk ?? '', 'data');
    Bun.spawnSync(['mount', '-o', 'remount,ro', smallDisk ?? '']);
    const rejected = await failure(() => open(dataDir));
    const fresh = await failure(() => open(join(smallDisk ?? '', 'fresh')));
    Bun.spawnSync(['mount', '-o', 'remount,rw', smallDisk ?? '']);
    expect(rejected.code).toBe('STORAGE_READ_ONLY');
    expect(rejected.message).toContain(dataDir);
    expect(fresh.message).toContain('fresh');
  });
});
