import { expect, test } from 'bun:test';
import { EMBEDDED_BOUNDS } from '../../../base/limits.ts';
import { createThreadArea } from '../../../base/shared-areas.ts';
import {
  type ListedStatement,
  NO_PROCESS,
  RUNNING_STATEMENTS_BYTES,
  type RunningStatement,
  RunningStatements,
  waitingId,
} from './running-statements.ts';

/** It fills memory of some megabytes, which takes seconds on a busy machine. */
const BUSY_LIMIT_MS = 60_000;

const statement = (id: number, text = `SELECT ${id}`): RunningStatement => ({
  id,
  kind: 'sql',
  text,
  detail: 'PUBLIC',
  owner: 'ann',
  startedAtMs: 1_000 + id,
  pageSize: 10,
});

/** Returns how a statement that has just begun on the process is listed. */
const listed = (id: number, processIndex: number): ListedStatement => ({
  ...statement(id),
  processIndex,
  state: processIndex === NO_PROCESS ? 'waitingForProcess' : 'running',
  rows: 0,
  activeMs: 0,
  memoryBytes: 0,
  temporaryBytes: 0,
  convertedRows: 0,
  rowsToConvert: 0,
});

/** Two views of one memory, as two processes have them. */
function twoThreads(): [RunningStatements, RunningStatements] {
  const area = createThreadArea(RUNNING_STATEMENTS_BYTES);
  return [new RunningStatements(area), new RunningStatements(area)];
}

test('statements of all processes are listed, the oldest first, until they end', () => {
  const [one, two] = twoThreads();
  const entries = [
    two.begin(1, statement(2), 2),
    one.begin(0, statement(1), 1),
    one.begin(NO_PROCESS, statement(3), 3),
  ];
  expect(two.list()).toEqual([listed(1, 0), listed(2, 1), listed(3, NO_PROCESS)]);
  entries[1]?.end();
  entries[1]?.end();
  expect(one.list()).toEqual([listed(2, 1), listed(3, NO_PROCESS)]);
});

test('slots are reused, and ending twice ends no other statement', () => {
  const [one, two] = twoThreads();
  for (let id = 1; id < 5_000; id++) {
    const entry = (id % 2 === 0 ? one : two).begin(id % 2, statement(id), id);
    entry?.end();
    const next = one.begin(0, statement(-id), id);
    entry?.end();
    expect([entry?.isOpen, next?.isOpen]).toEqual([false, true]);
    expect(two.list()).toEqual([listed(-id, 0)]);
    next?.end();
  }
});

test('other processes see what a statement does and uses', () => {
  const [one, two] = twoThreads();
  const entry = one.begin(0, statement(1), 1);
  entry?.addRows(5);
  entry?.addRows(6);
  entry?.setUsage(12.5, 1_000, 2_000);
  entry?.setProgress(3, 7);
  entry?.setState('idle');
  const used = {
    state: 'idle',
    rows: 11,
    activeMs: 12.5,
    memoryBytes: 1_000,
    temporaryBytes: 2_000,
    convertedRows: 3,
    rowsToConvert: 7,
  } as const;
  expect(two.list()).toEqual([{ ...listed(1, 0), ...used }]);
  // The next statement in the slot starts again.
  entry?.end();
  one.begin(0, statement(2), 2);
  expect(two.list()).toEqual([listed(2, 0)]);
});

test('a statement is found by its id, and by the id that it had while it waited for its process', () => {
  const [one, two] = twoThreads();
  one.begin(0, statement(400), 7);
  expect(two.find(400)?.statement).toEqual(listed(400, 0));
  expect(two.find(waitingId(7))?.statement).toEqual(listed(400, 0));
  expect(two.find(401)).toBeUndefined();
});

test('a statement is killed once, and its process notices', () => {
  const [one, two] = twoThreads();
  const entry = one.begin(0, statement(1), 1);
  entry?.setTicket(9);
  const found = two.find(1)?.entry;
  expect([found?.ticket, found?.kill(), found?.kill(), entry?.isKilled]).toEqual([9, true, false, true]);
});

test('a process that begins a statement ends the entry under which it waited, and learns whether it was killed', () => {
  const [one, two] = twoThreads();
  one.begin(NO_PROCESS, statement(1), 1);
  one.begin(NO_PROCESS, statement(2), 2);
  two.begin(3, statement(3), 1);
  two.find(2)?.entry.kill();
  expect([two.endWaiting(1), two.endWaiting(2), two.endWaiting(3)]).toEqual([false, true, false]);
  expect(one.list()).toEqual([listed(3, 3)]);
});

test('a statement that was killed while it waits for the write lock ends, and still knows that it was killed', () => {
  const [one, two] = twoThreads();
  const entry = one.begin(0, statement(1), 1);
  entry?.setState('waitingForLock');
  expect(two.endKilledWaiting(1)).toBe(false);
  two.find(1)?.entry.kill();
  expect(two.endKilledWaiting(1)).toBe(true);
  one.begin(0, statement(2), 2);
  expect([entry?.isKilled, two.list()]).toEqual([true, [listed(2, 0)]]);
});

test('the statements of an ended process disappear', () => {
  const [one, two] = twoThreads();
  one.begin(0, statement(1), 1);
  two.begin(1, statement(2), 2);
  one.ended(1);
  expect(two.list()).toEqual([listed(1, 0)]);
});

test(
  'a long text is truncated, and statements beyond the capacity are left out',
  () => {
    const [one] = twoThreads();
    one.begin(0, statement(0, '\u0001'.repeat(100_000)), 0);
    expect(one.list()[0]?.text).toHaveLength(500);
    for (let id = 1; id < EMBEDDED_BOUNDS.shownStatements + 5; id++) one.begin(0, statement(id), id);
    expect(one.list()).toHaveLength(EMBEDDED_BOUNDS.shownStatements);
  },
  BUSY_LIMIT_MS,
);
