import { describe, expect, test } from 'bun:test';
import { readJava } from '../../../values/custom.ts';
import { writeJson } from '../../../values/json.ts';
import { resolveType } from '../../../values/type-names.ts';
import type { Value } from '../../../values/value.ts';
import { ByteReader } from '../protocol/byte-reader.ts';
import { ByteWriter } from '../protocol/byte-writer.ts';
import { decodeValue } from './decoder.ts';
import { encodeValue } from './encoder.ts';
import { UTC_ZONE } from './node-time-zone.ts';
import { BinaryTypes } from './type-metadata.ts';

const context = {
  zone: UTC_ZONE,
  types: new BinaryTypes({ fetchType: () => Promise.resolve(undefined), storeType: () => Promise.resolve() }),
};

function javaValue(className: string, json: string): Value {
  const resolved = resolveType(className, 'svc');
  if (resolved.kind !== 'java') throw new TypeError(`${className} is not a known Java class`);
  return readJava(resolved.shape, json);
}

function bytesOf(value: Value): Buffer {
  const writer = new ByteWriter();
  encodeValue(writer, value, context);
  return Buffer.from(writer.view().subarray(0, writer.length));
}

/** Class, JSON, and the bytes that a node stores when its own HTTP interface receives them. */
const STORED: ReadonlyArray<readonly [string, string, string]> = [
  ['java.util.ArrayList', '[1]', '1801000000010301000000'],
  ['java.util.LinkedList', '[1,2]', '18020000000203010000000302000000'],
  ['java.util.HashSet', '[3,1,2]', '180300000003030100000003020000000303000000'],
  ['java.util.Set', '[3,1]', '18020000000303010000000303000000'],
  ['java.util.LinkedHashSet', '[3,1]', '18020000000403030000000301000000'],
  ['java.util.LinkedHashMap', '{"b":1,"a":2}', '19020000000209010000006203010000000901000000610302000000'],
  [
    'java.util.HashMap',
    '{"b":1,"a":[true],"zz":{"q":1}}',
    '19030000000109020000007a7a19010000000209010000007103010000000901000000611801000000010801090100000062' +
      '0301000000',
  ],
  ['[Ljava.lang.Long;', '[1]', '17ffffffff01000000040100000000000000'],
  ['[J', '[1]', '0f010000000100000000000000'],
];

/** The same for sorted collections, which are objects inside the bytes that a node sends. */
const SORTED: ReadonlyArray<readonly [string, string, string]> = [
  [
    'java.util.TreeSet',
    '[3,1]',
    '670125007999cd48c0c22a8a27000000c59d1c811800000065020000000301000000030300000000000000',
  ],
  [
    'java.util.TreeMap',
    '{"b":1,"a":2}',
    '67010400ddc59fe002bd4e1933000000c59d1c8118000000650200000009010000006103020000000901000000620301000000',
  ],
];

describe('collections', () => {
  for (const [className, json, hex] of STORED) {
    test(`${className} ${json} is written as by a node, and read back unchanged`, () => {
      const value = javaValue(className, json);
      expect(bytesOf(value).toString('hex')).toBe(hex);
      const read = decodeValue(new ByteReader(Buffer.from(hex, 'hex')), context);
      expect(bytesOf(read).toString('hex')).toBe(hex);
    });
  }

  for (const [className, json, hex] of SORTED) {
    test(`${className} ${json} is written as by a node, and read back unchanged`, () => {
      const value = javaValue(className, json);
      expect(hex).toStartWith(bytesOf(value).toString('hex'));
      expect(decodeValue(new ByteReader(bytesOf(value)), context)).toEqual(value);
    });
  }

  test('many keys of a HashMap have the order of a resized table', () => {
    const keys = Array.from({ length: 20 }, (_, index) => `key${index}`);
    const value = javaValue('java.util.HashMap', JSON.stringify(Object.fromEntries(keys.map((key) => [key, 1]))));
    const read = decodeValue(new ByteReader(bytesOf(value)), context);
    const names = read.type === 'map' ? read.data.map(([key]) => (key.type === 'string' ? key.data : '')) : [];
    // The order of Java 17.
    expect(names.join(' ')).toBe(
      'key1 key2 key0 key5 key6 key3 key4 key9 key7 key8 key11 key10 key15 key14 key13 key12 key19 key18 key17 key16',
    );
  });

  test('elements of all types of a HashSet have the order of their hashes', () => {
    const json = '[3,1,2.5,"x",10000000000,true,null,-7,-123456789012345678901,[1,2]]';
    const read = decodeValue(new ByteReader(bytesOf(javaValue('java.util.HashSet', json))), context);
    // The order of Java 17.
    expect(writeJson(read)).toBe('[null,1,-123456789012345678901,[1,2],3,2.5,-7,"x",10000000000,true]');
  });
});
