import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '../../../../test/fixtures/base/manual-clock.ts';
import { countersOf } from '../../../../test/grid/entry-methods.ts';
import { DEFAULT_LIMITS } from '../../../base/limits.ts';
import { verifyFolder } from '../backup/verify.ts';
import { type EmbeddedGrid, openEmbeddedGrid } from '../embedded-grid.ts';

const MOST = 10;

let dataDir: string;
let clock: ManualClock;
let grid: EmbeddedGrid;

function open(counters = MOST): Promise<EmbeddedGrid> {
  const limits = { ...DEFAULT_LIMITS, counters };
  return openEmbeddedGrid({ dataDir, clock, version: '1.0.0', limits });
}

/** Adds 1 to a counter; returns its value, or the error. */
async function add(name: string, ttlMs?: bigint): Promise<unknown> {
  try {
    return await countersOf(grid).add(name, 1n, 0n, ttlMs);
  } catch (error) {
    return String(error);
  }
}

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'svc-counters-'));
  clock = new ManualClock();
  grid = await open();
});
afterEach(async () => {
  await grid.close();
  rmSync(dataDir, { recursive: true });
});

describe('the number of counters is limited', () => {
  test('also for those of one tick, and those that exist still count', async () => {
    const added = await Promise.all(Array.from({ length: MOST + 5 }, (_, number) => add(`counter${number}`)));
    expect(added.slice(0, MOST)).toEqual(Array.from({ length: MOST }, () => 1n));
    for (const each of added.slice(MOST)) expect(each).toMatch(/number of counters.*limit=10/);
    expect(await add('counter0')).toBe(2n);
  });

  test('without those that have expired', async () => {
    for (let number = 0; number < MOST; number++) await add(`counter${number}`, 1_000n);
    expect(await add('further')).toMatch(/number of counters/);
    clock.advance(1_000);
    // One that is replaced before it is removed counts once.
    expect(await add('counter0')).toBe(1n);
    clock.advance(120_000);
    await grid.sweep();
    for (let number = 1; number < MOST; number++) expect(await add(`counter${number}`)).toBe(1n);
    expect(await add('further')).toMatch(/number of counters/);
  });

  test('after a restart, and with a lower limit', async () => {
    for (let number = 0; number < MOST; number++) await add(`counter${number}`);
    await grid.close();
    expect(verifyFolder(dataDir, () => undefined).violations).toEqual([]);
    grid = await open(5);
    expect(await add('further')).toMatch(/number of counters.*limit=5/);
    expect(await add('counter9')).toBe(2n);
    await grid.close();
    grid = await open(MOST + 1);
    expect(await add('further')).toBe(1n);
    expect(await add('last')).toMatch(/number of counters/);
  });
});
