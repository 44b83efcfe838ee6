/** Blobs of other marshallers, as nodes of Ignite 2.17 sent them. */
import { expect, test } from 'bun:test';
import type { Value } from '../../../values/value.ts';
import { ByteReader } from '../protocol/byte-reader.ts';
import { decodeOptimized } from './optimized-values.ts';

/** `CacheMode.PARTITIONED`, written by Java's own serialization. */
const CONSTANT = Buffer.from(
  '/qztAAV+cgAhb3JnLmFwYWNoZS5pZ25pdGUuY2FjaGUuQ2FjaGVNb2RlAAAAAAAAAAASAAB4cgAOamF2YS5sYW5nLkVudW0AAAAAAAAAABIAAHhwdAALUEFSVElUSU9ORUQ=',
  'base64',
);

function decoded(blob: Buffer): Value {
  const length = Buffer.alloc(4);
  length.writeInt32LE(blob.length);
  const reader = new ByteReader(Buffer.concat([length, blob]));
  const value = decodeOptimized(reader, () => 0);
  expect(reader.remaining).toBe(0);
  return value;
}

test('an enumeration constant that Java serialized shows its name', () => {
  expect(decoded(CONSTANT)).toEqual({
    type: 'opaque',
    className: 'org.apache.ignite.cache.CacheMode',
    text: 'PARTITIONED',
  });
});

test('a stream that is cut off, longer or changed stays opaque', () => {
  for (let length = 0; length < CONSTANT.length; length++) {
    const blob = CONSTANT.subarray(0, length);
    expect(decoded(blob)).toMatchObject({ type: 'opaque', text: blob.toString('base64') });
  }
  expect(decoded(Buffer.concat([CONSTANT, Buffer.of(0)]))).toMatchObject({ className: 'java.lang.Object' });
  // Another flag of the class: an object with fields.
  const object = Buffer.from(CONSTANT);
  object[object.indexOf('CacheMode') + 'CacheMode'.length + 8] = 0x02;
  expect(decoded(object)).toMatchObject({ className: 'java.lang.Object' });
});
