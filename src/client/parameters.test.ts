import { expect, test } from 'bun:test';
import { checkNames, splitParameters, withTypes, writeParameters } from './parameters.ts';

test('parameters are written as JSON, without those that are undefined', () => {
  expect(writeParameters({ key: 'a', val: 5n, args: [1, undefined], ttlMs: undefined })).toBe(
    '{"key":"a","val":5,"args":[1,null]}',
  );
});

const TYPED: ReadonlyArray<readonly [title: string, parameters: object, types: object]> = [
  ['an object', { key: 'a', val: { n: 1 } }, { valueType: 'map' }],
  ['an object without a prototype', { key: 'a', val: Object.create(null) }, { valueType: 'map' }],
  ['an array', { key: 1n, val: [1] }, { keyType: 'long', valueType: 'list' }],
  ['objects', { keys: ['a', 'b'], values: [{}, {}] }, { valueType: 'map' }],
  ['an object of a named type', { key: 'a', val: {}, valueType: 'Person' }, { valueType: 'Person' }],
  ['an object of a class', { key: 'a', val: new URL('http://localhost') }, {}],
  ['an object as a key', { key: { id: 1 }, val: 'x' }, {}],
];
test.each(TYPED)('%s has its type', (_, parameters, types) => {
  expect(withTypes({ ...parameters })).toEqual({ ...parameters, ...types });
});

const WRONG: ReadonlyArray<readonly [title: string, parameters: Readonly<Record<string, unknown>>, text: string]> = [
  ['a number that JSON does not have', { key: 'a', val: Number.NaN }, 'val: JSON has no NaN'],
  ['one in a list', { qry: 'SELECT ?', args: [1, Number.POSITIVE_INFINITY] }, 'args: JSON has no Infinity'],
  ['a function', { key: () => 1, val: 1 }, 'key: JSON has no function'],
  ['a Map', { key: 'a', val: { of: new Map([['n', 1]]) } }, 'val: JSON has no Map'],
  ['bytes', { key: 'a', val: new Uint8Array(2) }, 'val: JSON has no Uint8Array'],
  [
    'values of several types',
    { keys: [1, 'a'] },
    'keys has values of the types double and string: name one of them in keyType',
  ],
];
test.each(WRONG)('an error names the parameter with %s', (_, parameters, text) => {
  expect(() => writeParameters(withTypes(parameters))).toThrow(new TypeError(text));
});

const NAMES = ['cacheName', 'key'];
const MISUSED: ReadonlyArray<readonly [given: unknown, text: string]> = [
  ['zzz', 'the parameters of get are an object, such as { cacheName: ... }, got "zzz"'],
  [1, 'the parameters of get are an object, such as { cacheName: ... }, got 1'],
  [null, 'the parameters of get are an object, such as { cacheName: ... }, got null'],
  [['a'], 'the parameters of get are an object, such as { cacheName: ... }, got an array'],
  [{ keys: 'x' }, 'the parameters of get: unknown keys, did you mean key?'],
  [{ keyed: 'x' }, 'the parameters of get: unknown keyed, did you mean key?'],
  [{ cachename: 'x' }, 'the parameters of get: unknown cachename, did you mean cacheName?'],
  [{ key: 'a', colour: 'x' }, 'the parameters of get: unknown colour, there are cacheName, key'],
];
test.each(MISUSED)('plain JavaScript that passes %j is told', (given, text) => {
  expect(() => checkNames('the parameters of get', given, NAMES)).toThrow(new TypeError(text));
});

test('names that exist are accepted, and a command without parameters has none', () => {
  checkNames('the parameters of get', { key: 'a', cacheName: undefined }, NAMES);
  checkNames('the parameters of top', {}, []);
  checkNames('the parameters of get', { arg1: 5, arg1Type: 'int', k2: 'b' }, NAMES);
  expect(() => checkNames('the parameters of top', { a: 1 }, [])).toThrow('unknown a, there are none');
});

test('an error has the numbers of keys and values that differ', () => {
  expect(() => splitParameters({ keys: [1, 2, 3], values: [1] }, 2)).toThrow(
    new TypeError('keys and values differ in number: 3 and 1'),
  );
});
