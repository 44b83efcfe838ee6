import { expect, test } from 'bun:test';
import { ManualClock } from '../../../../test/fixtures/base/manual-clock.ts';
import { SharedQueryState } from '../shared/shared-query-state.ts';
import { LOCK_INTEGERS, WriteLock } from '../storage/write-lock.ts';
import { StuckProcesses } from './stuck-processes.ts';

const THREAD = 2;
const TICKET = 7;
const GRACE_MS = 2_000;
const WRITER = 9;
const WRITE_LOCK_MS = 5_000;
const COMMIT_MS = 60_000;

/** Checks two processes ten times a second. Returns which one is stuck with which statement, when in ms, and why. */
function watch(
  action: (queryState: SharedQueryState, nowMs: number, lock: WriteLock) => void,
  forMs = 10_000,
  ticksOf: (nowMs: number) => string | undefined = () => undefined,
): string {
  const clock = new ManualClock(0);
  const queryState = new SharedQueryState();
  const integers = new Int32Array(LOCK_INTEGERS);
  const writeLock = new WriteLock(integers, 0, WRITER, clock);
  const stuck = new StuckProcesses({
    ...{ queryState, clock, writeLock, writeLockMs: WRITE_LOCK_MS },
    ticksOf: () => ticksOf(clock.nowMs()),
  });
  const writers = new Map([
    [0, 8],
    [THREAD, WRITER],
  ]);
  for (let nowMs = 0; nowMs < forMs; nowMs += 100) {
    action(queryState, nowMs, writeLock);
    const [found] = stuck.find(writers);
    if (found !== undefined) return `${found.index} ${found.ticket} ${nowMs} ${found.reason}`;
    clock.advance(100);
  }
  return 'never';
}

test('a statement is stuck when it still runs after its time limit and the grace', () => {
  const found = watch((state, nowMs) => nowMs === 0 && state.beginRun(THREAD, TICKET, 500));
  expect(found).toBe(`${THREAD} ${TICKET} ${500 + GRACE_MS + 100} the time limit is over`);
});

test('a statement without a time limit is stuck when it still runs after it was cancelled', () => {
  const found = watch((state, nowMs) => {
    if (nowMs === 0) state.beginRun(THREAD, TICKET, Number.POSITIVE_INFINITY);
    if (nowMs === 3_000) state.cancel(TICKET);
  });
  expect(found).toBe(`${THREAD} ${TICKET} ${3_000 + GRACE_MS + 100} the client went away or the query was closed`);
});

test('a statement without a time limit, short runs and processes that have ended are not stuck', () => {
  expect(watch((state, nowMs) => nowMs === 0 && state.beginRun(THREAD, TICKET, Number.POSITIVE_INFINITY))).toBe(
    'never',
  );
  expect(watch((state) => state.beginRun(THREAD, TICKET, 500))).toBe('never');
  for (const end of ['endRun', 'ended'] as const) {
    const found = watch((state, nowMs) => {
      if (nowMs === 0) state.beginRun(THREAD, TICKET, 500);
      if (nowMs === 2_000) state[end](THREAD);
    });
    expect(found).toBe('never');
  }
});

test('a change that commits is not stuck', () => {
  const found = watch((state, nowMs) => {
    if (nowMs > 0) return;
    state.claim(TICKET, THREAD);
    state.beginRun(THREAD, TICKET, 500);
    state.beginCommit(TICKET, THREAD);
  });
  expect(found).toBe('never');
});

test.each(['rows', 'statement'] as const)(
  'a process that keeps the write lock for %s outside a run is stuck',
  (holder) => {
    const found = watch((_, nowMs, lock) => nowMs === 1_000 && lock.tryAcquire(holder));
    expect(found).toBe(`${THREAD} undefined ${1_000 + WRITE_LOCK_MS + GRACE_MS + 100} it kept the write lock`);
  },
);

test('a process that acquires the write lock again and again, and the owner of the data folder, are not stuck', () => {
  const again = watch((_, __, lock) => {
    lock.release();
    lock.tryAcquire('rows');
  });
  expect(again).toBe('never');
  expect(watch((_, nowMs, lock) => nowMs === 0 && lock.tryAcquire('changes'))).toBe('never');
});

test('the limit of the statement bounds a run with the write lock, until it commits', () => {
  const run = (limitMs: number, commits: boolean) =>
    watch((state, nowMs, lock) => {
      if (nowMs > 0) return;
      lock.tryAcquire('statement');
      state.claim(TICKET, THREAD);
      state.beginRun(THREAD, TICKET, limitMs);
      if (commits) state.beginCommit(TICKET, THREAD);
    }, 2 * COMMIT_MS);
  expect(run(20_000, false)).toBe(`${THREAD} ${TICKET} ${20_000 + GRACE_MS + 100} the time limit is over`);
  expect(run(Number.POSITIVE_INFINITY, false)).toBe('never');
  expect(run(500, true)).toBe(`${THREAD} undefined ${COMMIT_MS + 100} it kept the write lock`);
  expect(run(1.5 * COMMIT_MS, true)).toBe(`${THREAD} undefined ${1.5 * COMMIT_MS + 100} it kept the write lock`);
});

test('a commit after a long run has its whole time, whether it is part of a run or not', () => {
  const commit = (endsRun: boolean) =>
    watch((state, nowMs, lock) => {
      if (nowMs === 0) {
        lock.tryAcquire('statement');
        state.claim(TICKET, THREAD);
        state.beginRun(THREAD, TICKET, Number.POSITIVE_INFINITY);
      }
      if (nowMs !== 2 * COMMIT_MS) return;
      if (endsRun) state.endRun(THREAD);
      state.beginCommit(TICKET, THREAD);
    }, 4 * COMMIT_MS);
  for (const endsRun of [true, false])
    expect(commit(endsRun)).toBe(`${THREAD} undefined ${3 * COMMIT_MS} it kept the write lock`);
});

test.each<[does: string, ticksOf: (nowMs: number) => string | undefined, found: string]>([
  ['computes', (nowMs) => `${nowMs} 0`, 'never'],
  ['does nothing', () => '7 0', `${THREAD} undefined ${COMMIT_MS + 200} it kept the write lock`],
  ['does nothing for a while', (nowMs) => `${Math.floor(nowMs / 50_000)} 0`, 'never'],
  ['cannot be measured', () => undefined, 'never'],
])('a process that %s in a statement without a limit, with the write lock', (_, ticksOf, found) => {
  const begin = (state: SharedQueryState, nowMs: number, lock: WriteLock): void => {
    if (nowMs > 0) return;
    state.beginRun(THREAD, TICKET, Number.POSITIVE_INFINITY);
    lock.tryAcquire('statement');
  };
  expect(watch(begin, 200_000, ticksOf)).toBe(found);
});
