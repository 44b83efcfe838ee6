/** Rows that are held as bytes come back as they were. */
import { expect, test } from 'bun:test';
import type { StorageValue } from '../storage/value-storage.ts';
import { RowBuffer } from './row-buffer.ts';

const VALUES: readonly StorageValue[] = [
  null,
  0n,
  -9_223_372_036_854_775_808n,
  9_223_372_036_854_775_807n,
  -0,
  1.5,
  Number.POSITIVE_INFINITY,
  '',
  'a',
  'é€😀',
  '\ufeffmark',
  '\u0000',
  'x'.repeat(70_000),
  new Uint8Array(),
  Uint8Array.of(0, 255),
  new Uint8Array(300).fill(7),
];

test('values of every kind come back, in the order of their arrival', () => {
  const rows = new RowBuffer(2);
  const added = VALUES.flatMap((first) => VALUES.map((second) => [first, second]));
  for (const row of added) rows.add(row);
  expect([...rows]).toEqual(added);
  expect(rows.count).toBe(added.length);
});

test('released rows are gone, and others can be added', () => {
  const rows = new RowBuffer(1);
  for (let at = 0; at < 20_000; at++) rows.add([`text ${at}`]);
  rows.release();
  expect([rows.count, rows.addedBytes, [...rows]]).toEqual([0, 0, []]);
  rows.add(['first']);
  expect([...rows]).toEqual([['first']]);
});

test('the oldest rows are removed, however the rows are spread over chunks', () => {
  const rows = new RowBuffer(1);
  for (let at = 0; at < 20_000; at++) rows.add([at % 3 === 0 ? `text ${at}` : BigInt(at)]);
  for (let at = 0; at < 19_999; at++) rows.removeFirst();
  expect([...rows]).toEqual([[19_999n]]);
  rows.add(['last']);
  rows.removeFirst();
  expect([...rows]).toEqual([['last']]);
  rows.removeFirst();
  rows.removeFirst();
  expect([...rows]).toEqual([]);
  rows.add([1n]);
  expect([...rows]).toEqual([[1n]]);
});

test('the bytes of values are counted', () => {
  const rows = new RowBuffer(1);
  rows.add(['x'.repeat(1_000)]);
  rows.add([1n]);
  expect(rows.addedBytes).toBeGreaterThan(1_008);
  expect(rows.addedBytes).toBeLessThan(1_040);
});
