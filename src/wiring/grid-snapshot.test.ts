import { afterAll, beforeEach, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countersOf, entriesOf } from '../../test/grid/entry-methods.ts';
import { systemClock } from '../base/clock.ts';
import { type EmbeddedGrid, openEmbeddedGrid } from '../engines/embedded/embedded-grid.ts';
import type { CacheDefinition } from '../grid/grid.ts';
import { text } from '../values/value.ts';
import { GridSnapshot } from './grid-snapshot.ts';

const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'svc-snapshot-'));
let grid: EmbeddedGrid;
const HOUR_MS = 3_600_000n;
const PARTS: CacheDefinition = {
  ...{ name: 'parts', mode: 'PARTITIONED', backups: 0, region: 'default', group: undefined, schema: 'PUBLIC' },
  ...{ writeMode: 'FULL_SYNC', atomicity: 'ATOMIC', persistent: true },
  entities: [
    {
      ...{ keyType: 'long', valueType: 'Part', tableName: 'PART', keyFields: ['ID'], fromSql: true },
      fields: [
        { name: 'ID', type: { kind: 'scalar', type: 'long' } },
        { name: 'NAME', type: { kind: 'scalar', type: 'string' } },
      ],
    },
  ],
};
const MAX_RESET_MS = 5;

beforeEach(async () => {
  await grid?.close();
  rmSync(folder, { recursive: true, force: true });
  grid = await openEmbeddedGrid({ dataDir: folder, clock: systemClock, version: '1.0.0' });
});
afterAll(async () => {
  await grid.close();
  rmSync(folder, { recursive: true, force: true });
});

test('restores entries, their time to live, and counters', async () => {
  await entriesOf(grid).put('default', text('kept'), text('a'));
  await entriesOf(grid).put('default', text('short'), text('b'), HOUR_MS);
  await countersOf(grid).add('visits', 7n, 0n);
  const snapshot = await GridSnapshot.of(grid);
  for (let round = 0; round < 2; round++) {
    await entriesOf(grid).put('default', text('kept'), text('changed'), HOUR_MS);
    await entriesOf(grid).remove('default', text('short'));
    await entriesOf(grid).put('default', text('new'), text('c'));
    await countersOf(grid).add('visits', 5n, 0n);
    await countersOf(grid).add('other', 5n, 0n);
    await snapshot.restore();
    expect(await entriesOf(grid).size('default')).toBe(2);
    expect(await entriesOf(grid).get('default', text('kept'))).toEqual(text('a'));
    expect(await entriesOf(grid).timeToLive('default', text('kept'))).toBeNull();
    const ttlMs = await entriesOf(grid).timeToLive('default', text('short'));
    expect(Number(ttlMs)).toBeWithin(Number(HOUR_MS) - 10_000, Number(HOUR_MS) + 1);
    expect(await grid.transfer.counters([])).toEqual([
      { name: 'other', value: 0n },
      { name: 'visits', value: 7n },
    ]);
  }
});

test('restores caches that were created, destroyed or defined anew', async () => {
  const { transfer, caches } = grid;
  const entries = entriesOf(grid);
  await transfer.define(PARTS);
  await caches.getOrCreate('gone', {});
  await entries.put('gone', text('a'), text('b'));
  await entries.put('parts', { type: 'long', data: 1n }, text('of no table'));
  const snapshot = await GridSnapshot.of(grid);
  const before = await caches.list();
  await caches.destroy('gone');
  await caches.getOrCreate('added', {});
  await caches.destroy('parts');
  await transfer.define({ ...PARTS, backups: 2 });
  await snapshot.restore();
  const byName = (list: readonly CacheDefinition[]) => [...list].sort((a, b) => (a.name < b.name ? -1 : 1));
  expect(byName(await caches.list())).toEqual(byName(before));
  expect(await entries.get('gone', text('a'))).toEqual(text('b'));
  expect(await entries.size('parts')).toBe(1);
});

test('restoring what a test has changed takes less than 5 ms', async () => {
  for (let table = 0; table < 10; table++) await grid.caches.getOrCreate(`cache-${table}`, {});
  const fixtures = Array.from({ length: 20 }, (_, at) => ({ key: text(`key-${at}`), value: text(`value-${at}`) }));
  for (let table = 0; table < 10; table++) await entriesOf(grid).putAll(`cache-${table}`, fixtures);
  const snapshot = await GridSnapshot.of(grid);
  const times: number[] = [];
  for (let round = 0; round < 20; round++) {
    await entriesOf(grid).put('cache-3', text(`new-${round}`), text('a'));
    const startMs = systemClock.monotonicMs();
    await snapshot.restore();
    times.push(systemClock.monotonicMs() - startMs);
    expect(await entriesOf(grid).size('cache-3')).toBe(20);
  }
  expect(times.sort((left, right) => left - right)[5]).toBeLessThan(MAX_RESET_MS);
});
