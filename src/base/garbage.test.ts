import { edenGC, fullGC, heapSize } from 'bun:jsc';
import { expect, test } from 'bun:test';
import { garbageCollector } from './garbage.ts';

const BYTES = 64 * 1024 * 1024;
const kept: string[] = [];

/** Adds a string to the heap; an old one has survived a collection. */
function add(isOld: boolean): void {
  kept.push(Buffer.alloc(BYTES, 'a').toString('latin1'));
  if (isOld) edenGC();
}

test.each([
  ['young', false],
  ['old', true],
])('%s garbage is collected', async (_title, isOld) => {
  fullGC();
  const collect = garbageCollector();
  const before = heapSize();
  add(isOld);
  if (isOld) expect(heapSize() - before).toBeGreaterThan(BYTES / 2);
  kept.length = 0;
  await Bun.sleep(1);
  collect();
  expect(heapSize() - before).toBeLessThan(BYTES / 2);
});
