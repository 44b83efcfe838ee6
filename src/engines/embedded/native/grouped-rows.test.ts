import { expect, test } from 'bun:test';
import { groupedRows } from './grouped-rows.ts';

function* failing(before: readonly number[], message: string): Generator<number> {
  yield* before;
  throw new Error(message);
}

const FAILURE = 'statement_guard_group: not groupable';

test('rows that the extension cannot group are those of the other statement', () => {
  let failures = 0;
  const rows = groupedRows(
    failing([], FAILURE),
    () => [1, 2][Symbol.iterator](),
    () => failures++,
  );
  expect([rows.next().value, rows.next().value, rows.next().done]).toEqual([1, 2, true]);
  expect(failures).toBe(1);
});

test('other failures, and those of the other statement, are passed on', () => {
  const never = (): never => {
    throw new Error('the other statement was started');
  };
  expect(() => groupedRows(failing([], 'interrupted'), never, never).next()).toThrow('interrupted');
  const again = groupedRows(
    failing([], FAILURE),
    () => failing([], FAILURE),
    () => {},
  );
  expect(() => again.next()).toThrow(FAILURE);
});

test('closing the rows closes those that are read', () => {
  const closed: string[] = [];
  const rowsOf = (name: string, rows: Iterator<number>): Iterator<number> => ({
    next: () => rows.next(),
    return(value) {
      closed.push(name);
      return { done: true, value };
    },
  });
  const plain = groupedRows(
    rowsOf('grouped', [1].values()),
    () => rowsOf('sorted', [2].values()),
    () => {},
  );
  plain.next();
  plain.return?.();
  const failed = groupedRows(
    rowsOf('grouped', failing([], FAILURE)),
    () => rowsOf('sorted', [2].values()),
    () => {},
  );
  failed.next();
  failed.return?.();
  expect(closed).toEqual(['grouped', 'sorted']);
});
