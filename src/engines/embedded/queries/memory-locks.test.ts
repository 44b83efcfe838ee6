import { expect, test } from 'bun:test';
import { SharedQueryState } from './shared-query-state.ts';

test('one thread at a time prepares a long statement, until it is done or has ended', () => {
  const queryState = new SharedQueryState();
  const other = new SharedQueryState(queryState.memory);
  expect([queryState.memoryLocks.tryBeginPreparing(0), other.memoryLocks.tryBeginPreparing(1)]).toEqual([true, false]);
  other.memoryLocks.endPreparing(1);
  expect(other.memoryLocks.tryBeginPreparing(1)).toBe(false);
  queryState.memoryLocks.endPreparing(0);
  expect(other.memoryLocks.tryBeginPreparing(1)).toBe(true);
  queryState.ended(1);
  expect(queryState.memoryLocks.tryBeginPreparing(0)).toBe(true);
});

test('a long statement waits for the memory of the one before, for a bounded time', () => {
  const queryState = new SharedQueryState();
  const mib = 1024 * 1024;
  const endMs = 1_800_000_000_000;
  expect(queryState.memoryLocks.isPreparedHeld(500 * mib, endMs)).toBe(false);
  queryState.memoryLocks.notePrepared(100 * mib, endMs);
  const isHeld = (mibytes: number, afterMs: number) =>
    queryState.memoryLocks.isPreparedHeld(mibytes * mib, endMs + afterMs);
  expect([isHeld(200, 0), isHeld(200, 300), isHeld(110, 0)]).toEqual([true, true, false]);
  // Too long ago, and a clock that was set back.
  expect([isHeld(200, 301), isHeld(200, -1)]).toEqual([false, false]);
});

test('one thread at a time holds large values, unless it does so for long', () => {
  const queryState = new SharedQueryState();
  const other = new SharedQueryState(queryState.memory);
  let nowMs = 1_800_000_000_000;
  const now = () => nowMs;
  const unreached = () => {
    throw new Error('the statement has ended');
  };
  const begin = (state: SharedQueryState, thread: number, poll = unreached as () => void) =>
    state.memoryLocks.beginLarge(thread, now, poll, () => 0);
  begin(queryState, 0);
  begin(queryState, 0);
  expect(() => begin(other, 1)).toThrow('the statement has ended');
  let polls = 0;
  begin(other, 1, () => {
    if (++polls === 2) queryState.memoryLocks.endLarge(0, nowMs);
  });
  expect(polls).toBe(2);
  queryState.memoryLocks.endLarge(0, nowMs);
  expect(() => begin(queryState, 0)).toThrow('the statement has ended');
  nowMs += 1_001;
  begin(queryState, 0);
  other.memoryLocks.endLarge(1, nowMs);
  expect(() => begin(other, 1)).toThrow('the statement has ended');
  // The thread was terminated.
  queryState.ended(0);
  begin(other, 1);
});

test('a thread waits longer for large values that take much memory', () => {
  const { memoryLocks } = new SharedQueryState();
  const mib = 1024 * 1024;
  let nowMs = 1_800_000_000_000;
  let residentMib = 200;
  const begin = (thread: number): void => {
    const stop = () => {
      throw new Error('it would wait');
    };
    memoryLocks.beginLarge(
      thread,
      () => nowMs,
      stop,
      () => residentMib * mib,
    );
  };
  begin(0);
  expect([0, 1].map((thread) => memoryLocks.isLargeElsewhere(thread))).toEqual([false, true]);
  nowMs += 1_001;
  residentMib = 265;
  expect(() => begin(1)).toThrow('it would wait');
  residentMib = 264;
  begin(1);
  nowMs += 5_000;
  residentMib = 1_000;
  expect(() => begin(2)).toThrow('it would wait');
  nowMs += 1;
  begin(2);
});

test('a thread waits until the memory of the large values of another one has been returned', () => {
  const queryState = new SharedQueryState();
  const mib = 1024 * 1024;
  let nowMs = 1_800_000_000_000;
  let residentMib = 200;
  /** Returns how often the thread looked whether to wait on. */
  const waits = (thread: number, onWait: () => void = () => {}): number => {
    let polls = 0;
    const poll = (): void => {
      if (++polls > 100) throw new Error('it waits for ever');
      onWait();
    };
    queryState.memoryLocks.beginLarge(
      thread,
      () => nowMs,
      poll,
      () => residentMib * mib,
    );
    return polls;
  };
  expect(waits(0)).toBe(0);
  residentMib = 300;
  queryState.memoryLocks.endLarge(0, nowMs);
  // Its own memory is used again.
  expect(waits(0)).toBe(0);
  queryState.memoryLocks.endLarge(0, nowMs);
  const returns = () => {
    residentMib -= 20;
  };
  expect(waits(1, returns)).toBe(4);
  expect(residentMib).toBe(220);
  // What is left counts, until no thread has held large values for a while.
  residentMib = 280;
  queryState.memoryLocks.endLarge(1, nowMs);
  expect(waits(2, returns)).toBe(3);
  residentMib = 400;
  queryState.memoryLocks.endLarge(2, nowMs);
  const passes = () => {
    nowMs += 100;
  };
  expect(waits(3, passes)).toBe(4);
  queryState.memoryLocks.endLarge(3, nowMs);
  expect(waits(4)).toBe(0);
  // A statement that ends while it waits leaves its place to others.
  residentMib = 500;
  queryState.memoryLocks.endLarge(4, nowMs);
  const ends = () => {
    throw new Error('the statement has ended');
  };
  expect(() => waits(5, ends)).toThrow('the statement has ended');
  expect(waits(4)).toBe(0);
});
