import { expect, test } from 'bun:test';
import { LONG_STATEMENT_MS, QueryBoard, USUAL_READING_THREADS } from './query-board.ts';

const MOST = 6;

/** A board whose first `count` threads have been inside a statement since time 0. */
function busyBoard(count: number): QueryBoard {
  const board = new QueryBoard();
  for (let thread = 0; thread < count; thread++) {
    board.started(thread);
    board.asked(thread);
    board.beginWork(thread, thread + 1, '', board.nextTicket(), 0);
  }
  return board;
}

test('statements share the usual threads while all are quick', () => {
  const board = busyBoard(USUAL_READING_THREADS);
  expect(board.chooseReader(LONG_STATEMENT_MS, MOST, false)).toBe(0);
});

test('a statement that found no free thread gets a further one', () => {
  const board = busyBoard(USUAL_READING_THREADS);
  expect(board.chooseReader(LONG_STATEMENT_MS, MOST, true)).toBe(USUAL_READING_THREADS);
  board.asked(USUAL_READING_THREADS);
  expect(board.chooseReader(LONG_STATEMENT_MS, MOST, true)).toBe(USUAL_READING_THREADS + 1);
});

test('threads with a long statement get no other, and no thread is left when all have one', () => {
  const nowMs = LONG_STATEMENT_MS + 1;
  expect(busyBoard(2).chooseReader(nowMs, MOST, false)).toBe(2);
  expect(busyBoard(USUAL_READING_THREADS).chooseReader(nowMs, MOST, false)).toBe(USUAL_READING_THREADS);
  expect(busyBoard(MOST).chooseReader(nowMs, MOST, false)).toBeUndefined();
});

test('one thread alone takes a statement that was sent to several', () => {
  const board = new QueryBoard();
  const ticket = board.nextTicket();
  expect([board.isClaimed(ticket), board.claim(ticket), board.claim(ticket)]).toEqual([false, true, false]);
  expect(board.isClaimed(ticket)).toBe(true);
});
