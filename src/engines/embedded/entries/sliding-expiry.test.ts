/** Sliding expiry of the embedded engine: how many writes the reads cause (docs/spec/extensions.md 1). */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '../../../../test/fixtures/base/manual-clock.ts';
import { entriesOf } from '../../../../test/grid/entry-methods.ts';
import { text } from '../../../values/value.ts';
import { type EmbeddedGrid, openEmbeddedGrid } from '../embedded-grid.ts';
import { DATA_DATABASE } from '../storage/databases.ts';

const [A, B] = [text('a'), text('b')];
const TTL_MS = 1_000;
const clock = new ManualClock();
const dataDir = mkdtempSync(join(tmpdir(), 'svc-sliding-'));
let grid: EmbeddedGrid;

beforeAll(async () => {
  const caches = [
    { name: 'sliding', ttlMs: TTL_MS, sliding: true },
    { name: 'fixed', ttlMs: TTL_MS },
  ];
  grid = await openEmbeddedGrid({ dataDir, clock, version: '1.0.0', caches });
});
afterAll(async () => {
  await grid.close();
  rmSync(dataDir, { recursive: true });
});

const commits = (): number => grid.thread.shared.commits(DATA_DATABASE);

/** Lets the changes that reads have queued commit. */
async function settle(): Promise<void> {
  for (let tick = 0; tick < 3; tick++) await new Promise((resolve) => setImmediate(resolve));
}

describe('reads in a cache with sliding expiry', () => {
  test('write at most once for each tenth of the time to live [11.8]', async () => {
    await entriesOf(grid).put('sliding', A, B);
    const before = commits();
    const deadlines = new Set<bigint | null | undefined>();
    for (let read = 0; read < 3 * TTL_MS; read++) {
      clock.advance(1);
      expect(await entriesOf(grid).get('sliding', A)).toEqual(B);
      await settle();
      deadlines.add(BigInt(clock.nowMs()) + ((await entriesOf(grid).timeToLive('sliding', A)) ?? 0n));
    }
    expect(deadlines.size).toBeLessThanOrEqual(31);
    // The sweeper looks for expired entries twice a second.
    expect(commits() - before).toBeLessThanOrEqual(30 + 6);
    clock.advance(TTL_MS);
    expect(await entriesOf(grid).get('sliding', A)).toEqual(B);
  });

  test('leave the entry at least the time to live, and a tenth more at most', async () => {
    await entriesOf(grid).put('sliding', A, B);
    expect(await entriesOf(grid).timeToLive('sliding', A)).toBe(1_100n);
    for (const advanceMs of [50, 99, 1, 1, 600, 1_000]) {
      clock.advance(advanceMs);
      expect(await entriesOf(grid).get('sliding', A)).toEqual(B);
      await settle();
      const remaining = Number(await entriesOf(grid).timeToLive('sliding', A));
      expect([remaining >= TTL_MS, remaining <= 1_100]).toEqual([true, true]);
    }
    clock.advance(1_101);
    expect(await entriesOf(grid).get('sliding', A)).toBeUndefined();
  });

  test('share one change with the other reads of a tick', async () => {
    const keys = Array.from({ length: 500 }, (_, number) => text(`key ${number}`));
    await entriesOf(grid).putAll(
      'sliding',
      keys.map((key) => ({ key, value: B })),
    );
    clock.advance(500);
    const before = commits();
    for (const key of keys) await entriesOf(grid).get('sliding', key);
    await settle();
    expect(commits() - before).toBe(1);
    for (const key of keys) expect(await entriesOf(grid).timeToLive('sliding', key)).toBe(1_100n);
  });

  test('do not shorten a longer time to live of the entry', async () => {
    await entriesOf(grid).put('sliding', A, B, 60_000n);
    await entriesOf(grid).get('sliding', A);
    await settle();
    expect(await entriesOf(grid).timeToLive('sliding', A)).toBe(60_000n);
  });

  test('leave an entry without a deadline as it is', async () => {
    await entriesOf(grid).put('sliding', A, B);
    await entriesOf(grid).updateTtl('sliding', A, null);
    await entriesOf(grid).get('sliding', A);
    await settle();
    expect(await entriesOf(grid).timeToLive('sliding', A)).toBeNull();
  });

  test('by conkey, ttl, size and failed changes move no deadline', async () => {
    await entriesOf(grid).put('sliding', A, B);
    clock.advance(500);
    await entriesOf(grid).has('sliding', A);
    await entriesOf(grid).size('sliding');
    await entriesOf(grid).putIfAbsent('sliding', A, B);
    await settle();
    expect(await entriesOf(grid).timeToLive('sliding', A)).toBe(600n);
  });

  test('succeed without moving deadlines while nothing may be written', async () => {
    await entriesOf(grid).put('sliding', A, B);
    clock.advance(500);
    await grid.cluster.setState('ACTIVE_READ_ONLY', false);
    expect(await entriesOf(grid).get('sliding', A)).toEqual(B);
    await settle();
    expect(await entriesOf(grid).timeToLive('sliding', A)).toBe(600n);
    await grid.cluster.setState('ACTIVE', false);
  });
});

test('reads in a cache with a fixed time to live write nothing', async () => {
  await entriesOf(grid).put('fixed', A, B);
  const before = commits();
  clock.advance(7);
  await entriesOf(grid).get('fixed', A);
  await settle();
  expect([commits() - before, await entriesOf(grid).timeToLive('fixed', A)]).toEqual([0, 993n]);
});
