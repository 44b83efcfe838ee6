import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '../../../../test/fixtures/base/manual-clock.ts';
import { entriesOf } from '../../../../test/grid/entry-methods.ts';
import { DEFAULT_LIMITS, EMBEDDED_BOUNDS } from '../../../base/limits.ts';
import type { RegionDeclaration } from '../../../grid/declarations.ts';
import { text } from '../../../values/value.ts';
import { verifyFolder } from '../backup/verify.ts';
import { type EmbeddedGrid, openEmbeddedGrid } from '../embedded-grid.ts';
import { DATA_DATABASE } from '../storage/databases.ts';
import { CacheRegistry } from './cache-registry.ts';

const CACHES = Array.from({ length: 160 }, (_, index) => ({ name: `cache${index}` }));
const REGIONS: readonly RegionDeclaration[] = [{ name: 'memory', persistent: false }];
const KEY = text('key');
const dataDir = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'svc-many-'));
const clock = new ManualClock();

let grid: EmbeddedGrid;

function open(): Promise<EmbeddedGrid> {
  return openEmbeddedGrid({ dataDir, clock, version: '1.0.0', caches: CACHES, regions: REGIONS });
}

beforeAll(async () => {
  grid = await open();
}, 60_000);
afterAll(async () => {
  await grid.close();
  rmSync(dataDir, { recursive: true });
});

/** Returns the number that SQLite raises with every change of its schema. */
function schemaVersion(): bigint | undefined {
  using database = new Database(join(dataDir, 'svc.db'), { readonly: true, safeIntegers: true });
  return database.query<{ schema_version: bigint }, []>('PRAGMA schema_version').get()?.schema_version;
}

function entryTables(): number {
  using database = new Database(join(dataDir, 'svc.db'), { readonly: true });
  return database.query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name GLOB 'e[0-9]*'").all().length;
}

/** The rows of destroyed caches. */
function destroyedRows(): number {
  using database = new Database(join(dataDir, 'svc.db'), { readonly: true });
  return database.query('SELECT 1 FROM caches WHERE live = 0').all().length;
}

describe('among more than 128 caches', () => {
  test('creating and destroying a cache usually leaves the schema of SQLite unchanged', async () => {
    let changed = 0;
    for (let number = 0; number < 40; number++) {
      const before = schemaVersion();
      await grid.caches.getOrCreate(`changing${number}`, {});
      await entriesOf(grid).put(`changing${number}`, KEY, text(String(number)));
      expect(await entriesOf(grid).get(`changing${number}`, KEY)).toEqual(text(String(number)));
      await grid.caches.destroy(`changing${number}`);
      expect(grid.caches.find(`changing${number}`)).toBeUndefined();
      if (schemaVersion() !== before) changed++;
    }
    expect(changed).toBeLessThanOrEqual(10);
  });

  test('so does one with a time to live, whose table has the index of deadlines', async () => {
    let changed = 0;
    for (let number = 0; number < 20; number++) {
      const before = schemaVersion();
      await grid.caches.getOrCreate(`expiring${number}`, { ttlMs: 60_000 });
      await entriesOf(grid).put(`expiring${number}`, KEY, text(String(number)));
      expect(await entriesOf(grid).timeToLive(`expiring${number}`, KEY)).toBe(60_000n);
      if (schemaVersion() !== before) changed++;
    }
    expect(changed).toBeLessThanOrEqual(5);
    for (let number = 0; number < 20; number++) await grid.caches.destroy(`expiring${number}`);
  });

  test('reading definitions on the thread of the writer leaves the connection for reads alone', async () => {
    const reader = grid.thread.reads.get(DATA_DATABASE);
    reader.refresh();
    const { commits } = reader;
    await grid.caches.getOrCreate('unread', {});
    expect(await grid.caches.find('unread')).toMatchObject({ name: 'unread' });
    await grid.caches.destroy('unread');
    expect(await grid.caches.find('unread')).toBeUndefined();
    expect(grid.changeFeed?.position('kept')).toBeUndefined();
    expect(reader.commits).toBe(commits);
  });

  test('definitions are not read in a transaction, which may be rolled back', () => {
    const { reads } = grid.thread;
    const writing = reads.latest();
    writing.run('BEGIN IMMEDIATE');
    writing.run("DELETE FROM caches WHERE name = 'cache0'");
    const find = "SELECT name FROM caches WHERE name = 'cache0'";
    expect(writing.query(find).all()).toEqual([]);
    expect(reads.latest().query(find).all()).toEqual([{ name: 'cache0' }]);
    writing.run('ROLLBACK');
    expect(reads.latest()).toBe(writing);
  });

  test('a cache created again is empty', async () => {
    for (let round = 0; round < 10; round++) {
      await grid.caches.getOrCreate('again', {});
      expect(await entriesOf(grid).size('again')).toBe(0);
      await entriesOf(grid).put('again', KEY, text('x'));
      expect(await entriesOf(grid).size('again')).toBe(1);
      await grid.caches.destroy('again');
      if (round % 3 === 0) await grid.sweep();
    }
  });

  test('the tables of destroyed caches are emptied and dropped', async () => {
    await grid.caches.getOrCreate('large', {});
    const entries = Array.from({ length: 5_000 }, (_, number) => ({ key: text(`k${number}`), value: text('v') }));
    await entriesOf(grid).putAll('large', entries);
    await grid.caches.destroy('large');
    // Empty tables are dropped several at a time.
    for (let number = 0; number < 8; number++) {
      await grid.caches.getOrCreate(`small${number}`, {});
      await grid.caches.destroy(`small${number}`);
    }
    const before = entryTables();
    await grid.sweep();
    expect(entryTables()).toBeLessThan(before);
    const caches = (await grid.caches.list()).length;
    // What is left: spare tables, and fewer empty ones than are dropped at once.
    expect(entryTables() - caches).toBeLessThanOrEqual(10);
  });

  test('a large cache of a region that does not persist is emptied, also while the cluster becomes inactive', async () => {
    for (const isDeactivated of [false, true]) {
      await grid.caches.getOrCreate('temporary', { region: 'memory' });
      const entries = Array.from({ length: 3_000 }, (_, number) => ({ key: text(`k${number}`), value: text('v') }));
      await entriesOf(grid).putAll('temporary', entries);
      await grid.caches.destroy('temporary');
      if (isDeactivated) {
        await grid.cluster.setState('INACTIVE', true);
        await grid.sweep();
        await grid.cluster.setState('ACTIVE', false);
      }
      await grid.sweep();
      await grid.caches.getOrCreate('temporary', { region: 'memory' });
      expect(await entriesOf(grid).size('temporary')).toBe(0);
      await grid.caches.destroy('temporary');
    }
  });

  test('caches are listed in the order of their creation, and spare tables survive a restart', async () => {
    for (const name of ['z', 'y', 'x']) {
      clock.advance(1);
      await grid.caches.getOrCreate(name, {});
    }
    const names = async (): Promise<string[]> => (await grid.caches.list()).map(({ name }) => name);
    expect((await names()).slice(-3)).toEqual(['z', 'y', 'x']);
    const slots = grid.thread.registry.all().map(({ slot }) => slot);
    expect(new Set(slots).size).toBe(slots.length);
    const listed = await names();
    await grid.close();
    const tables = entryTables();
    grid = await open();
    expect(await names()).toEqual(listed);
    clock.advance(1);
    await grid.caches.getOrCreate('w', {});
    expect((await names()).at(-1)).toBe('w');
    expect(entryTables()).toBeLessThanOrEqual(tables);
  });

  test('the data file forgets what was destroyed long ago, and every thread learns of it', async () => {
    const { reads, shared, names } = grid.thread;
    const unread = new CacheRegistry(reads, shared, names);
    await grid.caches.getOrCreate('first', {});
    await grid.caches.getOrCreate('kept', {});
    await grid.caches.destroy('first');
    await grid.caches.getOrCreate('first', {});
    const former = unread.find('first')?.id;
    expect(former).toBeDefined();
    await grid.caches.destroy('first');
    for (let number = 0; number < 2 * EMBEDDED_BOUNDS.destroyedCaches; number++) {
      await grid.caches.getOrCreate(`gone${number}`, {});
      await grid.caches.destroy(`gone${number}`);
      if (number % 8 === 0) await grid.sweep();
    }
    // 160 caches: their empty tables are dropped several at a time, and their rows remain until then.
    expect(destroyedRows()).toBeLessThanOrEqual(EMBEDDED_BOUNDS.destroyedCaches + 16);
    expect(shared.forgottenVersion()).toBeGreaterThan(0n);
    expect(unread.find('first')).toBeUndefined();
    expect(unread.find('kept')?.definition.name).toBe('kept');
    expect(unread.all().map(({ id }) => id)).toEqual(grid.thread.registry.all().map(({ id }) => id));
    await grid.caches.getOrCreate('first', {});
    expect(unread.find('first')?.id).not.toBe(former);
    await grid.caches.destroy('first');
    await grid.caches.destroy('kept');
  });

  test('a data folder with more caches than the limit opens, and every cache is used and counted', async () => {
    await grid.close();
    const limits = { ...DEFAULT_LIMITS, caches: 100 };
    grid = await openEmbeddedGrid({ dataDir, clock, version: '1.0.0', caches: CACHES, regions: REGIONS, limits });
    for (const { name } of await grid.caches.list()) {
      await entriesOf(grid).put(name, KEY, text('x'));
      expect((await grid.caches.metrics(name)).writes).toBe(1);
    }
    expect(grid.caches.getOrCreate('further', {})).rejects.toThrow(/number of caches.*limit=100/);
    await grid.close();
    grid = await open();
  });

  test('a data folder with spare and dropped tables is valid', async () => {
    await grid.caches.getOrCreate('left', {});
    await entriesOf(grid).put('left', KEY, text('x'));
    await grid.caches.destroy('left');
    await grid.close();
    expect(verifyFolder(dataDir, () => undefined).violations).toEqual([]);
    grid = await open();
  });
});
