import { describe, expect, test } from 'bun:test';
import { GridError } from '../base/errors.ts';
import { append, prepend } from './combine.ts';
import { decodeTyped } from './decode-parameter.ts';
import { writeJson } from './json.ts';
import type { Value } from './value.ts';

function read(type: string, source: string): Value {
  return decodeTyped(source, type, { find: () => undefined }, 'svc');
}

const LIMIT = 4_000;
const MAP = 'java.util.HashMap';
const LIST = 'java.util.ArrayList';

const JOINED: ReadonlyArray<readonly [type: string, old: string, value: string, appended: string, prepended: string]> =
  [
    ['string', 'ab', 'cd', '"abcd"', '"cdab"'],
    ['string', 'ab', '', '"ab"', '"ab"'],
    [LIST, '[1]', '[2,1]', '[1,2,1]', '[2,1,1]'],
    ['java.util.LinkedList', '[1]', '[1]', '[1,1]', '[1,1]'],
    ['java.util.HashSet', '[1,3]', '[2,1]', '[1,3,2]', '[2,1,3]'],
    ['java.util.TreeSet', '[1,3]', '[2,1]', '[1,2,3]', '[1,2,3]'],
    [MAP, '{"b":2,"c":3}', '{"b":9,"d":4}', '{"b":9,"c":3,"d":4}', '{"b":2,"d":4,"c":3}'],
  ];

const REJECTED: ReadonlyArray<readonly [oldType: string, old: string, type: string, value: string, message: string]> = [
  ['int', '1', 'int', '2', 'Incompatible types [appendVal=2,type=Integer, oldType=Integer]'],
  ['string', 'a', 'int', '1', 'Incompatible types [appendVal=1,type=Integer, oldType=String]'],
  [MAP, '{"a":1}', LIST, '[1]', 'Incompatible types [appendVal=[1],type=ArrayList, oldType=HashMap]'],
  ['double', '1.0', 'long', '2', 'Incompatible types [appendVal=2,type=Long, oldType=Double]'],
  ['[B', '"AQID"', '[I', '[1]', 'Incompatible types [appendVal=[1],type=int[], oldType=byte[]]'],
  ['[Ljava.lang.String;', '[]', 'T', '{"x":1}', 'Incompatible types [appendVal={"x":1},type=T, oldType=String[]]'],
  ['date', '2018-01-02', 'string', 'x'.repeat(2_000), `appendVal=${'x'.repeat(1_000)}...,type=String`],
];

describe('append and prepend', () => {
  test.each(JOINED)('%s: append and prepend to %s the value %s', (type, old, value, appended, prepended) => {
    expect(writeJson(append(read(type, old), read(type, value), LIMIT))).toBe(appended);
    expect(writeJson(prepend(read(type, old), read(type, value), LIMIT))).toBe(prepended);
  });
  test.each([
    ['string', 'a'.repeat(3_000), 'b'.repeat(1_001)],
    [LIST, JSON.stringify(['a'.repeat(3_000)]), JSON.stringify(['b'.repeat(1_001)])],
    [MAP, JSON.stringify({ a: 'a'.repeat(3_000) }), JSON.stringify({ b: 'b'.repeat(1_001) })],
  ])('%s: rejects a result that is too long', (type, old, value) => {
    for (const combine of [append, prepend]) {
      expect(() => combine(read(type, old), read(type, value), LIMIT)).toThrow('value characters');
    }
  });
  test.each(REJECTED)('%s %s with %s %s is rejected', (oldType, old, type, value, message) => {
    for (const combine of [append, prepend]) {
      expect(() => combine(read(oldType, old), read(type, value), LIMIT)).toThrow(GridError);
      expect(() => combine(read(oldType, old), read(type, value), LIMIT)).toThrow(message);
    }
  });
});
