import { expect, test } from 'bun:test';
import { existsSync, readdirSync } from 'node:fs';
import { HeapHelper, minorFaultsOf } from './page-faults.ts';

const MEBIBYTE = 1024 * 1024;
const hasThreads = existsSync('/proc/self/task');

test.if(hasThreads)('counts the page faults of a thread that touches new memory', () => {
  const before = minorFaultsOf(String(process.pid)) ?? Number.NaN;
  const touched = [1, 2, 3, 4].map((byte) => new Uint8Array(64 * MEBIBYTE).fill(byte));
  const after = minorFaultsOf(String(process.pid)) ?? Number.NaN;
  expect(touched.map((bytes) => bytes.at(-1))).toEqual([1, 2, 3, 4]);
  // Huge pages need one fault for many pages.
  expect(after).toBeGreaterThan(before);
});

test('a thread that does not exist has no page faults', () => {
  expect(minorFaultsOf('0')).toBeUndefined();
});

test.if(hasThreads)('the helper of the heaps has taken the memory of a heap that has grown', async () => {
  const objects: object[] = [];
  const helper = new HeapHelper();
  const names = () =>
    Promise.all(readdirSync('/proc/self/task').map((each) => Bun.file(`/proc/self/task/${each}/comm`).text()));
  const before = helper.faults();
  for (let at = 0; at < 1_000_000; at++) objects.push({ at, text: `${at}` });
  const isRunning = (await names()).some((name) => name.trim() === HeapHelper.threadName);
  let after = before;
  for (let call = 0; call < 20; call++) after = helper.faults();
  expect(objects).toHaveLength(1_000_000);
  // The engine needs no helper where it has other means.
  if (isRunning) expect(after).toBeGreaterThan(before);
});
