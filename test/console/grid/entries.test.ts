/** Entries of caches as rows of the console's grid, the commands that change them, and the types of keys. */
import { describe, expect, test } from 'bun:test';
import { parseAsSent } from '../../../src/client/exact-json.ts';
import { editedRow, problemsOf, storedRow } from '../../../src/console/caches/edited-row.ts';
import {
  ENTRY_COLUMNS,
  entryKind,
  entryRow,
  entryTexts,
  type StoredEntry,
} from '../../../src/console/caches/entry-kind.ts';
import { keyOfText, keyTypesOf, typeTitle, valueTypesOf } from '../../../src/console/caches/entry-types.ts';
import { hasSameKey } from '../../../src/console/caches/row-change.ts';
import { keyOfRow } from '../../../src/console/caches/table-key.ts';
import { keyText, keyValues } from '../../../src/console/live/change-log.ts';

const kind = entryKind('stock');
const textsOf = (line: string) => entryTexts(entryRow(parseAsSent(line) as unknown as StoredEntry));
const PRICE = textsOf('{"key":7,"value":1.50,"keyType":"long","valueType":"java.math.BigDecimal"}');
const VISIT = textsOf('{"key":{"b":1,"a":2},"value":{"page":"/"},"keyType":"Page","valueType":"Visit"}');
const LONGS = textsOf('{"key":"k","value":{"list":[{"long":"1"}]},"keyType":"string","valueType":"SvcValue"}');
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

  test('of bytes is sent as JSON with their type', () => {
    const change = kind.updateOf(BYTES, { ...BYTES, Value: 'AQM=' });
    expect(change?.params).toMatchObject({ val: '"AQM="', val2: '"AQI="', valueType: '[B' });
    expect(kind.deletionsOf([BYTES])[0]?.params).toMatchObject({ val: '"AQI="' });
    const key = textsOf('{"key":{"bytes":"AQI="},"value":{"char":"x"},"keyType":"SvcValue","valueType":"SvcValue"}');
    expect(kind.updateOf(key, { ...key, Value: 'y' })?.params).toMatchObject({
      key: '"AQI="',
      val: '"y"',
      val2: '"x"',
    });
  });

  test('of bytes is typed as hexadecimal digits in a form, which says what is none', () => {
    const edited = editedRow(kind, BYTES);
    expect(edited.Value).toBe('01 02');
    expect(storedRow(kind, { ...edited, Value: '0103' }).Value).toBe('AQM=');
    expect(problemsOf(kind, edited, edited)).toEqual([]);
    expect(problemsOf(kind, { ...edited, Value: '01 0' }, edited)).toEqual([
      'Value needs pairs of hexadecimal digits such as 0a ff, not "01 0".',
    ]);
    const added = { ...kind.newRow, 'Key type': 'long', 'Value type': 'java.lang.Object', Value: '[1' };
    expect(problemsOf(kind, added, undefined)).toEqual(['Value needs JSON such as {"a": 1}, not "[1".']);
  });

  test('is not possible with a type that commands cannot name, and the reason is given', () => {
    expect(kind.deletionsOf([LONGS, PRICE])).toHaveLength(1);
    expect(kind.updateOf(LONGS, { ...LONGS, Value: '{"list":[{"long":"2"}]}' })).toBeUndefined();
    expect(ENTRY_COLUMNS.every((column) => kind.whyFixed(column, LONGS) !== undefined)).toBe(true);
    expect(ENTRY_COLUMNS.filter(({ name }) => name === 'Value').map((each) => kind.whyFixed(each, LONGS))[0]).toContain(
      'commands cannot describe all its parts',
    );
  });

  test('fixes the key and the types, but for the type of a value that is not known', () => {
    const unknown = { ...PRICE, 'Value type': '' };
    const fixed = (row: typeof PRICE) =>
      ENTRY_COLUMNS.filter((each) => kind.whyFixed(each, row) !== undefined).map(({ name }) => name);
    expect(fixed(PRICE)).toEqual(['Key', 'Key type', 'Value type', 'Expires']);
    expect(fixed(unknown)).toEqual(['Key', 'Key type', 'Expires']);
    expect(kind.updateOf(unknown, { ...unknown, Value: '2' })).toBeUndefined();
    expect(kind.updateOf(unknown, { ...unknown, Value: '2', 'Value type': 'long' })?.params).toMatchObject({
      val: '2',
    });
  });
});

test.each([
  ['{"page":"/","n":5}', 'Page', { page: '/', n: 5 }],
  ['{"page":"/","n":5}', 'java.lang.Object', { page: '/', n: 5 }],
  ['007', 'long', 7],
  ['00000000-0000-0001-0000-00000000000A', 'uuid', '00000000-0000-0001-0000-00000000000a'],
  ['{"page"', 'string', '{"page"'],
])('the key %s that was found under the type %s is known to the change feed', (text, type, sent) => {
  const [found] = [kind.identityOf(entryRow({ key: keyOfText(text, type), value: 1, keyType: type }))];
  expect(keyText(found)).toBe(keyText(keyValues(sent)));
});

const KEY_COLUMN = { isKey: true, isNullable: true, defaultValue: null };
const A = { name: 'A', type: 'java.lang.String', sqlType: 'VARCHAR', ...KEY_COLUMN };
const B = { name: 'B', type: 'java.lang.Integer', sqlType: 'INTEGER', ...KEY_COLUMN };

test('the key of a row has the type of its column, and one of several columns is an object', () => {
  expect(keyOfRow([B], { B: '7' }, 'java.lang.Integer')).toEqual({ key: '7', keyType: 'int' });
  expect(keyOfRow([B], { B: '7' }, undefined)).toEqual({ key: '7', keyType: 'int' });
  expect(keyOfRow([A, B], { A: 'x', B: '7' }, 'T_KEY')).toEqual({ key: '{"A":"x","B":"7"}', keyType: 'T_KEY' });
  expect(keyOfRow([A, B], { A: 'x' }, 'T_KEY')).toBeUndefined();
  expect(keyOfRow([A, B], { A: 'x', B: '7' }, undefined)).toBeUndefined();
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
  ['[J', 'long[]'],
  ['[Ljava.util.UUID;', 'uuid[]'],
  ['java.util.ArrayList', 'list'],
  ['java.util.HashSet', 'set'],
  ['java.util.LinkedHashMap', 'map'],
  ['java.math.BigDecimal', 'decimal'],
  ['Visit', 'Visit'],
])('the type %s reads %s', (type, title) => expect(typeTitle(type)).toBe(title));
