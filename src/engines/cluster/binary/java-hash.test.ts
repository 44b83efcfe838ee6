import { describe, expect, test } from 'bun:test';
import {
  EMPTY_SCHEMA_ID,
  hashOfBytes,
  hashOfLong,
  hashOfLowerCase,
  hashOfText,
  partitionOf,
  schemaIdOf,
} from './java-hash.ts';

describe('hashes are those of Java', () => {
  const texts: ReadonlyArray<readonly [string, number]> = [
    ['', 0],
    ['a', 97],
    ['default', 1544803905],
    ['java.sql.Date', 1087757882],
    ['é€😀', 16752006],
  ];
  test.each(texts)('the hash of the string %p is %p', (text, hash) => expect(hashOfText(text)).toBe(hash));

  const names: ReadonlyArray<readonly [string, number]> = [
    ['RefNode$Person', -1053812284],
    ['Employee', 1193469614],
    ['ID', 3355],
    ['igniteUuid', -91224507],
  ];
  test.each(names)('the hash of the name %p in lower case is %p', (name, hash) =>
    expect(hashOfLowerCase(name)).toBe(hash),
  );

  const longs: ReadonlyArray<readonly [bigint, number]> = [
    [0n, 0],
    [5n, 5],
    [-1n, 0],
    [9007199254740993n, 2097153],
    [-(2n ** 63n), -2147483648],
  ];
  test.each(longs)('the hash of the long %p is %p', (value, hash) => expect(hashOfLong(value)).toBe(hash));

  test('bytes are signed', () => expect(hashOfBytes(Uint8Array.of(9, 255, 2), 1, 3)).toBe(932));
});

describe('schemas', () => {
  test('a schema without fields has a fixed id', () => {
    expect(schemaIdOf([])).toBe(EMPTY_SCHEMA_ID);
    expect(EMPTY_SCHEMA_ID).toBe(-2128831035);
  });
  test('the fields of Person have the schema id that Java computes', () => {
    expect(schemaIdOf(['id', 'name', 'salary'].map(hashOfLowerCase))).toBe(-224599141);
  });
});

describe('partitions', () => {
  const cases: ReadonlyArray<readonly [number, number, number]> = [
    [97, 1024, 97],
    [-1, 1024, 0],
    [65536, 1024, 1],
    [97, 100, 97],
    [-101, 100, 1],
    [-2147483648, 100, 48],
  ];
  test.each(cases)('hash %p belongs, of %p partitions, to %p', (hash, count, partition) => {
    expect(partitionOf(hash, count)).toBe(partition);
  });
});
