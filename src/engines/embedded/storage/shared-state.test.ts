import { expect, test } from 'bun:test';
import { createSharedMemory, Metrics } from './shared-state.ts';

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

test('threads see the metrics of a group of caches that another thread used first', () => {
  const memory = createSharedMemory(2, CACHES);
  const [one, two] = [new Metrics(memory, 0), new Metrics(memory, 1)];
  one.countReads(255, 1, 0, 1);
  expect([one.sum(256, 'hits'), two.sum(255, 'hits')]).toEqual([0, 1]);
  two.countReads(256, 3, 0, 1);
  two.countReads(0, 2, 0, 1);
  expect([one.sum(256, 'hits'), one.sum(257, 'hits'), one.sum(0, 'hits')]).toEqual([3, 0, 2]);
});
