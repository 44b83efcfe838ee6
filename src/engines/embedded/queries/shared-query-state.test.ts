import { expect, test } from 'bun:test';
import { LONG_STATEMENT_MS, SharedQueryState, USUAL_READING_THREADS } from './shared-query-state.ts';

const MOST = 6;

/** A board whose first `count` threads have been inside a statement since time 0. */
function busyQueryState(count: number): SharedQueryState {
  const queryState = new SharedQueryState();
  for (let thread = 0; thread < count; thread++) {
    queryState.started(thread);
    queryState.requestSent(thread);
    queryState.beginWork(thread, thread + 1, '', queryState.nextTicket(), 0);
  }
  return queryState;
}

test('statements share the usual threads while all are quick', () => {
  const queryState = busyQueryState(USUAL_READING_THREADS);
  expect(queryState.chooseReader(LONG_STATEMENT_MS, MOST, false)).toBe(0);
});

test('a statement that found no free thread gets a further one', () => {
  const queryState = busyQueryState(USUAL_READING_THREADS);
  expect(queryState.chooseReader(LONG_STATEMENT_MS, MOST, true)).toBe(USUAL_READING_THREADS);
  queryState.requestSent(USUAL_READING_THREADS);
  expect(queryState.chooseReader(LONG_STATEMENT_MS, MOST, true)).toBe(USUAL_READING_THREADS + 1);
});

test('threads with a long statement get no other, and no thread is left when all have one', () => {
  const nowMs = LONG_STATEMENT_MS + 1;
  expect(busyQueryState(2).chooseReader(nowMs, MOST, false)).toBe(2);
  expect(busyQueryState(USUAL_READING_THREADS).chooseReader(nowMs, MOST, false)).toBe(USUAL_READING_THREADS);
  expect(busyQueryState(MOST).chooseReader(nowMs, MOST, false)).toBeUndefined();
});

test('only one thread claims a statement that was sent to several', () => {
  const queryState = new SharedQueryState();
  const ticket = queryState.nextTicket();
  expect([queryState.isClaimed(ticket), queryState.claim(ticket), queryState.claim(ticket)]).toEqual([
    false,
    true,
    false,
  ]);
  expect(queryState.isClaimed(ticket)).toBe(true);
});
