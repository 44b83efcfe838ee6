import { expect, test } from 'bun:test';
import { LONG_STATEMENT_MS, SharedQueryState, USUAL_READING_THREADS } from './shared-query-state.ts';

const MAX_READERS = 6;
const PROCESSORS = 16;
const ANN = { key: 'user ann', isAdministrator: false };
const BOB = { key: 'user bob', isAdministrator: false };

/** Creates a state whose first `count` threads have been running a statement since time 0. */
function busyQueryState(count: number, processors = PROCESSORS): SharedQueryState {
  const queryState = new SharedQueryState(undefined, processors);
  for (let thread = 0; thread < count; thread++) {
    queryState.started(thread);
    queryState.ready(thread);
    queryState.requestSent(thread);
    queryState.beginWork(thread, thread + 1, '', queryState.nextTicket(), 0);
  }
  return queryState;
}

test('quick statements share the usual threads', () => {
  const queryState = busyQueryState(USUAL_READING_THREADS);
  expect(queryState.chooseReader(LONG_STATEMENT_MS, MAX_READERS, false, ANN)).toBe(0);
});

test('a statement that found no free thread starts another one', () => {
  const queryState = busyQueryState(USUAL_READING_THREADS);
  expect(queryState.chooseReader(LONG_STATEMENT_MS, MAX_READERS, true, ANN)).toBe(USUAL_READING_THREADS);
  queryState.requestSent(USUAL_READING_THREADS);
  expect(queryState.chooseReader(LONG_STATEMENT_MS, MAX_READERS, true, ANN)).toBe(USUAL_READING_THREADS + 1);
});

test('as long as no statement is long, no more threads start than there are processors', () => {
  const choose = (busy: number, processors: number, nowMs = LONG_STATEMENT_MS) =>
    busyQueryState(busy, processors).chooseReader(nowMs, 12, true, ANN);
  expect([choose(USUAL_READING_THREADS, 2), choose(USUAL_READING_THREADS, 8), choose(8, 8)]).toEqual([0, 4, 0]);
  expect(choose(USUAL_READING_THREADS, 2, LONG_STATEMENT_MS + 1)).toBe(USUAL_READING_THREADS);
  const queryState = busyQueryState(USUAL_READING_THREADS, 2);
  const endedMs = LONG_STATEMENT_MS + 10;
  // Three of four are long now, so that another thread starts beside the fourth.
  queryState.beginWork(3, 9, '', queryState.nextTicket(), endedMs);
  expect(queryState.chooseReader(endedMs, MAX_READERS, true, ANN)).toBe(USUAL_READING_THREADS);
});

test('at most two further threads start at once', () => {
  const queryState = busyQueryState(USUAL_READING_THREADS);
  const further = USUAL_READING_THREADS;
  const choose = () => queryState.chooseReader(LONG_STATEMENT_MS, MAX_READERS, true, ANN);
  for (const thread of [further, further + 1]) {
    expect(choose()).toBe(thread);
    queryState.started(thread);
    queryState.requestSent(thread);
  }
  expect([choose(), queryState.isStarted(further)]).toEqual([0, true]);
  queryState.ready(further);
  queryState.requestSent(further);
  expect(new SharedQueryState(queryState.memory, PROCESSORS).chooseReader(LONG_STATEMENT_MS, 28, true, ANN)).toBe(
    further + 2,
  );
});

test('threads with a long statement are skipped, and none is chosen when all have one', () => {
  const nowMs = LONG_STATEMENT_MS + 1;
  expect(busyQueryState(2).chooseReader(nowMs, MAX_READERS, false, ANN)).toBe(2);
  expect(busyQueryState(USUAL_READING_THREADS).chooseReader(nowMs, MAX_READERS, false, ANN)).toBe(
    USUAL_READING_THREADS,
  );
  expect(busyQueryState(MAX_READERS).chooseReader(nowMs, MAX_READERS, false, ANN)).toBeUndefined();
});

test('while long statements of one user occupy all threads, further threads run those of others up to their share', () => {
  const queryState = busyQueryState(MAX_READERS);
  const nowMs = LONG_STATEMENT_MS + 1;
  for (let thread = 0; thread < MAX_READERS; thread++) queryState.setRunning(thread, ANN);
  expect(queryState.chooseReader(nowMs, MAX_READERS, false, ANN)).toBeUndefined();
  const further: Array<number | undefined> = [];
  for (let thread = MAX_READERS; thread < MAX_READERS + 5; thread++) {
    further.push(queryState.chooseReader(nowMs, MAX_READERS, false, BOB));
    queryState.started(thread);
    queryState.setRunning(thread, BOB);
    queryState.beginWork(thread, thread + 1, '', queryState.nextTicket(), 0);
  }
  expect(further).toEqual([6, 7, 8, 9, 10]);
  expect(queryState.chooseReader(nowMs, MAX_READERS, false, BOB)).toBeUndefined();
  expect(queryState.chooseReader(nowMs, MAX_READERS, false, { ...BOB, isAdministrator: true })).toBe(11);
});

test('the thread that claimed a statement is known', () => {
  const queryState = new SharedQueryState();
  const ticket = queryState.nextTicket();
  expect([queryState.claim(ticket, 3), queryState.claim(ticket, 4)]).toEqual([true, false]);
  expect([3, 4].map((thread) => queryState.isClaimedBy(ticket, thread))).toEqual([true, false]);
});

test('only one thread can claim a statement that was sent to several', () => {
  const queryState = new SharedQueryState();
  const ticket = queryState.nextTicket();
  expect([queryState.isClaimed(ticket), queryState.claim(ticket), queryState.claim(ticket)]).toEqual([
    false,
    true,
    false,
  ]);
  expect(queryState.isClaimed(ticket)).toBe(true);
});

test('a thread beyond the usual ones is spare without requests and cursors', () => {
  const queryState = busyQueryState(USUAL_READING_THREADS);
  const further = USUAL_READING_THREADS;
  expect(queryState.isSpare(further)).toBe(false);
  queryState.started(further);
  expect([queryState.isSpare(further), queryState.isSpare(0)]).toEqual([true, false]);
  queryState.setCursors(further, 1);
  expect([queryState.isSpare(further), queryState.tryRetire(further)]).toEqual([false, false]);
  queryState.setCursors(further, 0);
  queryState.requestSent(further);
  expect([queryState.isSpare(further), queryState.tryRetire(further)]).toEqual([false, false]);
  queryState.requestEnded(further);
  expect([queryState.tryRetire(further), queryState.isStarted(further)]).toEqual([true, false]);
});

test('a thread that is being ended is sent no requests until it has ended', () => {
  const queryState = busyQueryState(USUAL_READING_THREADS);
  const further = USUAL_READING_THREADS;
  queryState.started(further);
  const choose = () => queryState.chooseReader(LONG_STATEMENT_MS, MAX_READERS, true, ANN);
  expect(choose()).toBe(further);
  expect(queryState.tryRetire(further)).toBe(true);
  // A request that had chosen the thread before is told, and is not counted.
  expect([queryState.requestSent(further), queryState.report(0).threads.busy]).toEqual([false, USUAL_READING_THREADS]);
  expect(choose()).toBe(further + 1);
  queryState.ended(further);
  expect([choose(), queryState.requestSent(further)]).toEqual([further, true]);
});

test('a statement is abandoned before its commit or not at all, and only while a thread runs it', () => {
  const queryState = new SharedQueryState();
  const ticket = queryState.nextTicket();
  expect(queryState.abandon(ticket)).toBe(false);
  queryState.claim(ticket, 3);
  expect([queryState.abandon(ticket), queryState.isCancelled(ticket), queryState.isAbandoned(ticket)]).toEqual([
    true,
    true,
    true,
  ]);
  expect([queryState.beginCommit(ticket, 3), queryState.abandon(ticket)]).toEqual([false, false]);

  const other = queryState.nextTicket();
  queryState.claim(other, 3);
  expect([queryState.beginCommit(other, 3), queryState.abandon(other)]).toEqual([true, false]);
  expect(queryState.isCancelled(other)).toBe(false);
});
