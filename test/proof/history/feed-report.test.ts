/** The report on a violation shows what led to it, and nothing else. */
import { expect, test } from 'bun:test';
import { checkFeed, type FeedChange, type HistoryOperation } from './feed-check.ts';
import { reportOn } from './feed-report.ts';

const put = (key: string, argument: string, atMs: number): HistoryOperation => {
  const [call, end] = [atMs * 1_000_000, (atMs + 0.5) * 1_000_000];
  return { key, client: '1', call, end, name: 'put', argument, expected: null, result: 'true' };
};

test('a change that is missing is explained by its operation, the changes before and the last streams', () => {
  const history = Array.from({ length: 20 }, (_, index) =>
    put(index % 2 === 0 ? 'row:1' : 'row:2', `v${index}`, index),
  );
  const changes = history.slice(0, -1).map(({ key, argument }, index): FeedChange => {
    const oldValue = index < 2 ? null : `v${index - 2}`;
    return { position: index + 1, operation: index < 2 ? 'created' : 'updated', key, value: argument, oldValue };
  });
  const contents = new Map([
    ['row:1', 'v18'],
    ['row:2', 'v19'],
  ]);
  const violations = checkFeed(history, changes, contents);
  expect(violations).toEqual([
    'row:2 is v19, but v17 by its changes',
    'put of row:2 (v19) was answered, but has no change',
  ]);
  const streams = [
    { from: 'start', to: 'f.12', start: 0, end: 12_000_000 },
    { from: 'f.12', to: 'f.19', start: 12_000_000, end: 21_000_000 },
  ];
  expect(reportOn(violations, { history, changes, streams })).toEqual([
    'operations of row:2:',
    '  client 1, 11.000 to 11.500: put(v11) = true',
    '  client 1, 13.000 to 13.500: put(v13) = true',
    '  client 1, 15.000 to 15.500: put(v15) = true',
    '  client 1, 17.000 to 17.500: put(v17) = true',
    '  client 1, 19.000 to 19.500: put(v19) = true',
    'changes of row:2:',
    '  12: updated v9 -> v11',
    '  14: updated v11 -> v13',
    '  16: updated v13 -> v15',
    '  18: updated v15 -> v17',
    'the last change is 19 of row:1; the last streams:',
    '  0.000 to 12.000: from start to f.12',
    '  12.000 to 21.000: from f.12 to f.19',
  ]);
  expect(reportOn(['change 13 after change 11'], { history, changes, streams }).slice(0, 3)).toEqual([
    'operations of row:1:',
    '  client 1, 2.000 to 2.500: put(v2) = true',
    '  client 1, 4.000 to 4.500: put(v4) = true',
  ]);
  expect(reportOn([], { history, changes, streams })).toEqual([]);
});
