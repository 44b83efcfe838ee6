import { heapStats } from 'bun:jsc';
import { expect, test } from 'bun:test';
import { growingMemory, growTo } from './growing-memory.ts';

const MEBIBYTE = 1024 * 1024;

test('memory grows for everything that views it, and never shrinks', () => {
  const memory = growingMemory(8, 64);
  const view = new Int32Array(memory);
  growTo(memory, 32);
  growTo(memory, 16);
  view[7] = 5;
  expect([memory.byteLength, view.length, new Int32Array(memory, 28, 1)[0]]).toEqual([32, 8, 5]);
  expect(() => growTo(memory, 72)).toThrow(RangeError);
});

test('memory that has not grown counts for no heap', () => {
  const before = heapStats().extraMemorySize;
  const memory = growingMemory(MEBIBYTE, 512 * MEBIBYTE);
  expect(heapStats().extraMemorySize - before).toBeLessThan(256 * MEBIBYTE);
  expect(memory.maxByteLength).toBe(512 * MEBIBYTE);
});
