import { describe, expect, test } from 'bun:test';
import type { Value } from '../../../values/value.ts';
import { decodeChange, encodeChange } from './change-messages.ts';

const VALUES: readonly Value[] = [
  { type: 'null' },
  { type: 'boolean', data: false },
  { type: 'byte', data: -1 },
  { type: 'short', data: 2 },
  { type: 'integer', data: 3 },
  { type: 'long', data: 2n ** 62n },
  { type: 'float', data: Number.NaN },
  { type: 'double', data: -0 },
  { type: 'char', data: 'ß' },
  { type: 'string', data: '' },
  { type: 'date', data: -1 },
  { type: 'time', data: 5 },
  { type: 'timestamp', data: 1n },
  { type: 'instant', data: 7 },
  { type: 'uuid', data: '123e4567-e89b-12d3-a456-426614174000' },
  { type: 'gridUuid', data: '1-123e4567-e89b-12d3-a456-426614174000' },
  { type: 'decimal', data: { unscaled: 15n, scale: 1 } },
  { type: 'bigInteger', data: -1n },
  { type: 'bytes', data: new Uint8Array([1, 2]) },
  { type: 'list', data: [{ type: 'integer', data: 1 }] },
  { type: 'object', typeName: 'Person', fields: [] },
];

/** What the other thread receives. */
function cross<T>(sent: T): T {
  return structuredClone(sent);
}

describe('a change crosses unchanged', () => {
  for (const value of VALUES) {
    for (const key of [value, { type: 'string', data: 'k' } as const]) {
      test(`${value.type} under ${key.type}`, () => {
        const put = { cache: 'c', key, value, ttlMs: 5n };
        expect(decodeChange('put', cross(encodeChange('put', put)))).toEqual(put);
        const getAndPut = { cache: 'c', key, value };
        expect(decodeChange('getAndPut', cross(encodeChange('getAndPut', getAndPut)))).toEqual(getAndPut);
        const remove = { cache: 'c', key };
        expect(decodeChange('remove', cross(encodeChange('remove', remove)))).toEqual(remove);
      });
    }
  }

  test('without an end of life', () => {
    const put = { cache: 'c', key: VALUES[1] ?? { type: 'null' }, value: { type: 'null' }, ttlMs: undefined } as const;
    expect(decodeChange('put', cross(encodeChange('put', put)))).toEqual(put);
  });

  test('of a counter', () => {
    const change = { name: 'n', delta: -(2n ** 63n), initial: 0n };
    expect(decodeChange('addToCounter', cross(encodeChange('addToCounter', change)))).toEqual(change);
  });
});

test('a list that is no change is refused', () => {
  expect(() => decodeChange('put', ['c', 'integer', 'text', 'integer', 1, undefined])).toThrow(
    'a string is no integer',
  );
});
