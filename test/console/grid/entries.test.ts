/** Entries of caches as rows of the console's grid, the commands that change them, and the types of keys. */
import { describe, expect, test } from 'bun:test';
import { parseAsSent } from '../../../src/client/exact-json.ts';
import {
  ENTRY_COLUMNS,
  entryKind,
  entryRow,
  entryTexts,
  type StoredEntry,
} from '../../../src/console/caches/entry-kind.ts';
import { keyTypesOf, typeTitle, valueTypesOf } from '../../../src/console/caches/entry-types.ts';
import { hasSameKey } from '../../../src/console/caches/row-change.ts';

const kind = entryKind('stock');
const textsOf = (line: string) => entryTexts(entryRow(parseAsSent(line) as unknown as StoredEntry));
const PRICE = textsOf('{"key":7,"value":1.50,"keyType":"long","valueType":"java.math.BigDecimal"}');
const VISIT = textsOf('{"key":{"b":1,"a":2},"value":{"page":"/"},"keyType":"Page","valueType":"Visit"}');
const BYTES = textsOf('{"key":"k","value":{"bytes":"AQI="},"keyType":"string","valueType":"SvcValue"}');

describe('an entry', () => {
  test('has texts with all digits, and objects have lines', () => {
    expect(PRICE).toMatchObject({ Key: '7', 'Key type': 'long', Value: '1.50', 'Value type': 'java.math.BigDecimal' });
    expect(VISIT).toMatchObject({ Key: '{"b":1,"a":2}', Value: '{\n  "page": "/"\n}' });
    expect(BYTES).toMatchObject({ Value: 'AQI=', 'Value type': '[B' });
  });

  test('is the same one only with a key of the same type', () => {
    expect(hasSameKey(kind, PRICE, { ...PRICE, Value: '2' })).toBe(true);
    expect(hasSameKey(kind, PRICE, { ...PRICE, 'Key type': 'string' })).toBe(false);
  });

  test('is identified as the change feed does it: by the members of its key in the order of their names', () => {
    expect(kind.identityOf(entryRow({ key: { b: 1, a: 2 }, value: 1 }))).toEqual([2, 1]);
    expect(kind.identityOf(entryRow({ key: 7, value: 1 }))).toEqual([7]);
  });
});

describe('a change of an entry', () => {
  test('names the value that was read, and the types', () => {
    const change = kind.updateOf(PRICE, { ...PRICE, Value: '2.00' });
    const types = { keyType: 'long', valueType: 'java.math.BigDecimal' };
    expect(change?.cmd).toBe('cas');
    expect(change?.params).toEqual({ cacheName: 'stock', key: '7', ...types, val: '2.00', val2: '1.50' });
    const [deletion] = kind.deletionsOf([PRICE]);
    expect(deletion?.text).toBe(
      '{"cmd":"rmvval","cacheName":"stock","key":"7","keyType":"long","val":"1.50","valueType":"java.math.BigDecimal"}',
    );
    expect(kind.updateOf(PRICE, PRICE)).toBeUndefined();
  });

  test('is not possible with a type that commands cannot name', () => {
    expect(kind.deletionsOf([BYTES, PRICE])).toHaveLength(1);
    expect(kind.updateOf(BYTES, { ...BYTES, Value: 'AQM=' })).toBeUndefined();
    expect(ENTRY_COLUMNS.every((column) => kind.isFixed(column, BYTES))).toBe(true);
  });

  test('fixes the key and the types, but for the type of a value that is not known', () => {
    const unknown = { ...PRICE, 'Value type': '' };
    const fixed = (row: typeof PRICE) =>
      ENTRY_COLUMNS.filter((each) => kind.isFixed(each, row)).map(({ name }) => name);
    expect(fixed(PRICE)).toEqual(['Key', 'Key type', 'Value type', 'Expires']);
    expect(fixed(unknown)).toEqual(['Key', 'Key type', 'Expires']);
    expect(kind.updateOf(unknown, { ...unknown, Value: '2' })).toBeUndefined();
    expect(kind.updateOf(unknown, { ...unknown, Value: '2', 'Value type': 'long' })?.params).toMatchObject({
      val: '2',
    });
  });
});

test('a new entry is added once it has a key', () => {
  expect(kind.insertOf(kind.newRow)).toBeUndefined();
  expect(kind.insertOf({ ...kind.newRow, Key: 'k' })).toMatchObject({ cmd: 'putifabs', params: { key: 'k', val: '' } });
});

test.each([
  ['7', ['integer'], ['integer', 'long', 'short']],
  ['00000000-0000-0001-0000-000000000002', ['uuid'], ['uuid', 'string']],
  ['{"a":1}', ['Page', 'long'], ['Page', 'java.lang.Object', 'string']],
  ['tea', ['long', 'Page'], ['string']],
])('the key %s has one of the types that fit, those that are stored first', (text, stored, expected) => {
  expect(keyTypesOf(text, stored).slice(0, expected.length)).toEqual(expected);
});

test('a value has one of the types that look like it', () => {
  expect(valueTypesOf('x', ['Visit'])[0]).toBe('string');
  expect(valueTypesOf({ a: 1 }, ['string', 'Visit']).slice(0, 2)).toEqual(['Visit', 'java.util.LinkedHashMap']);
});

test.each([
  ['[B', 'bytes'],
  ['java.util.ArrayList', 'list'],
  ['java.util.HashSet', 'set'],
  ['java.util.LinkedHashMap', 'map'],
  ['java.math.BigDecimal', 'decimal'],
  ['Visit', 'Visit'],
])('the type %s reads %s', (type, title) => expect(typeTitle(type)).toBe(title));
