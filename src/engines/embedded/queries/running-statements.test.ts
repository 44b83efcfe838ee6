import { expect, test } from 'bun:test';
import { RUNNING_STATEMENTS_BYTES, type RunningStatement, RunningStatements } from './running-statements.ts';

const statement = (id: number, text = `SELECT ${id}`): RunningStatement => ({
  id,
  kind: 'sql',
  text,
  detail: 'PUBLIC',
  owner: 'ann',
  startedAtMs: 1_000 + id,
  pageSize: 10,
});

/** Returns two views of the same memory, as in two threads. */
function twoThreads(): [RunningStatements, RunningStatements] {
  const memory = new SharedArrayBuffer(RUNNING_STATEMENTS_BYTES);
  return [new RunningStatements(memory, 0), new RunningStatements(memory, 0)];
}

test('statements of all threads are listed, the oldest first, until they end', () => {
  const [one, two] = twoThreads();
  const ends = [two.begin(1, statement(2)), one.begin(0, statement(1)), one.begin(0, statement(3))];
  expect(two.list()).toEqual([statement(1), statement(2), statement(3)]);
  ends[1]?.();
  ends[1]?.();
  expect(one.list()).toEqual([statement(2), statement(3)]);
});

test('slots are reused, and removing a statement twice removes no other', () => {
  const [one, two] = twoThreads();
  for (let id = 1; id < 5_000; id++) {
    const end = (id % 2 === 0 ? one : two).begin(id % 2, statement(id));
    end();
    const endNext = one.begin(0, statement(-id));
    end();
    expect(two.list()).toEqual([statement(-id)]);
    endNext();
  }
});

test('the statements of an ended thread are removed', () => {
  const [one, two] = twoThreads();
  one.begin(0, statement(1));
  two.begin(1, statement(2));
  one.ended(1);
  expect(two.list()).toEqual([statement(1)]);
});

test('a long text is truncated, and statements beyond the capacity are omitted', () => {
  const [one] = twoThreads();
  one.begin(0, statement(0, '\u0001'.repeat(100_000)));
  expect(one.list()[0]?.text).toHaveLength(500);
  for (let id = 1; id < 3_000; id++) one.begin(0, statement(id));
  expect(one.list()).toHaveLength(1_024);
});
