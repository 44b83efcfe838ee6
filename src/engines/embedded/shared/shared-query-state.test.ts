import { expect, test } from 'bun:test';
import { LONG_STATEMENT_MS, SharedQueryState, tenantHash, USUAL_READING_PROCESSES } from './shared-query-state.ts';

const ANN = { key: 'user ann', isAdministrator: false };

/** Creates a state whose first `count` processes have been running a statement since time 0. */
function busyQueryState(count: number): SharedQueryState {
  const queryState = new SharedQueryState();
  for (let index = 0; index < count; index++) {
    queryState.started(index);
    queryState.ready(index);
    queryState.requestSent(index);
    queryState.beginWork(index, { id: index + 1, owner: '', ticket: queryState.nextTicket(), tenant: ANN }, 0);
  }
  return queryState;
}

test('a statement is claimed once', () => {
  const queryState = new SharedQueryState();
  const ticket = queryState.nextTicket();
  expect([queryState.isClaimed(ticket), queryState.claim(ticket), queryState.claim(ticket)]).toEqual([
    false,
    true,
    false,
  ]);
  expect(queryState.isClaimed(ticket)).toBe(true);
});

test('every process but the first is spare without requests and cursors', () => {
  const queryState = busyQueryState(USUAL_READING_PROCESSES);
  const further = USUAL_READING_PROCESSES;
  expect(queryState.isSpare(further)).toBe(false);
  queryState.started(further);
  queryState.requestEnded(1);
  queryState.requestEnded(0);
  expect([queryState.isSpare(further), queryState.isSpare(1), queryState.isSpare(0)]).toEqual([true, true, false]);
  queryState.setCursors(further, 1);
  expect([queryState.isSpare(further), queryState.tryRetire(further)]).toEqual([false, false]);
  queryState.setCursors(further, 0);
  queryState.requestSent(further);
  expect([queryState.isSpare(further), queryState.tryRetire(further)]).toEqual([false, false]);
  queryState.requestEnded(further);
  expect([queryState.tryRetire(further), queryState.isStarted(further)]).toEqual([true, false]);
});

test('a process that is being ended is sent no requests until it has ended', () => {
  const queryState = busyQueryState(USUAL_READING_PROCESSES);
  const further = USUAL_READING_PROCESSES;
  queryState.started(further);
  expect(queryState.tryRetire(further)).toBe(true);
  // A request that had already chosen the process is told so, and is not counted.
  expect([queryState.requestSent(further), queryState.report(0).processes.busy]).toEqual([
    false,
    USUAL_READING_PROCESSES,
  ]);
  expect(queryState.isRetiring(further)).toBe(true);
  queryState.ended(further);
  expect([queryState.isRetiring(further), queryState.requestSent(further)]).toEqual([false, true]);
});

test('a process drains: it keeps its cursors, is sent nothing without any, and retires when it is idle', () => {
  const queryState = busyQueryState(1);
  queryState.setCursors(0, 1);
  queryState.drain(0);
  expect([queryState.isDraining(0), queryState.isStarted(0), queryState.isRetiring(0)]).toEqual([true, true, false]);
  expect([queryState.requestSent(0), queryState.tryRetire(0)]).toEqual([true, false]);
  queryState.requestEnded(0);
  queryState.setCursors(0, 0);
  expect([queryState.isRetiring(0), queryState.requestSent(0), queryState.tryRetire(0)]).toEqual([true, false, false]);
  queryState.requestEnded(0);
  expect([queryState.tryRetire(0), queryState.isStarted(0)]).toEqual([true, false]);
  queryState.drain(0);
  expect(queryState.isDraining(0)).toBe(false);
  queryState.ended(0, false);
  expect([queryState.isDraining(0), queryState.requestSent(0)]).toEqual([false, true]);
});

test('a statement is abandoned before its commit or not at all, and only while a process runs it', () => {
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

test('long work is known with its tenant, and ends when it is preempted', () => {
  const queryState = busyQueryState(1);
  expect(queryState.longWork(0, LONG_STATEMENT_MS)).toBeUndefined();
  const work = queryState.longWork(0, LONG_STATEMENT_MS + 1);
  expect(work).toMatchObject({ index: 0, sinceMs: 0, tenant: tenantHash(ANN.key), isAdministrator: false });
  const ticket = work?.ticket ?? 0;
  expect([queryState.isPreempted(ticket), queryState.isCancelled(ticket)]).toEqual([false, false]);
  queryState.preempt(ticket);
  expect([queryState.isPreempted(ticket), queryState.isCancelled(ticket)]).toEqual([true, true]);
  expect(queryState.report(0).ended.share).toBe(1);
});
