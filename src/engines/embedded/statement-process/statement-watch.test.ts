/** Tests the bounds of statements that poll because nothing interrupts SQLite. */
import { expect, test } from 'bun:test';
import { systemClock as clock } from '../../../base/clock.ts';
import { type StatementBudget, UNLIMITED } from '../../../grid/statement-budget.ts';
import { SharedQueryState } from '../shared/shared-query-state.ts';
import { StatementWatch, type WatchStart } from './statement-watch.ts';

const BUDGET: StatementBudget = { ...UNLIMITED, timeMs: 60_000, maxTimeMs: 100_000 };

const START: WatchStart = { index: 0, ticket: 1, limitMs: 0, waitedMs: 0, entry: undefined };

/** Polls until `poll` throws. */
function pollFor(poll: () => void): void {
  for (;;) poll();
}

const POLLED: ReadonlyArray<readonly [title: string, budget: Partial<StatementBudget>, code: string]> = [
  ['a statement that polls is cancelled at its deadline', { timeMs: 20 }, 'QUERY_TIMEOUT'],
  [
    'a change that polls is cancelled when it has held the write lock for too long',
    { writeLockMs: 20 },
    'WRITE_LOCK_TIME',
  ],
];

for (const [title, budget, code] of POLLED) {
  test(title, () => {
    const watch = new StatementWatch(clock, new SharedQueryState(), { ...BUDGET, ...budget }, START);
    expect(() => watch.runLocked(() => pollFor(watch.poll))).toThrow(expect.objectContaining({ code }));
  });
}

test('a cancelled statement throws at its next poll', () => {
  const queryState = new SharedQueryState();
  const watch = new StatementWatch(clock, queryState, BUDGET, { ...START, ticket: 5 });
  expect(() =>
    watch.run(() => {
      watch.poll();
      queryState.cancel(5);
      pollFor(watch.poll);
    }),
  ).toThrow(expect.objectContaining({ code: 'QUERY_CANCELLED' }));
});

test('the wait for a process counts towards the time limit of the first page', () => {
  const watch = new StatementWatch(clock, new SharedQueryState(), BUDGET, { ...START, limitMs: 1_000, waitedMs: 990 });
  const startMs = clock.monotonicMs();
  expect(() => watch.run(() => pollFor(watch.poll))).toThrow(expect.objectContaining({ code: 'QUERY_TIMEOUT' }));
  expect(clock.monotonicMs() - startMs).toBeLessThan(5_000);
  watch.beginPage(2);
  expect(watch.run(() => 'the next page has the whole time')).toContain('the whole time');
});

test('all pages of a statement share its result bytes', () => {
  const watch = new StatementWatch(clock, new SharedQueryState(), { ...BUDGET, resultBytes: 10 }, START);
  watch.countResult(1, '123456');
  watch.beginPage(2);
  expect(() => watch.countResult(1, '123456')).toThrow(expect.objectContaining({ code: 'QUERY_RESULT_BYTES' }));
});

test('memory that a statement may not use is refused before it is used', () => {
  const open = (memoryBytes: number) =>
    new StatementWatch(clock, new SharedQueryState(), { ...BUDGET, memoryBytes }, START);
  open(1_000).checkMemory(1_000);
  expect(() => open(1_000).checkMemory(1_001)).toThrow(expect.objectContaining({ code: 'QUERY_MEMORY' }));
  open(0).checkMemory(Number.MAX_SAFE_INTEGER);
});

test('a statement whose limit passed while it waited does not run', () => {
  const watch = new StatementWatch(clock, new SharedQueryState(), BUDGET, { ...START, limitMs: 50, waitedMs: 60 });
  let ran = false;
  expect(() =>
    watch.run(() => {
      ran = true;
    }),
  ).toThrow(expect.objectContaining({ code: 'QUERY_TIMEOUT' }));
  expect(ran).toBe(false);
});
