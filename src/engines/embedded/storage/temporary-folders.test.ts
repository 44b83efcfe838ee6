/** Folders of services that were killed are removed by others, and those of running ones are not. */
import { afterEach, expect, test } from 'bun:test';
import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ProcessFolder } from './temporary-folders.ts';

/** An id that no process has, so that only folders of this test look like those of ended processes. */
const UNKNOWN = 999_999_999;
const isRunning = (processId: number): boolean => processId !== UNKNOWN;

const folders: ProcessFolder[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

function create(processId: number): string {
  const folder = new ProcessFolder(processId, isRunning);
  folders.push(folder);
  return dirname(folder.newSocket());
}

test('the folder of a process that runs stays, also if its id is unknown, as in another container', () => {
  const other = create(UNKNOWN);
  create(process.pid);
  expect(existsSync(other)).toBe(true);
  folders[0]?.remove();
  expect(existsSync(other)).toBe(false);
});

test.each<[what: string, hasLock: boolean, ageMs: number, stays: boolean]>([
  ['that was killed', true, 0, false],
  ['that has not locked its folder yet', false, 0, true],
  ['of an earlier build that was killed', false, 120_000, false],
])('the folder of a process %s', (_, hasLock, ageMs, stays) => {
  const left = join(dirname(create(process.pid)), `svc-processes-${UNKNOWN}-0-test${process.pid}`);
  mkdirSync(left);
  try {
    if (hasLock) writeFileSync(join(left, 'lock'), '');
    const thenS = (Date.now() - ageMs) / 1000;
    utimesSync(left, thenS, thenS);
    create(process.pid);
    expect(existsSync(left)).toBe(stays);
  } finally {
    rmSync(left, { recursive: true, force: true });
  }
});
