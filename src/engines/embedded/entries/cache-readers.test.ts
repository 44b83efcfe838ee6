import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '../../../../test/fixtures/base/manual-clock.ts';
import { entriesOf } from '../../../../test/grid/entry-methods.ts';
import { text } from '../../../values/value.ts';
import { type EmbeddedGrid, openEmbeddedGrid } from '../embedded-grid.ts';
import { CacheReaders } from './cache-readers.ts';

const CACHES = Array.from({ length: 1_100 }, (_, index) => `cache${index}`);
const KEY = text('key');

let grid: EmbeddedGrid;
const clock = new ManualClock();
// Each cache needs its own commit, which is slow on a disk.
const dataDir = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'svc-readers-'));

beforeAll(async () => {
  grid = await openEmbeddedGrid({ dataDir, clock, version: '1.0.0', caches: CACHES.map((name) => ({ name })) });
}, 60_000);
afterAll(async () => {
  await grid.close();
  rmSync(dataDir, { recursive: true });
});

describe('rotation over 1,100 caches', () => {
  test('every change and every read reaches its cache', async () => {
    await Promise.all(CACHES.map((name) => entriesOf(grid).put(name, KEY, text(name))));
    await Promise.all(CACHES.map((name) => entriesOf(grid).append(name, KEY, text('+'))));
    for (let round = 0; round < 2; round++) {
      const values = await Promise.all(CACHES.map((name) => entriesOf(grid).get(name, KEY)));
      expect(values).toEqual(CACHES.map((name) => text(`${name}+`)));
      const sizes = await Promise.all(CACHES.map((name) => entriesOf(grid).size(name)));
      expect(new Set(sizes)).toEqual(new Set([1]));
    }
  });

  test('the second round prepares no statement', () => {
    const { readers } = grid.thread;
    const first = CACHES.map((name) => readers.open(name));
    const second = CACHES.map((name) => readers.open(name));
    expect(second.filter((reader, index) => reader !== first[index])).toEqual([]);
  });
});

test('beyond the bound the least recently used reader is evicted and its statements are finalized', () => {
  const { registry, reads, shared } = grid.thread;
  const readers = new CacheReaders(registry, reads, shared, clock, 2);
  const first = readers.open('cache0');
  const second = readers.open('cache1');
  expect(readers.open('cache0')).toBe(first);
  readers.open('cache2');
  expect(readers.open('cache0')).toBe(first);
  expect(first.find(KEY)).toBeDefined();
  expect(() => second.find(KEY)).toThrow('finalized');
  expect(readers.open('cache1').find(KEY)).toBeDefined();
  readers.release();
});

test('entries are found as JSON if all values are texts of the length', async () => {
  const { thread } = grid;
  const entries = entriesOf(grid);
  const find = (...keys: string[]) => thread.readers.open('cache0').findTexts(keys, 10);
  await entries.put('cache0', text('a'), text('short "é" '.slice(0, 8)));
  await entries.put('cache0', text('b'), text('0123456789'));
  await entries.put('cache0', text('long'), text('0123456789+'));
  await entries.put('cache0', text('number'), { type: 'integer', data: 1 });
  await entries.put('cache0', text('surrogate'), text('\ud800'));
  const found = find('b', 'none', 'a');
  expect(JSON.parse(found?.json ?? '')).toEqual({ b: '0123456789', a: 'short "é' });
  expect(found?.found).toBe(2);
  expect(find('none', 'other')).toEqual({ json: '{}', found: 0 });
  for (const key of ['long', 'number', 'surrogate']) {
    expect(find('a', key, 'b')).toBeUndefined();
    const all = await entries.getAll('cache0', [text('a'), text(key), text('b')]);
    expect(all.map((entry) => entry.key)).toEqual([text('a'), text(key), text('b')]);
  }
});

test('the statements of a destroyed cache are finalized, and those of others kept', async () => {
  await grid.caches.getOrCreate('short-lived', {});
  const { readers } = grid.thread;
  const [kept, destroyed] = [readers.open('cache0'), readers.open('short-lived')];
  expect(destroyed.find(KEY)).toBeUndefined();
  await grid.caches.destroy('short-lived');
  expect(readers.open('cache0')).toBe(kept);
  expect(() => destroyed.find(KEY)).toThrow('finalized');
});
