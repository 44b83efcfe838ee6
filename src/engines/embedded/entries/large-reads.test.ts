/** Reads of large values: others run between them, and each call sees one snapshot. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { entriesOf } from '../../../../test/grid/entry-methods.ts';
import { systemClock as clock } from '../../../base/clock.ts';
import { text, type Value } from '../../../values/value.ts';
import { type EmbeddedGrid, openEmbeddedGrid } from '../embedded-grid.ts';

const LENGTH = 1_200_000;
const KEYS = ['a', 'b', 'c', 'd'].map(text);
const longOf = (letter: string): Value => text(letter.repeat(LENGTH));

let grid: EmbeddedGrid;
const dataDir = mkdtempSync(join(tmpdir(), 'svc-large-reads-'));

beforeAll(async () => {
  grid = await openEmbeddedGrid({ dataDir, clock, version: '1.0.0', caches: [{ name: 'large' }, { name: 'small' }] });
  await store('x');
});
afterAll(async () => {
  await grid.close();
  rmSync(dataDir, { recursive: true });
});

const store = (letter: string): Promise<void> =>
  Promise.resolve(
    entriesOf(grid).putAll(
      'large',
      KEYS.map((key) => ({ key, value: longOf(letter) })),
    ),
  );

/** Counts the ticks of the event loop until a promise resolves. */
async function ticksOf(promise: Promise<unknown>): Promise<number> {
  let ticks = 0;
  let isOver = false;
  const count = (): void => {
    ticks++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await promise;
  isOver = true;
  return ticks;
}

test('of several large values at once, each is read in a tick of its own', async () => {
  expect(await entriesOf(grid).get('large', text('a'))).toEqual(longOf('x'));
  const reads = KEYS.flatMap((key) => [key, key]).map((key) => Promise.resolve(entriesOf(grid).get('large', key)));
  expect(await ticksOf(Promise.all(reads))).toBeGreaterThanOrEqual(reads.length - 2);
  // A cache without them is read at once.
  await entriesOf(grid).put('small', text('a'), text('1'));
  expect(entriesOf(grid).get('small', text('a'))).toEqual(text('1'));
});

test('keys with large values are looked for in ticks, too', async () => {
  expect(await entriesOf(grid).get('large', text('a'))).toEqual(longOf('x'));
  const [key] = KEYS;
  if (key === undefined) throw new Error('no key');
  const found = Array.from({ length: 6 }, () => Promise.resolve(entriesOf(grid).has('large', key)));
  const timesToLive = Array.from({ length: 6 }, () => Promise.resolve(entriesOf(grid).timeToLive('large', key)));
  expect(await ticksOf(Promise.all([...found, ...timesToLive]))).toBeGreaterThanOrEqual(8);
  expect(await Promise.all(found)).toEqual(found.map(() => true));
  expect(await Promise.all(timesToLive)).toEqual(timesToLive.map(() => null));
  const all = Promise.resolve(entriesOf(grid).hasAll('large', KEYS));
  expect(await ticksOf(all)).toBeGreaterThanOrEqual(KEYS.length - 1);
  expect(await all).toBe(true);
  expect(await entriesOf(grid).hasAll('large', [...KEYS, text('none')])).toBe(false);
  expect(entriesOf(grid).has('small', text('none'))).toBe(false);
});

test('several large values of one call are read in ticks, from one snapshot', async () => {
  const read = Promise.resolve(entriesOf(grid).getAll('large', KEYS));
  expect(await ticksOf(read)).toBeGreaterThanOrEqual(KEYS.length - 1);
  const letters = async (): Promise<string[]> => {
    const found = await entriesOf(grid).getAll('large', KEYS);
    return found.map(({ value }) => (value.type === 'string' ? value.data.slice(0, 1) : ''));
  };
  const pending = Promise.all(Array.from({ length: 6 }, letters));
  for (const letter of ['y', 'z']) await store(letter);
  const snapshots = await pending;
  expect(snapshots.filter((found) => new Set(found).size > 1 || found.length !== KEYS.length)).toEqual([]);
  expect(await letters()).toEqual(['z', 'z', 'z', 'z']);
});
