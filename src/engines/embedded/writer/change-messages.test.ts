import { describe, expect, test } from 'bun:test';
import type { Call, ChangeKind } from '../../../grid/calls.ts';
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

const KEY: Value = { type: 'string', data: 'k' };

/** A call of each kind with a value. */
function callsWith(value: Value): { readonly [K in ChangeKind]: Call<K> } {
  const write = { cache: 'c', key: KEY, value, ttlMs: 5n };
  return {
    put: { kind: 'put', ...write },
    putAll: {
      kind: 'putAll',
      cache: 'c',
      entries: [
        { key: KEY, value: KEY },
        { key: value, value },
      ],
      ttlMs: null,
    },
    putIfAbsent: { kind: 'putIfAbsent', ...write },
    getAndPut: { kind: 'getAndPut', ...write },
    getAndPutIfAbsent: { kind: 'getAndPutIfAbsent', ...write },
    replace: { kind: 'replace', ...write },
    getAndReplace: { kind: 'getAndReplace', ...write },
    replaceIfEquals: { kind: 'replaceIfEquals', ...write, expected: value },
    remove: { kind: 'remove', cache: 'c', key: value },
    getAndRemove: { kind: 'getAndRemove', cache: 'c', key: value },
    removeIfEquals: { kind: 'removeIfEquals', cache: 'c', key: KEY, expected: value },
    removeAll: { kind: 'removeAll', cache: 'c', keys: [KEY, value] },
    clear: { kind: 'clear', cache: 'c' },
    append: { kind: 'append', ...write },
    prepend: { kind: 'prepend', ...write },
    updateTtl: { kind: 'updateTtl', cache: 'c', key: value, ttlMs: null },
    addToCounter: { kind: 'addToCounter', name: 'n', delta: -(2n ** 63n), initial: 0n, ttlMs: undefined },
    persistCounter: { kind: 'persistCounter', name: 'n' },
  };
}

describe('a change arrives unchanged', () => {
  for (const value of VALUES) {
    for (const call of Object.values<Call>(callsWith(value))) {
      test(`${call.kind} of ${value.type}`, () => {
        expect(decodeRequest(transfer(encodeRequest(call)))).toEqual(call);
      });
    }
  }

  test('without a time to live', () => {
    const put = { kind: 'put', cache: 'c', key: KEY, value: { type: 'null' }, ttlMs: undefined };
    expect(decodeRequest(transfer(encodeRequest(put)))).toEqual(put);
  });

  test('that is not a call', () => {
    const change = { cache: 'c', rows: 5 };
    expect(decodeRequest(transfer(encodeRequest(change)))).toEqual(change);
    const record = { kind: 'session', id: 'i', content: 'c', expiresAtMs: undefined };
    expect(decodeRequest(transfer(encodeRequest(record)))).toEqual(record);
  });
});

test('simple values are sent flat', () => {
  const put = { kind: 'put', cache: 'c', key: KEY, value: { type: 'integer', data: 1 }, ttlMs: 5n };
  expect(encodeRequest(put)).toEqual(['put', 'c', 'string', 'k', 'integer', 1, 5n]);
  const value: Value = { type: 'long', data: 2n };
  const putAll = { kind: 'putAll', cache: 'c', entries: [{ key: KEY, value }], ttlMs: undefined };
  expect(encodeRequest(putAll)).toEqual(['putAll', 'c', ['string', 'k', 'long', 2n], undefined]);
});

test('a list that is not a call is rejected', () => {
  expect(() => decodeRequest(['put', 'c', 'integer', 'text', 'integer', 1, undefined])).toThrow(
    'expected an integer, got a string',
  );
  expect(() => decodeRequest(['put', 'c', 1])).toThrow('expected a field, got a number');
  expect(() => decodeRequest(['push', 'c'])).toThrow('expected a call');
});
