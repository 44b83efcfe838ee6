/** The part of a change feed that the console keeps. */
import { expect, test } from 'bun:test';
import { ChangeLog, describeChange, KEPT_CHANGES, keyText } from '../../src/console/live/change-log.ts';
import { ChangedRows } from '../../src/console/live/changed-rows.ts';

const line = (position: number, more: object) =>
  JSON.stringify({
    event: 'change',
    position: `p.${position}`,
    operation: 'updated',
    cache: 'stock',
    time: 't',
    ...more,
  });

test('changes are kept, the latest first, with the position after the last one', () => {
  const log = new ChangeLog();
  expect(log.add('{"event":"open","position":"p.0"}', 0)).toMatchObject({ event: 'open' });
  log.add(line(1, { operation: 'created', key: 'tea', value: 12 }), 0);
  log.add(line(2, { key: { B: 'x', A: 1 }, value: { C: 2, D: 3 }, oldValue: { C: 1, D: 3 } }), 0);
  const settled = log.settle();
  expect(settled.map(({ identity }) => identity)).toEqual(['tea', keyText([1n, 'x'])]);
  expect(log.shown().map(({ operation, key, text }) => [operation, key, text])).toEqual([
    ['updated', 'x, 1', 'C: 1 → 2'],
    ['created', 'tea', '12'],
  ]);
  expect([log.total, log.position]).toEqual([2, 'p.2']);
  expect(log.add('{"event":"end","position":"p.2","reason":"lost","error":"slow"}', 0)).toMatchObject({
    reason: 'lost',
  });
});

test('changes say what they changed', () => {
  for (const [text, part] of [
    ['red → green', { operation: 'updated', value: 'green', oldValue: 'red' }],
    ['red', { operation: 'removed', oldValue: 'red' }],
    ['NAME: tea,\nPRICE: null', { operation: 'created', value: { NAME: 'tea', PRICE: null } }],
    ['NAME: tea', { operation: 'expired', oldValue: { NAME: 'tea' } }],
    ['', { operation: 'cleared' }],
    ['[{"name":"ITEM"}]', { operation: 'cacheAltered', tables: [{ name: 'ITEM' }] }],
  ] as const) {
    expect(describeChange(part)).toBe(text);
  }
});

test('a fast feed keeps a bounded number of changes of bounded size, and its rate', () => {
  const log = new ChangeLog();
  for (let second = 0; second < 4; second++) {
    for (let each = 0; each < 5_000; each++) log.add(line(each, { key: each, value: 'v' }), second * 1_000 + each / 10);
  }
  log.settle();
  expect([log.total, log.shown().length, log.shown()[0]?.key]).toEqual([20_000, KEPT_CHANGES, '4999']);
  expect(log.rate(4_000)).toBe(5_000);
  expect(log.rate(60_000)).toBe(0);
  log.add(line(1, { key: 'long', value: 'x'.repeat(100_000) }), 4_000);
  log.settle();
  expect(log.shown()[0]?.text.length).toBeLessThan(6_000);
});

test('the rate counts only what happens while it is followed, and not what is sent of the past', () => {
  const log = new ChangeLog();
  log.liveFrom(Date.parse('2026-01-01T10:00:00Z'));
  for (let each = 0; each < 1_500; each++) log.add(line(each, { time: '2026-01-01T09:00:00.000Z', key: each }), 0);
  for (let each = 0; each < 4; each++) {
    log.add(line(each, { cache: 'a "b"', time: '2026-01-01T10:00:01.000Z', key: each }), 500);
  }
  expect(log.rate(1_000)).toBe(4);
  expect([log.total, log.earlier]).toEqual([1_504, 1_500]);
  log.clear();
  expect([log.total, log.earlier]).toEqual([0, 0]);
});

test('a filter finds changes by operation, key and value, also among those that are kept', () => {
  const log = new ChangeLog();
  log.add(line(1, { key: 'tea', value: 'GREEN' }), 0);
  log.add(line(2, { operation: 'removed', key: 'cup', oldValue: 'red' }), 0);
  log.settle();
  log.filter(' green ');
  expect(log.shown().map(({ key }) => key)).toEqual(['tea']);
  log.add(line(3, { key: 'milk', value: 'white' }), 0);
  log.add(line(4, { key: 'lime', value: 'green' }), 0);
  log.settle();
  expect(log.shown().map(({ key }) => key)).toEqual(['lime', 'tea']);
  // The name of the cache is in each line, and is not a match.
  log.filter('stock');
  expect(log.shown()).toEqual([]);
  log.filter('REMOVED');
  expect(log.shown().map(({ key }) => key)).toEqual(['cup']);
  log.clear();
  expect([log.shown(), log.total]).toEqual([[], 0]);
});

test('rows that have just changed are marked for a while, by their keys', () => {
  const log = new ChangeLog();
  const rows = new ChangedRows();
  log.add(line(1, { key: 7, value: { NAME: 'tea' } }), 0);
  log.add(line(2, { key: { B: 'x', A: 1 }, value: { NAME: 'cup' } }), 0);
  rows.note(log.settle(), 1_000);
  expect([rows.markOf([7n]), rows.markOf([1n, 'x']), rows.markOf([8n])]).toEqual([1, 2, undefined]);
  log.add(line(3, { key: 7, value: { NAME: 'tea' } }), 0);
  rows.note(log.settle(), 2_500);
  expect([rows.markOf([7n]), rows.markOf([1n, 'x'])]).toEqual([3, 2]);
  rows.note([], 3_500);
  expect([rows.markOf([7n]), rows.markOf([1n, 'x']), rows.version.value]).toEqual([3, undefined, 3]);
  for (let each = 0; each < 10_000; each++) log.add(line(each, { key: each, value: 1 }), 0);
  rows.note(log.settle(), 3_600);
  expect([rows.markOf([7n]), rows.markOf([9_999n])]).toEqual([3, 10_003]);
  rows.note([], 9_000);
  expect([rows.markOf([7n]), rows.markOf([9_999n])]).toEqual([undefined, undefined]);
});
