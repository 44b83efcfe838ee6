import { expect, test } from 'bun:test';
import { createSharedMemory, Metrics, SharedState } from './shared-state.ts';

const CACHES = 16_384;

test('the metrics of a cache are those of all threads, until it is replaced', () => {
  const memory = createSharedMemory(3, CACHES);
  const [one, two, three] = [0, 1, 2].map((thread) => new Metrics(memory, thread));
  for (const slot of [0, 1, 255, 256, CACHES - 1]) {
    expect([three?.sum(slot, 'hits'), three?.latest(slot, 'readTime')]).toEqual([0, 0]);
    one?.countReads(slot, 2, 1, 1_000 + slot);
    two?.countReads(slot, 3, 0, 999);
    two?.countWrites(slot, 4, 2_000);
    expect([three?.sum(slot, 'hits'), three?.sum(slot, 'misses'), three?.sum(slot, 'writes')]).toEqual([5, 1, 4]);
    expect([three?.latest(slot, 'readTime'), three?.latest(slot, 'writeTime')]).toEqual([1_000 + slot, 2_000]);
  }
  three?.reset(256);
  expect([255, 256, 257].map((slot) => one?.sum(slot, 'hits'))).toEqual([5, 0, 0]);
  expect(() => new Metrics(memory, 3)).toThrow(RangeError);
});

test('a cache counts as one with large rows for a minute', () => {
  const memory = createSharedMemory(1, CACHES);
  const [one, two] = [new SharedState(memory), new SharedState(memory)];
  const nowMs = 1_800_000_000_000;
  expect(two.mayHaveLargeRows(CACHES - 1, nowMs)).toBe(false);
  one.noteLargeRow(CACHES - 1, nowMs);
  const after = (ms: number) => two.mayHaveLargeRows(CACHES - 1, nowMs + ms);
  expect([after(0), after(59_999), after(60_000)]).toEqual([true, true, false]);
  expect(two.mayHaveLargeRows(0, nowMs)).toBe(false);
});

test('the memory of the metrics grows with the caches that are used', () => {
  const memory = createSharedMemory(2, CACHES);
  const first = memory.metrics.byteLength;
  new Metrics(memory, 0).countReads(255, 1, 0, 1);
  expect(memory.metrics.byteLength).toBe(first);
  new Metrics(memory, 1).countReads(256, 1, 0, 1);
  expect(memory.metrics.byteLength).toBe(2 * first);
});
