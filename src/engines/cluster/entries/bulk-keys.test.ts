import { expect, test } from 'bun:test';
import type { Value } from '../../../values/value.ts';
import { byTimeType, sortedByKey } from './bulk-keys.ts';

const text = (data: string): Value => ({ type: 'string', data });
const KEYS: readonly Value[] = [
  text('b'),
  { type: 'integer', data: 2 },
  text('a'),
  { type: 'long', data: 2n },
  { type: 'date', data: 1 },
  { type: 'timestamp', data: 86_400_000_000_000n },
];

test('keys are sorted, regardless of their original order', () => {
  const order = sortedByKey(KEYS, (key) => key);
  expect(order).toHaveLength(KEYS.length);
  expect(sortedByKey(KEYS.toReversed(), (key) => key)).toEqual(order);
});

test('equal keys keep their order', () => {
  const entries = ['first', 'other', 'last'].map((value, index) => ({ key: text(index === 1 ? 'a' : 'b'), value }));
  expect(sortedByKey(entries, ({ key }) => key).map(({ value }) => value)).toEqual(['other', 'first', 'last']);
  const repeated = [...'babcab'].map((key, index) => ({ key: text(key), value: index }));
  expect(sortedByKey(repeated, ({ key }) => key).map(({ value }) => value)).toEqual([1, 4, 0, 2, 5, 3]);
});

test('keys of two time types form two groups', () => {
  const groups = byTimeType(KEYS, (key) => key).map((group) => group.map(({ type }) => type));
  expect(groups).toEqual([['string', 'integer', 'string', 'long'], ['date'], ['timestamp']]);
});

// Operations on strings only and on strings among other keys may lock the same entries.
test('strings are in the same order alone and among other keys', () => {
  const strings = ['b', 'a', '', 'aa', '\u{1f600}', '\uffff', '10', '9', '\u0000', 'ä'].map(text);
  const other: Value = { type: 'long', data: 1n };
  const among = sortedByKey([...strings, other], (key) => key);
  expect(sortedByKey(strings, (key) => key)).toEqual(among.filter(({ type }) => type === 'string'));
});
