import { expect, test } from 'bun:test';
import { EMBEDDED_BOUNDS } from '../../../base/limits.ts';
import { type ExecutedStatement, STATEMENT_HISTORY_BYTES, StatementHistory } from './statement-history.ts';

const executed = (changed: Partial<ExecutedStatement> = {}): ExecutedStatement => ({
  schema: 'PUBLIC',
  sql: 'SELECT 1',
  failed: false,
  startedAtMs: 1_000,
  durationMs: 1,
  rows: 1,
  ...changed,
});

/** Two views of one memory, as two threads have them. */
function twoThreads(): [StatementHistory, StatementHistory] {
  const memory = new SharedArrayBuffer(STATEMENT_HISTORY_BYTES);
  return [new StatementHistory(memory, 0), new StatementHistory(memory, 0)];
}

test('executions of all threads are added up by text and schema', () => {
  const [one, two] = twoThreads();
  one.note(executed({ durationMs: 2, rows: 10, startedAtMs: 1_002 }));
  two.note(executed({ durationMs: 4, rows: 30, startedAtMs: 1_001 }));
  one.note(executed({ durationMs: 9, rows: 5, failed: true, startedAtMs: 1_000 }));
  two.note(executed({ schema: 'OTHER' }));
  const listed = two.list();
  expect(listed.map(({ schema }) => schema)).toEqual(['OTHER', 'PUBLIC']);
  expect(listed[1]).toMatchObject({
    sql: 'SELECT 1',
    executions: 3,
    failures: 1,
    shortestMs: 2,
    longestMs: 9,
    totalMs: 15,
    fewestRows: 5,
    mostRows: 30,
    totalRows: 45,
    lastStartedAtMs: 1_002,
  });
  expect(listed[1]?.deviationMs).toBeCloseTo(Math.sqrt((9 + 1 + 16) / 3));
  expect(listed[1]?.deviationRows).toBeCloseTo(Math.sqrt((25 + 225 + 100) / 3));
});

test('texts of any length and alphabet are told apart and shortened', () => {
  const [history] = twoThreads();
  const long = `SELECT '${'\u20ac'.repeat(5_000)}'`;
  history.note(executed({ sql: `${long} -- 1`, schema: 'S'.repeat(500) }));
  history.note(executed({ sql: `${long} -- 2`, schema: 'S'.repeat(500) }));
  history.note(executed({ sql: '' }));
  const [first, second, blank] = history.list();
  expect(blank?.sql).toBe('');
  expect(first?.sql).toBe(second?.sql ?? '');
  expect(first?.sql).toEndWith('\u20ac...');
  expect(first?.sql).toStartWith(long.slice(0, 1_000));
  expect(first?.schema).toBe(`${'S'.repeat(57)}...`);
});

test('the statements that were started least recently are forgotten', () => {
  const [history] = twoThreads();
  const count = EMBEDDED_BOUNDS.historyStatements * 4;
  for (let number = 1; number <= count; number++) {
    history.note(executed({ sql: `SELECT ${number}`, startedAtMs: number }));
    history.note(executed({ sql: 'SELECT often', startedAtMs: number + 0.5 }));
  }
  const listed = history.list();
  expect(listed.length).toBe(EMBEDDED_BOUNDS.historyStatements);
  expect(listed.at(-1)).toMatchObject({ sql: 'SELECT often', executions: count });
  expect(listed.at(-2)?.sql).toBe(`SELECT ${count}`);
  expect(listed[0]?.lastStartedAtMs).toBeGreaterThan(EMBEDDED_BOUNDS.historyStatements);
});

test('a lock of a thread that was ended costs the statistics of its set, and nothing else', () => {
  const memory = new SharedArrayBuffer(STATEMENT_HISTORY_BYTES);
  const history = new StatementHistory(memory, 0);
  history.note(executed());
  new Int32Array(memory, 0, EMBEDDED_BOUNDS.historyStatements / 8).fill(1);
  history.note(executed());
  expect(history.list()).toEqual([]);
});
