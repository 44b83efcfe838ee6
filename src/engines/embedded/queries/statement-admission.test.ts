import { expect, test } from 'bun:test';
import { ManualClock } from '../../../../test/fixtures/base/manual-clock.ts';
import { SharedQueryState } from './shared-query-state.ts';
import { StatementAdmission } from './statement-admission.ts';

const THREADS = 2;
const TARGET_MS = 200;

function openQueue() {
  const clock = new ManualClock(0);
  const queryState = new SharedQueryState();
  const queue = new StatementAdmission({ clock, queryState, targetMs: TARGET_MS, threads: THREADS });
  const enter = (key = 'ann') => {
    const ticket = queryState.nextTicket();
    return { ticket, ended: queue.enter(ticket, key) };
  };
  return { clock, queryState, enter };
}

test('statements that nothing begins are rejected at once, except a few', () => {
  const { clock, queryState, enter } = openQueue();
  for (let n = 0; n < 2 * THREADS; n++) {
    enter();
    clock.advance(1_000);
  }
  expect(() => enter()).toThrow('All query threads are busy with other statements [threads=2]');
  expect(queryState.queueStatistics()).toEqual({ rejected: 1, waits: 0, waitedMs: 0 });
  // Another claimant has less than an equal share of the few.
  enter('bob');
  enter('bob');
  expect(() => enter('bob')).toThrow();
});

test('statements that threads have begun do not wait, however long they run', () => {
  const { clock, queryState, enter } = openQueue();
  for (let n = 0; n < 100; n++) {
    queryState.claim(enter().ticket, 0);
    clock.advance(10);
  }
  expect(queryState.queueStatistics()).toMatchObject({ rejected: 0, waits: 99, waitedMs: 990 });
});

test('a statement that waits behind a long one does not keep others out, whose threads are fast', () => {
  const { clock, queryState, enter } = openQueue();
  enter();
  for (let n = 0; n < 2_000; n++) {
    const { ticket, ended } = enter();
    clock.advance(1);
    queryState.claim(ticket, 1);
    ended();
  }
  expect(queryState.queueStatistics().rejected).toBe(0);
});

test('many claimants with one statement each are bounded, too', () => {
  const { clock, enter } = openQueue();
  for (let n = 0; n < 2 * THREADS; n++) {
    enter(`network ${n}`);
    clock.advance(100);
  }
  expect(() => enter('another network')).toThrow('All query threads are busy');
});
