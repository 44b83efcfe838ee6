import { describe, expect, test } from 'bun:test';
import type { Value } from '../../../values/value.ts';
import { decodeRequest, encodeRequest } from './change-messages.ts';

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

/** Returns the message as the other thread receives it. */
function transfer<T>(sent: T): T {
  return structuredClone(sent);
}

describe('a change arrives unchanged', () => {
  for (const value of VALUES) {
    for (const key of [value, { type: 'string', data: 'k' } as const]) {
      test(`${value.type} under ${key.type}`, () => {
        const put = { name: 'c', args: [key, value, 5n] };
        expect(decodeRequest(transfer(encodeRequest(put)))).toEqual(put);
        const getAndPut = { name: 'c', args: [key, value] };
        expect(decodeRequest(transfer(encodeRequest(getAndPut)))).toEqual(getAndPut);
        const remove = { name: 'c', args: [key] };
        expect(decodeRequest(transfer(encodeRequest(remove)))).toEqual(remove);
        const putAll = { name: 'c', args: [[{ key, value }]] };
        expect(decodeRequest(transfer(encodeRequest(putAll)))).toEqual(putAll);
      });
    }
  }

  test('without a time to live', () => {
    const put = { name: 'c', args: [VALUES[1], { type: 'null' }, null, undefined] };
    expect(decodeRequest(transfer(encodeRequest(put)))).toEqual(put);
  });

  test('of a counter', () => {
    const change = { name: 'n', args: [-(2n ** 63n), 0n] };
    expect(decodeRequest(transfer(encodeRequest(change)))).toEqual(change);
  });

  test('that is not an operation of the port', () => {
    const change = { cache: 'c', rows: 5 };
    expect(decodeRequest(transfer(encodeRequest(change)))).toEqual(change);
  });
});

test('simple values are sent flat', () => {
  const put = { name: 'c', args: [{ type: 'string', data: 'k' }, { type: 'integer', data: 1 }, 5n] };
  expect(encodeRequest(put)).toEqual(['c', 'string', 'k', 'integer', 1, 5n]);
});

test('a list that is not a request is rejected', () => {
  expect(() => decodeRequest(['c', 'integer', 'text', 'integer', 1, undefined])).toThrow(
    'expected an integer, got a string',
  );
  expect(() => decodeRequest(['c', 1])).toThrow('expected an argument, got a number');
});
