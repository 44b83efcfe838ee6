import { expect, test } from 'bun:test';
import { ManualClock } from '../../../../../test/fixtures/base/manual-clock.ts';
import { SharedQueryState } from '../shared-query-state.ts';
import { StuckThreads } from './stuck-threads.ts';

const THREAD = 2;
const TICKET = 7;
const GRACE_MS = 2_000;

/** Checks two threads ten times a second. Returns which one is stuck with which statement, when in ms, and why. */
function watch(action: (queryState: SharedQueryState, nowMs: number) => void): string {
  const clock = new ManualClock(0);
  const queryState = new SharedQueryState();
  const stuck = new StuckThreads(queryState, clock);
  for (let nowMs = 0; nowMs < 10_000; nowMs += 100) {
    action(queryState, nowMs);
    const [found] = stuck.find([0, THREAD]);
    if (found !== undefined) return `${found.thread} ${found.ticket} ${nowMs} ${found.reason}`;
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

test('a statement without a time limit, short runs and threads that have ended are not stuck', () => {
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
